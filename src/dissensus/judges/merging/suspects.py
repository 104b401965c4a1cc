"""Assessors that look random, lazy or contrary, and what merging does with them.

Who is a suspect: see `judges.agreement.flags`. "drop" leaves their labels out; "weigh" lets them count κ_k of a vote
(at least 0), κ_k their agreement with the others beyond chance. Models weigh every assessor by themselves.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.judges.agreement.flags import assessor_frame
from dissensus.judges.label_table import Labels

Treatment = Literal["keep", "drop", "weigh"]
Looks = Literal["random", "lazy", "contrary"]
KINDS: tuple[Looks, ...] = ("random", "lazy", "contrary")


def suspects(table: Labels, names: tuple[str, ...]) -> dict[str, Looks]:
    """Assessors that look random, lazy or contrary, by name."""
    frame = assessor_frame(table.first(), names)
    pairs = zip(frame["assessor"].to_list(), frame["looks"].to_list(), strict=True)
    return {who: looks for who, looks in pairs if looks in KINDS}


def without(table: Labels, names: tuple[str, ...], who: dict[str, Looks]) -> Labels:
    """The labels of the others; an error where some document would lose all of its labels to it."""
    out = np.isin(table.assessor, [names.index(w) for w in who])
    rest = table.rows(~out)
    if not len(rest):
        raise InputError(
            "every assessor looks random, lazy or contrary: there is nothing left to merge.",
            Text("Keep them with ", Option("suspects", "keep"), "."),
        )
    return rest


def vote_weights(table: Labels, names: tuple[str, ...], who: dict[str, Looks]) -> NDArray[np.float64]:
    """One vote for everyone, max(κ, 0) of a vote for suspects."""
    frame = assessor_frame(table.first(), names)
    kappa = np.nan_to_num(frame["kappa"].to_numpy())
    return np.where([n in who for n in names], np.maximum(kappa, 0.0), 1.0)
