"""Everything that is odd about preferences, before any strength is fitted: `dissensus check preferences.csv`.

>>> rows = [("q", x, y, "ann", "a", "ab") for x, y in ("xy", "yz", "zx")]
>>> print(check_preferences(Preferences.from_rows(rows))[1])
note: 1 of 1 triple of documents goes round in a circle: x over y, y over z, z over x (ann)
  q
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dissensus.io.check.findings import Finding, some
from dissensus.judging.preferences.strengths import linked
from dissensus.judging.preferences.table import Preferences
from dissensus.wording import counted

FEW = 20  # answers of an assessor from which its habits are looked at
FAR = 3.5  # standard errors from ½ that the place on the screen may move a share by chance
MOST = 400  # documents of a topic whose triples are counted


def check_preferences(given: Preferences) -> list[Finding]:
    """Contradictions, circles, habits of place, documents without a link between them."""
    findings = [Finding("note", note) for note in given.notes]
    if len(given.assessors) == 1:
        findings.append(Finding("note", "one assessor: nothing can be said about agreement", given.assessors[0]))
    for k, name in enumerate(given.assessors):
        mine = given.rows(given.assessor == k)
        findings += [f for f in (_contradictions(mine, name), _circles(mine, name), *_habits(mine, name)) if f]
    return [*findings, *_apart(given), *_unknown_order(given)]


def _contradictions(mine: Preferences, name: str) -> Finding | None:
    """Pairs that one assessor judged twice, with different answers."""
    order = np.argsort(mine.pair, kind="stable")
    pair, answer = mine.pair[order], mine.answer[order]
    again = pair[1:] == pair[:-1]
    if not again.any():
        return None
    turned = np.unique(pair[1:][again & (answer[1:] != answer[:-1])])
    twice = len(np.unique(pair[1:][again]))
    if not len(turned):
        return Finding("note", f"{counted(twice, 'pair')} judged more than once, always with the same answer", name)
    places = some(_named(mine, p) for p in turned[:5])
    what = f"{len(turned):,} of {counted(twice, 'pair')} judged more than once got different answers"
    return Finding("warning", what, name, len(turned), places)


def _named(mine: Preferences, pair: np.int64) -> str:
    n = len(mine.docs)
    rest, second = divmod(int(pair), n)
    topic, first = divmod(rest, n)
    return f"{mine.topics[topic]}: {mine.docs[first]} and {mine.docs[second]}"


def _circles(mine: Preferences, name: str) -> Finding | None:
    """Triples a over b over c over a, among the triples whose three pairs were all decided."""
    circles, triples, where, example = 0, 0, [], ""
    for t in np.unique(mine.topic):
        beats = _beats(mine, int(t))
        if beats is None:
            continue
        docs, over = beats
        met = over + over.T
        here = round(float(np.trace(over @ over @ over)) / 3)
        triples += round(float(np.trace(met @ met @ met)) / 6)
        if here:
            circles += here
            where.append(mine.topics[int(t)])
            example = example or _one_circle(over, [mine.docs[d] for d in docs])
    if not circles:
        return None
    goes = "goes" if circles == 1 else "go"
    what = f"{circles:,} of {counted(triples, 'triple')} of documents {goes} round in a circle: {example}"
    severity = "warning" if circles > 0.1 * triples and triples >= FEW else "note"
    return Finding(severity, what, name, len(where), some(where))  # type: ignore[arg-type]


def _beats(mine: Preferences, topic: int) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """(documents of a topic, 1 where the row's document is preferred to the column's); None where they are too many."""
    rows = np.flatnonzero((mine.topic == topic) & (mine.answer != 0.5))
    docs = np.unique(np.concatenate([mine.first[rows], mine.second[rows]]))
    if len(docs) < 3 or len(docs) > MOST:
        return None
    a, b = (np.searchsorted(docs, x[rows]) for x in (mine.first, mine.second))
    wins = np.zeros((len(docs), len(docs)))
    np.add.at(wins, (a, b), np.where(mine.answer[rows] == 1, 1.0, -1.0))
    np.add.at(wins, (b, a), np.where(mine.answer[rows] == 1, -1.0, 1.0))
    return docs, (wins > 0).astype(np.float64)


def _one_circle(over: NDArray[np.float64], docs: list[str]) -> str:
    a, b = (int(x[0]) for x in np.nonzero(over * (over @ over).T))
    c = int(np.flatnonzero(over[b] * over[:, a])[0])
    return ", ".join(f"{docs[x]} over {docs[y]}" for x, y in pairwise((a, b, c, a)))


def _habits(mine: Preferences, name: str) -> list[Finding]:
    """One answer only, or a liking for the document that was shown first."""
    if len(mine) < FEW:
        return []
    if (mine.answer == 0.5).all():
        return [Finding("warning", f"all {len(mine):,} answers are 'same'", name)]
    known = (mine.shown != 0) & (mine.answer != 0.5)
    n = int(known.sum())
    if n < FEW:
        return []
    share = float(((mine.answer[known] == 1) == (mine.shown[known] == 1)).mean())
    if abs(share - 0.5) <= FAR * 0.5 / math.sqrt(n):
        return []
    side = "first" if share > 0.5 else "second"
    what = f"the document shown {side} won {max(share, 1 - share):.0%} of {n:,} answers"
    return [Finding("warning", what, name, fixes=("agree shows it with its interval, as first_preferred.",))]


def _apart(given: Preferences) -> list[Finding]:
    """Topics whose documents fall into groups that were never compared with each other."""
    split = []
    for t in np.unique(given.topic):
        rows = np.flatnonzero(given.topic == t)
        docs, code = np.unique(np.r_[given.first[rows], given.second[rows]], return_inverse=True)
        if linked(code[: len(rows)], code[len(rows) :], len(docs)).any():
            split.append(given.topics[int(t)])
    if not split:
        return []
    what = f"{counted(len(split), 'topic')} with documents that no chain of comparisons links: they share no order"
    return [Finding("warning", what, "", len(split), some(split), ("Compare documents across these groups.",))]


def _unknown_order(given: Preferences) -> list[Finding]:
    unknown = int((given.shown == 0).sum())
    if not unknown:
        return []
    what = f"the order shown is not known for {unknown:,} of {counted(len(given), 'answer')}"
    return [Finding("note", what, fixes=("A column `order` (ab or ba) tells a liking for a place from a preference.",))]
