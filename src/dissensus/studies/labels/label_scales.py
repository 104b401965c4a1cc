"""pNoise in theory: what the number of grades and their balance do to it (Niu et al. 2015, Figs. 7 and 11).

The proportions are the paper's: those of the set itself ("true") and simulated ones.

    >>> levels = pair_noise_by_scale(["uniform"], [0.1])
    >>> levels.columns
    ['figure', 'set', 'scale', 'profile', 'dnoise', 'pnoise']
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dissensus.noise.expected import expected_pair_noise
from dissensus.noise.profiles import PROFILES

if TYPE_CHECKING:
    import polars as pl

Proportions = tuple[float, ...]
#: Fig. 7: more grades
GRADES: dict[str, dict[str, Proportions]] = {
    "TD2003": {"C = 2": (0.992, 0.008), "C = 3": (0.792, 0.2, 0.008), "C = 5": (0.792, 0.1, 0.1, 0.004, 0.004)},
    "OHSUMED": {"C = 2": (0.7, 0.3), "C = 3": (0.7, 0.16, 0.14), "C = 5": (0.5, 0.2, 0.16, 0.07, 0.07)},
    "MSLR-WEB10K": {
        "C = 2": (0.842, 0.158),
        "C = 3": (0.842, 0.133, 0.025),
        "C = 5": (0.517, 0.325, 0.133, 0.017, 0.008),
    },
}
#: Fig. 11: better balance
BALANCE: dict[str, dict[str, Proportions]] = {
    "TD2003": {"R1": (0.992, 0.008), "R2": (0.7, 0.3), "Rbest": (0.5, 0.5)},
    "OHSUMED": {"R1": (0.9, 0.05, 0.05), "R2": (0.7, 0.16, 0.14), "Rbest": (1 / 3, 1 / 3, 1 / 3)},
    "MSLR-WEB10K": {
        "R1": (0.89, 0.05, 0.05, 0.005, 0.005),
        "R2": (0.517, 0.325, 0.133, 0.017, 0.008),
        "Rbest": (0.2, 0.2, 0.2, 0.2, 0.2),
    },
}


def pair_noise_by_scale(profiles: Sequence[str], levels: Sequence[float]) -> pl.DataFrame:
    """figure, set, scale, profile, dnoise, pnoise: the expected pNoise of each scale."""
    import polars as pl

    rows = [
        (figure, name, scale, profile, float(t), expected_pair_noise(r, PROFILES[profile](len(r), t)))
        for figure, sets in (("Fig. 7", GRADES), ("Fig. 11", BALANCE))
        for name, scales in sets.items()
        for scale, r in scales.items()
        for profile in profiles
        for t in levels
        if t > 0
    ]
    return pl.DataFrame(rows, orient="row", schema=["figure", "set", "scale", "profile", "dnoise", "pnoise"])


def orders_hold(table: pl.DataFrame) -> pl.DataFrame:
    """figure, set, profile, step, share: at how many levels of dNoise pNoise falls from one scale to the next.

    The paper says that it always does: with more grades (Fig. 7), and with better balance (Fig. 11).
    """
    import polars as pl

    rows = []
    for (figure, name, profile), part in table.group_by(["figure", "set", "profile"], maintain_order=True):
        wide = part.pivot("scale", index="dnoise", values="pnoise")
        scales = wide.columns[1:]
        for one, two in itertools.pairwise(scales):
            falls = wide[two].to_numpy() < wide[one].to_numpy()
            first = [float(d) for d, fell in zip(wide["dnoise"], falls, strict=True) if not fell]
            rows.append((figure, name, profile, f"{one} → {two}", float(falls.mean()), max(first, default=None)))
    schema = ["figure", "set", "profile", "step", "falls at", "last level without a fall"]
    return pl.DataFrame(rows, orient="row", schema=schema, strict=False)
