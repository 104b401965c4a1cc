"""Several contrasts along one order: who is decided when, and an interval for each.

Signs of pairs are decided by e-Holm (`many`), after every label. Intervals are betting sets at α/K, taken at every
tenth label and at the last one; where there are more than 200 pairs only at the last and where a pair was decided.
Everything else (equivalence, single scores, new topics, the mean assessor) is decided by those intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError
from dissensus.inference.sequential.many import ManyPairs
from dissensus.inference.sequential.stop import Look, Track, Verdict

EVERY = 10
FEW = 200  # contrasts up to which every tenth look has its intervals
CLOSEST = 5  # open pairs that a forecast looks at


@dataclass(frozen=True)
class PairRow:
    """One row of the table: contrast number, look, and whether it is decided by then."""

    contrast: int
    look: Look
    decided: bool


class Several:
    """`track(k)` makes the follower of contrast k, with its share of the error; `many`, if given, decides signs."""

    def __init__(
        self,
        names: list[tuple[str, str | None]],
        level: float,
        track: Callable[[int], Track],
        many: ManyPairs | None,
        where: str = "",
    ) -> None:
        self.where = where
        n = len(names)
        if many is None and n > FEW:
            raise InputError(
                f"{n:,} contrasts cannot be followed in this way; at most {FEW} can.",
                "Name fewer systems, or ask for the signs of differences on these topics only.",
            )
        self.pairs, self.level = names, level
        self.n, self.track, self.many = n, track, many
        self.tracks: dict[int, Track] = {}
        self.value: Floats = np.empty(0)
        self._rows: tuple[int, list[PairRow]] = (-1, [])

    def advance(self, value: Floats) -> None:
        """Read the labels that came since the last call; `value` holds the whole prefix."""
        if self.many is not None:
            for v in value[self.many.labels :].tolist():
                self.many.add(v)
        self.value = value
        if self.many is None:
            for k in range(self.n):
                self._at(k).advance(value, EVERY)

    def _at(self, k: int) -> Track:
        """The follower of contrast k; kept where there are few, because each holds arrays as long as the order."""
        if self.n > FEW:
            return self.track(k)
        if k not in self.tracks:
            self.tracks[k] = self.track(k)
        return self.tracks[k]

    def decided_at(self, k: int) -> int | None:
        """The labels after which contrast k was decided."""
        if self.many is None:
            return self._at(k).decided_at
        at = int(self.many.decided_at[k])
        return at or None

    def all_decided_at(self) -> int | None:
        """The labels after which all were decided."""
        at = [self.decided_at(k) for k in range(self.n)]
        return None if None in at else max(x for x in at if x is not None)

    def rows(self) -> list[PairRow]:
        """The table's rows, by look and contrast."""
        if self._rows[0] == len(self.value):
            return self._rows[1]
        out: list[PairRow] = []
        for k in range(self.n):
            at = self.decided_at(k)
            track = self._at(k)
            if self.n <= FEW:
                track.advance(self.value, EVERY)
            looks = {look.labels: look for look in track.looks}
            for t in {at, len(self.value)} - {None, 0}:
                if t is not None and t not in looks:
                    looks[t] = self._peek(k, track, t)
            out += [PairRow(k, look, at is not None and t >= at) for t, look in looks.items()]
        out.sort(key=lambda row: (row.look.labels, row.contrast))
        self._rows = (len(self.value), out)
        return out

    def looks(self, k: int) -> list[Look]:
        """The looks at contrast k: every tenth, and the last."""
        if self.n <= FEW:
            return [row.look for row in self.rows() if row.contrast == k]
        track = self.track(k)
        track.advance(self.value, EVERY)
        last = [track.peek(self.value)] if len(self.value) % EVERY else []
        return [*track.looks, *last]

    def _peek(self, k: int, track: Track, t: int) -> Look:
        """A look at t that is not among the tenth ones; the intersection is that of the looks before it."""
        if track.looks and t < track.looks[-1].labels:
            track = self.track(k)
            track.advance(self.value[: t // EVERY * EVERY], EVERY)
        return track.peek(self.value[:t])

    def verdicts(self) -> tuple[Verdict, ...]:
        """What may be said of each contrast, with its set at the deciding look (NaN where there are too many)."""
        if self.many is None:
            return tuple(self._at(k).verdict() for k in range(self.n))
        sets = {(r.contrast, r.look.labels): r.look for r in self.rows()} if self.n <= FEW else {}
        return tuple(self._verdict(k, sets) for k in range(self.n))

    def _leaning(self, k: int) -> str | None:
        """Whom an open pair leans to; not looked at where there are too many pairs to draw their sets."""
        if self.n > FEW:
            return None
        track = self._at(k)
        track.value = self.value
        return track.leaning()

    def _verdict(self, k: int, sets: dict[tuple[int, int], Look]) -> Verdict:
        assert self.many is not None
        at = self.decided_at(k)
        (a, b), level = self.pairs[k], self.level
        labels = at or len(self.value)
        look = sets.get((k, labels))
        low, high = (look.low, look.high) if look else (math.nan, math.nan)
        about: Values = {"estimate": look.estimate if look else math.nan, "where": self.where}
        if at is None:
            return Verdict("open", a, b, labels, low, high, level, leaning=self._leaning(k), **about)
        winner, loser = (a, b) if self.many.side[k] > 0 else (b, a)
        return Verdict("better", a, b, labels, low, high, level, winner, loser, **about)

    def forecast(self, share: float = 1.0) -> int | None:
        """Labels in all until every contrast is decided; None where new topics or assessors leave one open."""
        if (at := self.all_decided_at()) is not None:
            return at
        waiting = [k for k in range(self.n) if self.decided_at(k) is None]
        if self.many is not None:  # the closest pairs take longest
            lead = np.abs(self.many.lead())
            waiting = sorted(waiting, key=lambda k: float(lead[k]))[:CLOSEST]
        needed = [self._forecast(k, share) for k in waiting]
        return None if None in needed else max(n for n in needed if n is not None)

    def _forecast(self, k: int, share: float) -> int | None:
        track = self._at(k)
        if len(track.steps) < len(self.value):
            track.value, track.steps = self.value, track.walk.steps(self.value)
        return track.forecast(share)
