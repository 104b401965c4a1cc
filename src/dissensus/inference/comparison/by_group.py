"""Does the order depend on the kind of topic? Systems compared within groups of topics, all groups adjusted together.

Within a group, scores by topic are compared by paired t intervals. They hold together over its pairs (max-t) and over
the groups (Bonferroni). So a wrong claim of a changed order is made in at most 5% of studies, however many pairs and
groups there are. Corrected scores are unbiased topic by topic, whatever the judge does in a group, and their spread has
the audit's noise in it. A pair has no answer in a group where too few topics have audited labels that separate it.

    >>> topics = [f"q{i}" for i in range(20)]
    >>> up = np.linspace(0.0, 0.1, 20)
    >>> sign = np.repeat([1.0, -1.0], 10)
    >>> found = by_group("P@5", ("A", "B"), np.stack([0.5 + 0.3 * sign + up, 0.5 + 0 * up]), topics,
    ...                  dict(zip(topics, ["short"] * 10 + ["long"] * 10)))
    >>> for line in found.lines:
    ...     print(line)
    In group short (10 topics) A is the best.
    In group long (10 topics) B is the best.
    A is better than B in group short, and worse in group long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from dissensus.arrays import Array, Floats
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.inference.comparison.claims import Claim, names
from dissensus.inference.comparison.engine import Family, adjusted, pairs_of, t_pairs
from dissensus.inference.correction.estimate import covariance_population, effective_number
from dissensus.measures.catalog import lower_is_better
from dissensus.wording import counted

FEWEST = 5  # topics of a group that is compared
FEWEST_AUDITED = 3.0  # effective topics with audited labels that separate a pair
NAMED = 5  # turned pairs in sentences


@dataclass(frozen=True)
class Group:
    """A group of topics, and the systems that none is shown to be better than in it."""

    name: str
    topics: int
    best: tuple[str, ...]


@dataclass(frozen=True)
class ByGroup:
    """What is concluded group by group: `turned` are pairs whose order is shown to differ between two groups."""

    groups: tuple[Group, ...]
    turned: tuple[Claim, ...]
    systems: int
    skipped: tuple[str, ...] = ()  # groups with too few topics
    without: int = 0  # topics without a group

    @property
    def lines(self) -> tuple[str, ...]:
        """The conclusion in sentences."""
        out = [self._line(g) for g in self.groups]
        out += [str(c) for c in self.turned[:NAMED]]
        if len(self.turned) > NAMED:
            out.append(f"{counted(len(self.turned) - NAMED, 'more pair')} changes its order between groups.")
        if not self.turned:
            out.append(f"No two systems are shown to change places between the {len(self.groups)} groups of topics.")
        if self.skipped:
            out.append(f"Groups with fewer than {FEWEST} topics are not compared: {names(self.skipped)}.")
        if self.without:
            out.append(f"{counted(self.without, 'topic')} without a group: left out of this.")
        return tuple(out)

    def _line(self, group: Group) -> str:
        start = f"In group {group.name} ({counted(group.topics, 'topic')})"
        if len(group.best) == 1:
            return f"{start} {group.best[0]} is the best."
        if 2 * len(group.best) >= self.systems and self.systems > 3:
            return f"{start} there is no winner: {len(group.best):,} of {self.systems:,} could be the best."
        return f"{start} {names(group.best, 'or')} could be the best."

    def to_dict(self) -> dict[str, object]:
        """The values for JSON, with their sentences."""
        return {
            "groups": [asdict(g) for g in self.groups],
            "turned": [c.to_dict() for c in self.turned],
            "lines": list(self.lines),
        }


def by_group(
    measure: str,
    systems: Sequence[str],
    scores: Floats,
    topics: Sequence[str],
    groups: Mapping[str, str],
    *,
    predicted: Floats | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ByGroup:
    """Compare the systems' scores (systems × topics) within each group; `predicted` are scores without audited labels.

    Topics on which some system has no score are left out.
    """
    named = np.array([groups.get(t, "") for t in topics])
    known = np.isfinite(scores).all(axis=0)
    order = list(dict.fromkeys(g for g in groups.values() if (named[known] == g).any()))
    kept = [g for g in order if (known & (named == g)).sum() >= FEWEST]
    if len(kept) < 2:
        raise InputError(
            f"{measure}: {counted(len(kept), 'group')} of at least {FEWEST} topics, and an order by group takes two.",
            Fix("Give groups of these topics with ", Option("by", None), "."),
        )
    families = [_family(measure, scores, known & (named == g), predicted) for g in kept]
    together = adjusted(families, "max-t", level, seed=seed)
    less = lower_is_better(measure)
    beats = []
    for f, one in zip(families, together, strict=True):
        wins = np.zeros((len(systems), len(systems)), bool)
        above, below = ((one.p < 1 - level) & side for side in (one.low > 0, one.high < 0))
        wins[f.a[above], f.b[above]] = wins[f.b[below], f.a[below]] = True
        beats.append(wins.T if less else wins)
    made = tuple(
        Group(
            g, int((known & (named == g)).sum()), tuple(systems[s] for s in np.flatnonzero(~wins.any(axis=0)).tolist())
        )
        for g, wins in zip(kept, beats, strict=True)
    )
    skipped = tuple(g for g in order if g not in kept)
    return ByGroup(
        made, _turned(measure, systems, kept, beats), len(systems), skipped, int((known & (named == "")).sum())
    )


def _family(measure: str, scores: Floats, here: Array, predicted: Floats | None) -> Family:
    """All pairs on the topics of a group; a pair that too few audited topics separate has no answer."""
    x = scores[:, here]
    pairs = pairs_of(len(x))
    family = t_pairs(measure, x.mean(axis=1), covariance_population(x), x.shape[1] - 1, pairs=pairs)
    if predicted is None:
        return family
    seen = x - predicted[:, here]
    telling = [seen[i] - seen[j] for i, j in zip(*pairs, strict=True)]
    unknown = np.array([not t.any() or effective_number(t) < FEWEST_AUDITED for t in telling]) & (family.se > 0)
    return replace(family, p=np.where(unknown, np.nan, family.p))


def _turned(measure: str, systems: Sequence[str], groups: Sequence[str], beats: Sequence[Array]) -> tuple[Claim, ...]:
    out = []
    for a in range(len(systems)):
        for b in range(len(systems)):
            up = next((g for g, wins in zip(groups, beats, strict=True) if wins[a, b]), None)
            down = next((g for g, wins in zip(groups, beats, strict=True) if wins[b, a]), None)
            if up is not None and down is not None and groups.index(up) < groups.index(down):
                out.append(Claim("turned", (systems[a],), (systems[b],), measure, rest=(up, down)))
    return tuple(out)


def groups_of(given: object) -> Mapping[str, str]:
    """{topic: group} from a mapping or a file."""
    from dissensus.tables.topic_groups import read_groups

    if isinstance(given, Mapping):
        return {str(t): str(g) for t, g in given.items()}
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return read_groups(given)
    raise InputError(Text(Option("by", given), " is neither a file nor a mapping of topics to groups."))
