"""Confusion matrices by name, where the numbers behind them are public: counts, so that intervals can be built on them.

    >>> round(published("trec-rf10-crowd").matrix[2, 2], 3)
    np.float64(0.381)

The matrices of the ceiling paper itself (TREC Enterprise, Microsoft, Yandex) were never printed in a form that can be
checked; give those from a file.
"""

from __future__ import annotations

from dissensus.errors import ConfusionError
from dissensus.judging.confusion.api import Confusion
from dissensus.tables.scale import Scale

# name → (counts, rows being the reference; grade names; where they come from)
_MATRICES: dict[str, tuple[tuple[tuple[int, ...], ...], tuple[str, ...], str]] = {
    "trec-rf10-crowd": (
        ((3578, 3278, 1911), (1506, 2416, 1745), (1169, 2090, 2006)),
        ("0", "1", "2"),
        "NIST against Mechanical Turk workers, TREC 2010 Relevance Feedback track (Buckley, Lease & Smucker 2010)",
    ),
    "umbrela-gpt4-dl21": (
        ((2641, 1105, 469, 123), (315, 1223, 1037, 488), (46, 556, 1082, 657), (0, 38, 372, 676)),
        ("0", "1", "2", "3"),
        "NIST against UMBRELA with GPT-4, TREC 2021 Deep Learning passages (Arabzadeh & Clarke 2025)",
    ),
    "umbrela-gpt4o-dl21": (
        ((2744, 1254, 237, 103), (371, 1669, 606, 417), (41, 912, 803, 585), (4, 82, 324, 676)),
        ("0", "1", "2", "3"),
        "NIST against UMBRELA with GPT-4o, TREC 2021 Deep Learning passages (Arabzadeh & Clarke 2025)",
    ),
    "ebay": (
        ((67, 17), (16, 43)),
        ("0", "1"),
        "an expert against crowd workers on 143 product search results: 43 of 59 relevant and 67 of 84 others agreed",
    ),
    "enterprise07-docrun02": (
        ((216, 46), (21, 17)),
        ("0", "1"),
        "gold against bronze judges on what DocRun02 retrieved, TREC 2007 Enterprise track (Bailey et al. 2008)",
    ),
    "enterprise07-york07ed4": (
        ((230, 55), (36, 14)),
        ("0", "1"),
        "gold against bronze judges on what YORK07ED4 retrieved, TREC 2007 Enterprise track (Bailey et al. 2008)",
    ),
}


def published(name: str) -> Confusion:
    """The confusion matrix of that name, with its counts and its source in `notes`."""
    if name not in _MATRICES:
        raise ConfusionError(
            f"no confusion matrix is known by the name {name!r}.",
            f"Known: {', '.join(_MATRICES)}; or give a file, a matrix or a Confusion.",
        )
    counts, grades, source = _MATRICES[name]
    return Confusion(None, counts, Scale(grades), (source,))


def names() -> tuple[str, ...]:
    """The names `published` knows."""
    return tuple(_MATRICES)
