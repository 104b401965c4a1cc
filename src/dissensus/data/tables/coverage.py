"""What an audit can answer: single scores, differences of any two systems, or those of some pairs only.

A plan for differences never draws documents that weigh equally for all systems, and a plan for two systems never draws
what only others show. The sample says so in the columns `covers` (scores, differences or pairs) and, for pairs, `pairs`
(a JSON list of two names each).

    >>> Coverage.of_pairs(("A", "B")).with_other(Coverage.of_pairs(("C", "D"))).columns()
    {'covers': 'pairs', 'pairs': '[["A", "B"], ["C", "D"]]'}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from dissensus.errors import InputError

Pair = tuple[str, str]
OLD = re.compile(r"difference of (.+?) and (.+)")  # how 0.1.0 wrote a pair


@dataclass(frozen=True)
class Coverage:
    """`scores`: single scores can be estimated. `pairs`: the pairs whose differences can be; None for every pair."""

    scores: bool = True
    pairs: tuple[Pair, ...] | None = None

    @classmethod
    def differences(cls) -> Coverage:
        """Every difference, no single score."""
        return cls(scores=False)

    @classmethod
    def of_pairs(cls, *pairs: Pair) -> Coverage:
        """The differences of these pairs only."""
        return cls(False, pairs)

    @property
    def every_pair(self) -> bool:
        return self.scores or self.pairs is None

    def covers(self, a: str, b: str) -> bool:
        """Can the difference of a and b be estimated?"""
        return self.every_pair or any({a, b} == set(pair) for pair in self.pairs or ())

    def with_other(self, other: Coverage) -> Coverage:
        """What two samples together can answer: what either of them could."""
        if self.scores or other.scores:
            return Coverage()
        if self.pairs is None or other.pairs is None:
            return Coverage.differences()
        return Coverage.of_pairs(*dict.fromkeys((*self.pairs, *other.pairs)))

    def columns(self) -> dict[str, str]:
        """The columns that a sample has, the same in every row."""
        if self.every_pair:
            return {"covers": "scores" if self.scores else "differences"}
        return {"covers": "pairs", "pairs": json.dumps([list(p) for p in self.pairs or ()], ensure_ascii=False)}

    def __str__(self) -> str:
        if self.every_pair:
            return "scores" if self.scores else "differences"
        return "; ".join(f"difference of {a} and {b}" for a, b in self.pairs or ())

    @classmethod
    def from_columns(cls, covers: Iterable[str], pairs: Iterable[str], source: str) -> Coverage:
        """From the distinct values of both columns; rows of several plans add up. Also reads what 0.1.0 wrote."""
        found: list[Coverage] = []
        named = tuple(pair for text in pairs for pair in _pairs(text, source))
        for word in covers:
            if word == "pairs":
                found.append(cls.of_pairs(*named))
            elif word in ("scores", "differences"):
                found.append(cls(scores=word == "scores"))
            else:
                old = [OLD.fullmatch(part) for part in word.split("; ")]
                if not all(old):
                    raise InputError(
                        f"{source}: covers {word!r} is not a valid coverage.",
                        "It is scores, differences or pairs, as plan wrote it.",
                    )
                found.append(cls.of_pairs(*((m[1], m[2]) for m in old if m)))
        # rows of a plan for scores are among those of a narrower one that was added to it, and the file says both
        narrow = [c for c in found if not c.scores] or found or [cls()]
        out = narrow[0]
        for other in narrow[1:]:
            out = out.with_other(other)
        return out


EVERYTHING = Coverage()


def _pairs(text: str, source: str) -> list[Pair]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if isinstance(read, list) and all(isinstance(p, list) and len(p) == 2 and all(map(str, p)) for p in read):
        return [(str(a), str(b)) for a, b in read]
    raise InputError(
        f"{source}: pairs {text!r} is not a valid list of pairs.",
        'It is a JSON list such as [["A", "B"]], as plan wrote it.',
    )
