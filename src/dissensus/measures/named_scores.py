"""Scores that find a measure under each of its names: what was asked for as `P(rel=1)@10` is kept as `P@10`.

>>> scores = Dataset({"P@10": ("topic", [0.5, 0.7]), "AP": ("topic", [0.2, 0.4])})
>>> scores["P(rel=1)@10"].values.tolist(), scores["map"].values.tolist()
([0.5, 0.7], [0.2, 0.4])
"""

from __future__ import annotations

from typing import Any

import xarray as xr

from dissensus.errors import UnknownMeasure
from dissensus.measures.other_names import held


class Dataset(xr.Dataset):  # type: ignore[no-untyped-call]
    """An xarray Dataset whose variables are measures, to be asked for by any of their names."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            return super().__getitem__([self._kept(one) for one in key])
        return super().__getitem__(self._kept(key))

    def _kept(self, key: Any) -> Any:
        """The name under which a measure is kept; keys of xarray as they are."""
        if not isinstance(key, str) or key in self.variables or key in self.sizes or "." in key:
            return key
        found = held((str(name) for name in self.data_vars), key)
        if found is None:
            raise UnknownMeasure(
                f"{key!r} is not among the scores: {', '.join(map(str, self.data_vars))}.",
                f"Compute it with the others: evaluate(…, measures=[…, {key!r}]).",
            )
        return found
