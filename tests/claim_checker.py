"""Sentences read back and recomputed from the numbers beside them, without any code of the library.

A study's pairs come from its JSON: a, b, difference, low, high, p_value. `false_sentences` returns those of the printed
sentences that the pairs do not support, and those that it cannot read: a new wording must be taught to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LEVEL = 0.95


class Pairs:
    """What the pairs of one measure show, where more is better."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], naive: Mapping[str, float] | None = None) -> None:
        self.rows = rows
        self.systems = sorted({s for r in rows for s in (r["a"], r["b"])})
        self.naive = naive or {}
        self.better: set[tuple[str, str]] = set()
        self.equal: set[frozenset[str]] = set()
        self.gap: dict[tuple[str, str], float] = {}
        for r in rows:
            d, low, high, p = (r[k] for k in ("difference", "low", "high", "p_value"))
            if d is None:
                continue
            self.gap[r["a"], r["b"]], self.gap[r["b"], r["a"]] = d, -d
            if d == 0 and low == 0 and high == 0:
                self.equal.add(frozenset((r["a"], r["b"])))
            elif p < 1 - LEVEL and (low is None or low > 0 or high < 0):
                self.better.add((r["a"], r["b"]) if d > 0 else (r["b"], r["a"]))

    def row(self, a: str, b: str) -> Mapping[str, Any] | None:
        return next((r for r in self.rows if {r["a"], r["b"]} == {a, b}), None)

    def identical(self, names: Sequence[str]) -> bool:
        return all(frozenset((x, y)) in self.equal for x in names for y in names if x != y)

    def open(self, a: str, b: str) -> bool:
        return (a, b) not in self.better and (b, a) not in self.better and (a, b) in self.gap


def listed(text: str) -> tuple[list[str], int]:
    """(names, how many more are not named)."""
    more = re.search(r" and (\d+) more$", text)
    text = text[: more.start()] if more else text
    return [n for part in text.split(", ") for n in part.split(" and ")], int(more[1]) if more else 0


def _all_better(pairs: Pairs, best: Iterable[str], worst: Iterable[str]) -> bool:
    worst = list(worst)
    return all((x, y) in pairs.better for x in best for y in worst)


def _names(text: str) -> list[str]:
    return listed(re.sub(r" or (?=[^ ]+$)", " and ", text))[0]


def _best_set(pairs: Pairs) -> set[str]:
    """Systems that no other one is better than."""
    return {s for s in pairs.systems if not any((x, s) in pairs.better for x in pairs.systems)}


def _best(pairs: Pairs, m: re.Match[str]) -> bool:
    names = _names(m["names"])
    gaps = [abs(pairs.gap[n, o]) for n in names for o in pairs.systems if o not in names and (n, o) in pairs.gap]
    sizes = m["least"] is None or not gaps
    if not sizes:
        printed = float(m["least"]), float(m["most"] or m["least"])
        sizes = all(abs(a - b) < 6e-3 for a, b in zip(printed, (min(gaps), max(gaps)), strict=True))
    return set(names) == _best_set(pairs) and pairs.identical(names) and int(m["n"]) == len(pairs.systems) and sizes


def _few(pairs: Pairs, m: re.Match[str]) -> bool:
    names = _names(m["names"])
    return set(names) == _best_set(pairs) and 1 < len(names) < len(pairs.systems)


def _many(pairs: Pairs, m: re.Match[str]) -> bool:
    names, more = listed(m["names"])
    best = _best_set(pairs)
    return set(names) <= best and len(names) + more == len(best) and 2 * len(best) < len(pairs.systems)


def _no_winner(pairs: Pairs, m: re.Match[str]) -> bool:
    best = _best_set(pairs)
    number = len(pairs.systems) if m["k"] is None else int(m["k"])
    return number == len(best) and int(m["n"]) == len(pairs.systems) and 2 * len(best) >= len(pairs.systems) >= 4


def _between(pairs: Pairs, m: re.Match[str]) -> bool:
    return set(_names(m["names"])) == set(pairs.systems) == _best_set(pairs)


def _identical(pairs: Pairs, m: re.Match[str]) -> bool:
    names, _ = listed(m["names"])
    return len(names) > 1 and pairs.identical(names)


def _naive_first(pairs: Pairs, names: Sequence[str]) -> bool:
    top = max(pairs.naive.values())
    return {s for s, v in pairs.naive.items() if abs(v - top) < 1e-9} == set(names)


def _refuted(pairs: Pairs, m: re.Match[str]) -> bool:
    names, (better, _) = listed(m["names"])[0], listed(m["better"])
    return _naive_first(pairs, names) and _all_better(pairs, better, names)


def _confirmed(pairs: Pairs, m: re.Match[str]) -> bool:
    names, _ = listed(m["names"])
    others = [s for s in pairs.systems if s not in names and not all(pairs.identical([s, n]) for n in names)]
    return _naive_first(pairs, names) and _all_better(pairs, names, others)


def _unsettled(pairs: Pairs, m: re.Match[str]) -> bool:
    names, _ = listed(m["names"])
    others = [s for s in pairs.systems if s not in names]
    refuted = any(all((o, n) in pairs.better for n in names) for o in others)
    shown = all((n, o) in pairs.better or frozenset((n, o)) in pairs.equal for n in names for o in others)
    return _naive_first(pairs, names) and not refuted and not shown


def _better(pairs: Pairs, m: re.Match[str]) -> bool:
    row = pairs.row(m["x"], m["y"])
    if row is None or (m["x"], m["y"]) not in pairs.better:
        return False
    turned = row["difference"] < 0
    ends = (-row["high"], -row["low"]) if turned else (row["low"], row["high"])
    printed = float(m["d"]), float(m["low"]), float(m["high"])
    return all(abs(a - b) < 6e-4 for a, b in zip(printed, (abs(row["difference"]), *ends), strict=True))


def _cannot_tell(pairs: Pairs, m: re.Match[str]) -> bool:
    return pairs.open(m["x"], m["y"]) and frozenset((m["x"], m["y"])) not in pairs.equal


def _side(sign: int) -> Any:
    def check(pairs: Pairs, m: re.Match[str]) -> bool:
        names, _ = listed(m["names"])
        base = m["base"]
        if sign == 0:
            return all(pairs.open(n, base) for n in names)
        return all(((n, base) if sign > 0 else (base, n)) in pairs.better for n in names)

    return check


_WHERE = r"(?: for topics like these| on (?:this topic|these [\d,]+ topics))?"
_AT = r"(?:, (?:for topics like these|on these [\d,]+ topics)\.)?"
_PREMISE = re.compile(r"If .+'s (?:labels|scores) are right: ")
RULES = [
    (rf"(?P<names>.+?)(?:, which are identical, are| is) the best of (?P<n>\d+){_WHERE}\. (?:It is|They are) better "
     r"than (?:the other|both others|all others)(?: \(by (?P<least>[\d.]+)(?: to (?P<most>[\d.]+))?\))?\.", _best),
    (rf"(?P<names>.+) is the best{_WHERE}\. The other (?:\w+ (?:is|are)) worse than at least one of them\.", _few),
    (rf"[Oo]ne of (?P<names>.+) is the best{_WHERE}\. Ruled out: .+\.", _many),
    (rf"[Nn]o winner yet{_WHERE}: (?:all|(?P<k>\d+) of) (?P<n>\d+) could still be the best\.(?: Ruled out: .+\.)?",
     _no_winner),
    (r"[Ii]dentical, the same score on every topic: (?P<names>.+)\.", _identical),
    (r"The judge alone would rank (?P<names>.+) first\. The experts refute that: (?P<better>.+) (?:is|are) better\.",
     _refuted),
    (r"The judge alone would rank (?P<names>.+) first\. The experts confirm it\.", _confirmed),
    (r"The judge alone would rank (?P<names>.+) first\. The experts leave it open\.", _unsettled),
    (rf"(?P<x>\S+) is better than (?P<y>\S+) by (?P<d>[\d.]+) \[(?P<low>-?[\d.]+), (?P<high>-?[\d.]+)\], p .*{_AT}",
     _better),
    (rf"[Uu]ndecided between (?P<x>\S+) and (?P<y>\S+){_WHERE} \(.*", _cannot_tell),
    (r"(?P<x>\S+) and (?P<y>\S+) are identical: the same score on every topic",
     lambda pairs, m: pairs.identical([m["x"], m["y"]])),
    (r"[Uu]ndecided between (?P<x>\S+) and (?P<y>\S+): .*", lambda pairs, m: (m["x"], m["y"]) not in pairs.gap),
    (rf"[Uu]ndecided between (?P<names>.+?){_WHERE}\.", _between),
    (r"Better than (?P<base>\S+): (?P<names>.+)\.", _side(1)),
    (r"Worse than (?P<base>\S+): (?P<names>.+)\.", _side(-1)),
    (r"Undecided against (?P<base>\S+): (?P<names>.+)\.", _side(0)),
    (r"There is one system, (?P<x>\S+): nothing to compare\.", lambda pairs, m: len(pairs.systems) <= 1),
]  # fmt: skip
NOT_CLAIMS = re.compile(
    r"(?:Take|take|Keep|keep) .*By this model .*|.* by a model that pools the systems\.|Undecided: no pair of .*|"
    r"The expected loss of the choice is .*|The best set .*|(?:For topics|On th).* the same holds\.|"
    r".* grade to .*|No favourite .*|.* of the grade scale.*|Whom the judge favours is not known.*"
)


def false_sentences(sentences: Iterable[str], pairs: Pairs) -> list[str]:
    """The sentences that the pairs do not support, or that no rule reads."""
    out = []
    for sentence in (_PREMISE.sub("", s) for s in sentences):
        if NOT_CLAIMS.fullmatch(sentence):
            continue
        for pattern, check in RULES:
            found = re.fullmatch(pattern, sentence)
            if found:
                if not check(pairs, found):
                    out.append(sentence)
                break
        else:
            out.append(sentence)
    return out


LIKELY = re.compile(
    r"(?P<x>\S+) is probably better than (?P<y>\S+) by (?P<d>[\d.]+) \[(?P<low>-?[\d.]+), (?P<high>-?[\d.]+)\].*"
)


def false_likely(sentences: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences about likely differences that the pooled numbers do not support, or that cannot be read.

    Likely is what pooling sets apart from 0 and the assumption-free difference does not.
    """
    out = []
    for sentence in sentences:
        m = LIKELY.fullmatch(sentence)
        row = next((r for r in rows if m and {r["a"], r["b"]} == {m["x"], m["y"]}), None)
        if m is None or row is None or row["p_value"] < 1 - LEVEL:
            out.append(sentence)
            continue
        sign = 1 if row["a"] == m["x"] else -1
        low, high = sorted((sign * row["pooled_low"], sign * row["pooled_high"]))
        printed = float(m["d"]), float(m["low"]), float(m["high"])
        near = all(abs(a - b) < 6e-4 for a, b in zip(printed, (sign * row["pooled"], low, high), strict=True))
        if not (near and low > 0):
            out.append(sentence)
    return out


def false_likely_heads(sentences: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Headlines about likely differences that the pooled intervals do not support."""
    pooled = {(r["a"], r["b"]): (r["pooled_low"], r["pooled_high"]) for r in rows}

    def ahead(x: str, y: str) -> bool:
        return pooled[x, y][0] > 0 if (x, y) in pooled else pooled[y, x][1] < 0

    out = []
    for sentence in sentences:
        where = r"(?: for topics like these| on these \d+ topics)"
        m = re.search(rf"^(?:\S+: )?(?P<x>.+) (?:is|are) probably better than (?P<y>.+?){where}, ", sentence)
        if m is None or not all(ahead(x, y) for x in listed(m["x"])[0] for y in listed(m["y"])[0]):
            out.append(sentence)
    return out
