"""Names that are imported when they are first used (PEP 562), so that importing their package costs next to nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

from dissensus.aliases import refuse_name


def on_use(package: str, name: str, homes: Mapping[str, str], called_there: str | None = None) -> object:
    """The value of `name`, from the module of dissensus that `homes` names; kept in the package for the next time.

    `called_there` is its name in that module, where it is another one.
    """
    home = homes.get(name)
    if home is None:
        if name.startswith("__"):  # what Python itself asks for
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        raise refuse_name(package, name, homes)
    value = getattr(importlib.import_module(f"dissensus.{home}"), called_there or name)
    setattr(sys.modules[package], name, value)
    return value
