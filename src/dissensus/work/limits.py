"""How large a file may become in memory: limits that a damaged or hostile file runs into, and how to raise them.

Six megabytes of gzip can unpack to three gigabytes, and one feature number of ten digits makes a matrix that no machine
holds. Such a file is refused before the memory is asked for. Every limit is an environment variable:

    DISSENSUS_MAX_UNPACKED    bytes that a gzip file may unpack to, where it grows more than 200-fold    256M
    DISSENSUS_MAX_MATRIX      bytes of a feature matrix                                                   4G
    DISSENSUS_MAX_RANK        the last rank of a result page in a click log                               1000
    DISSENSUS_MAX_MEMORY      bytes that work may take                                       what the system has free
"""

from __future__ import annotations

import os
import re

from dissensus.errors import InputError

DEFAULTS = {"UNPACKED": 256 << 20, "MATRIX": 4 << 30, "RANK": 1000, "MEMORY": 1 << 62}
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def limit(name: str) -> int:
    """The limit of this name, from the environment or the default.

    >>> limit("RANK")
    1000
    """
    text = os.environ.get(variable(name), "").strip().upper().removesuffix("B")
    if not text:
        return DEFAULTS[name]
    parts = re.fullmatch(r"([0-9]{1,15})\s*([KMGT]?)", text)
    if parts is None:
        raise InputError(
            f"{variable(name)}={os.environ[variable(name)]} is not a valid size.", "Write a number such as 8G or 10000."
        )
    return int(parts[1]) * _UNITS[parts[2]]


def variable(name: str) -> str:
    """The environment variable of a limit."""
    return f"DISSENSUS_MAX_{name}"


def way_to_raise(name: str, needed: int) -> str:
    """The sentence that says how to read the file all the same."""
    for unit in ("T", "G", "M", "K"):
        if needed >= _UNITS[unit] and name != "RANK":
            return f"If the file is right, raise the limit: {variable(name)}={-(-needed // _UNITS[unit])}{unit}"
    return f"If the file is right, raise the limit: {variable(name)}={needed}"
