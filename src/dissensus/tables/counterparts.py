"""Runs and judgments that do not belong together: other topics, other spellings of them, other documents.

Each refusal takes what was counted, so that it can be decided of a whole that was looked at part by part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.errors import RunError


def refuse_other_topics(topics: Sequence[str], judged: Sequence[str]) -> None:
    """Refuse runs and judgments that have no topic in common, or write the ids of some in two ways."""
    if len(topics) and not set(topics) & set(judged):
        raise RunError(
            f"no topic of the runs was judged: runs have {some(topics)}, judgments {some(judged)}.",
            "Check that both use the same topic ids.",
        )
    refuse_other_spellings(topics, judged)


def refuse_other_spellings(
    topics: Sequence[str], judged: Sequence[str], where: str = "the runs and of the judgments"
) -> None:
    """Topic 7 of the runs and 007 of the judgments are one topic: scored as two, one is empty and one is left out."""
    unanswered = {_spelling(t): t for t in set(judged).difference(topics)}
    unjudged = sorted(set(topics).difference(judged)) if unanswered else []
    pairs = [(t, unanswered[_spelling(t)]) for t in unjudged if _spelling(t) in unanswered]
    if pairs:
        some = ", ".join(f"{a} and {b}" for a, b in pairs[:3])
        raise RunError(
            f"topics of {where} differ only in zeros or in case: {some}"
            + (f" … ({len(pairs):,} in all)." if len(pairs) > 3 else "."),
            "Write topic ids in one way in all files.",
        )


def _spelling(topic: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", topic.casefold())


@dataclass(frozen=True)
class UnjudgedRanking:
    """A ranking and a pool without a document in common, to be shown where there is no other: what each holds."""

    topic: str
    system: str
    retrieved: str
    judged: str


def refuse_unjudged_ranking(found: UnjudgedRanking) -> None:
    """Refuse runs whose documents nobody judged."""
    raise RunError(
        f"no document of the runs was judged: for topic {found.topic}, {found.system} retrieves {found.retrieved}, and "
        f"the judgments have {found.judged}.",
        "Check that both use the same document ids.",
    )


def refuse_lost_systems(lost: Sequence[str], judged: Sequence[str]) -> None:
    """A system none of whose topics was judged is a mistake in the files, not a bad system."""
    if lost:
        raise RunError(
            f"none of the topics of {some(lost)} was judged. Judged topics are {some(judged)}.",
            "Check the topic ids of that run, or leave it out.",
        )


def some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" … ({len(names):,} in all)" if len(names) > 3 else "")
