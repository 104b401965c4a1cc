"""What a multiverse found: tables, and the sentences that they allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.inference.multiverse.audited import SENTENCE, Spread
from dissensus.inference.multiverse.tables import Universe, named
from dissensus.judging.agreement.effective import Effective
from dissensus.results import Result, Table, Tables
from dissensus.wording import counted

if TYPE_CHECKING:
    import polars as pl


MEANINGS = {
    "systems": "systems with the highest score, or number of systems of the team",
    "tied": "how many systems share the highest score",
    "judges": "judges, or how many of them",
    "share": "share of the judges",
    "a": "system that is better under most judges",
    "b": "the other system",
    "better": "number of judges under which a is shown better",
    "undecided": "number of judges under which neither is shown better",
    "reversed": "number of judges under which b is shown better",
    "difference": "score of a minus score of b, or what a team's own judge adds to its systems",
    "winners": "systems with the highest score under this judge",
    "could_be_best": "number of systems to which none is shown better under this judge",
    "group": "number of the group of judges that order systems alike",
    "tau_corrected": "tau with gold's order, for topics like these",
    "tau_low_systems": "lower end of tau's interval for topics and systems like these",
    "tau_high_systems": "upper end of tau's interval for topics and systems like these",
    "tau_ap_corrected": "tau_ap with gold's order, for topics like these",
    "rbo_corrected": "rank-biased overlap with gold's order, for topics like these",
    "top_k": "share of the first k systems that gold has there, too",
    "top_k_corrected": "share of the first k in common, for topics like these",
    "may_be_best": "whether no other judge is shown to be nearer to gold",
    "source": "what varies",
    "variance": "variance of scores from this source, 0 where the estimate is below",
    "estimate": "estimate of the variance, which chance may put below 0",
    "place": "place in the order",
    "tau_b": "Kendall's tau that forgives ties",
    "size": "number of judges in the group",
    "height": "1 minus tau_b at which a judge alone would join",
    "jump": "by how much that height exceeds the one before",
    "claim": "what is shown under this judge: a is better, reversed, or undecided",
    "team": "team of the judge",
    "against": "whom the judge is compared with",
    "before": "standard deviation of the score over judges, uncorrected",
    "after": "standard deviation of the score over judges, corrected by the audit",
}
PAIRS_OF_JUDGES = {
    "a": "first judge",
    "b": "second judge",
    "difference": "corrected tau of a minus that of b, on the same resampled topics",
    "p": "p-value of the difference, not adjusted",
}
FIRST = ("winners", "claims", "judges", "components", "panel", "teams", "spread")  # tables of the first screen
FURTHER = (
    "tied",
    "group",
    "tau_low_systems",
    "tau_high_systems",
    "tau_ap",
    "rbo",
    "top_k",
)  # columns that are not on it
MOST = 0.9  # share of judges from which a claim holds mostly


@dataclass(frozen=True, eq=False)
class Multiverse(Result):
    """Many judges' conclusions side by side.

    `frames` holds the tables by name: `winners`, `claims`, `judges`, `components`, `panel`, `groups`, `curve`, and
    with gold, teams or an audit `judge_pairs`, `teams`, `spread`. `universes` are the arrays behind them.
    """

    frames: dict[str, pl.DataFrame]
    measures: tuple[str, ...]
    judges: int
    topics: int
    gold: str | None
    remarks: tuple[str, ...]
    universes: tuple[Universe, ...]
    effective: Effective | None
    spreads: dict[str, Spread] | None
    level: float
    seed: int

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        out = {}
        for name, frame in self.frames.items():
            own = {**MEANINGS, **(PAIRS_OF_JUDGES if name == "judge_pairs" else {})}
            out[name] = Table.of(frame, own, rest="level of the factor {name}", level=self.level)
        return out

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"The same systems under {self.judges} judges, {self.topics} topics"

    def universe(self, measure: str | None = None) -> Universe:
        """The arrays of one measure, the first without a name."""
        return next(u for u in self.universes if measure in (None, u.measure))

    def sentences(self) -> list[str]:
        """What may be said, measure by measure."""
        return [line for u in self.universes for line in self._of(u)]

    def _of(self, u: Universe) -> list[str]:
        lines = [f"{u.measure}: {line}" for line in (_winners(u), _claims(u), _source(u, self.topics), self._panel(u))]
        if u.against is not None:
            lines.append(f"{u.measure}: {_gold(u, self.gold or 'gold')}")
        found = (self.spreads or {}).get(u.measure)
        if found is not None:
            lines += [f"{u.measure}: {_spread(found)}", SENTENCE]
        return lines

    def _panel(self, u: Universe) -> str:
        chosen, reached = u.panel
        who = named([u.judges[j] for j in chosen])
        does = "alone orders" if len(chosen) == 1 else "together order"
        text = f"{who} {does} the systems nearly as all {len(u.judges)} judges do (τ_b = {reached[-1]:.2f})."
        if self.effective is not None and np.isfinite(self.effective.number):
            most = "at most " if self.effective.kind == "upper bound" else ""
            text += f" All of them count as {most}{self.effective.number:.1f} judges with independent errors."
        return text

    @property
    def claims(self) -> list[str]:
        """What may be said, measure by measure."""
        return self.sentences()

    def screen(self, whole: bool = False) -> Result:
        """What holds, the judges with their τ, what drives them and who stands for all; everything where `whole`."""
        if whole:
            return self
        tables = self.tables
        shown = {name: tables[name] for name in FIRST if name in tables}
        frame = self.frames["judges"]
        shown["judges"] = Table.of(
            frame.select(c for c in frame.columns if not c.startswith(FURTHER)), MEANINGS,
            rest="level of the factor {name}", level=self.level,
        )  # fmt: skip
        return Tables(shown, self.title, self.notes, claims=self.claims)

    @property
    def notes(self) -> list[str]:
        """What the numbers rest on."""
        same = {" = ".join(group): None for u in self.universes for group in u.copies}
        copies = [f"systems that score the same under every judge count as one: {'; '.join(same)}"] if same else []
        below = [
            f"{u.measure}: estimated below 0 and shown as 0: {', '.join(k for k, v in parts.items() if v < 0)}"
            for u in self.universes
            for parts in [{**u.components, **(u.split[2] if u.split else {})}]
            if min(parts.values()) < 0
        ]
        blocks = [
            f"{u.split[0][0]} and {u.split[0][1]}: on {u.split[1][0]} × {u.split[1][1]} judges, where all combinations "
            "are there"
            for u in self.universes[:1]
            if u.split is not None
        ]
        failed = [
            f"{s.measure}: {len(s.failed)} judges could not be corrected: {named(s.failed)}"
            for s in (self.spreads or {}).values()
            if s.failed
        ]
        thin = [
            f"{s.measure}: too little audited for a corrected score of {named(s.unscored)}: not in the spread"
            for s in (self.spreads or {}).values()
            if s.unscored
        ]
        return [*copies, *below, *blocks, *failed, *thin, *self.remarks]


def _winners(u: Universe) -> str:
    sets = u.winner_sets()
    n = len(u.judges)
    if len(sets) == 1:
        best = sets[0][0]
        return f"under all of these {n} judges {named(best)} {'has' if len(best) == 1 else 'have'} the highest score."
    alone = [(s[0], k) for s, k in sets if len(s) == 1]
    tied = sum(k for s, k in sets if len(s) > 1)
    said = ", ".join(f"{s} under {k}" for s, k in alone[:2])
    more = f", {counted(len(alone) - 2, 'other')} under {sum(k for _, k in alone[2:])}" if len(alone) > 2 else ""
    ties = f" {tied} {'judge ties' if tied == 1 else 'judges tie'} several." if tied else ""
    if not alone:
        return f"none of these {n} judges has one system with the highest score.{ties}"
    have = "different systems have" if len(alone) > 1 else "system has"
    return f"{len(alone)} {have} the highest score under one or more of these {n} judges: {said}{more}.{ties}"


def _claims(u: Universe) -> str:
    c = u.claims
    up, down = (c.sign > 0).sum(axis=0), (c.sign < 0).sum(axis=0)
    pairs = len(c.a)
    everywhere, mostly = (int((np.maximum(up, down) >= share * len(u.judges)).sum()) for share in (1, MOST))
    flips = int(((up > 0) & (down > 0)).sum())
    swaps = int(((c.difference > 0).any(axis=0) & (c.difference < 0).any(axis=0)).sum())
    return (
        f"all judges show the same system better in {everywhere:,} of {counted(pairs, 'pair')} of systems, nine in ten "
        f"judges in {mostly:,}. In {flips:,} some judges show one better, some the other. "
        f"In {swaps:,} scores change their order."
    )


def _source(u: Universe, topics: int) -> str:
    judge, topic = max(u.components["system × judge"], 0.0), max(u.components["system × topic"], 0.0) / topics
    if topic <= 0 or judge <= 0:
        which = "judge" if judge > topic else "topics"
        return f"what moves a system's mean is the choice of the {which}; the other component is 0."
    ratio = f"{judge / topic:.1f} times" if judge >= topic else f"1/{topic / judge:.1f} of"
    return (
        f"the choice of one judge moves a system's mean by a variance of {judge:.2g}, the choice of these {topics} "
        f"topics by {topic:.2g}. The judge's part is {ratio} the topics' part."
    )


def _gold(u: Universe, gold: str) -> str:
    assert u.against is not None
    tau = u.against.ends[:, 0, 1]
    best = [u.judges[j] for j in np.argsort(-tau, kind="stable") if u.against.best[j]]
    top = int(tau.argmax())
    _, corrected, low, high = u.against.ends[top, 0].tolist()
    return (
        f"τ with {gold}, corrected for the noise of topics, is {corrected:.2f} [{low:.2f}, {high:.2f}] for "
        f"{u.judges[top]} and {tau.min():.2f} for the worst judge. {len(best)} of {len(u.judges)} could be the best "
        f"judge: {named(best)}."
    )


def _spread(found: Spread) -> str:
    before, after = (float(np.sqrt((x**2).mean())) for x in found.sd)
    first, then = (len(set(w)) for w in found.winners())
    return (
        f"one audit of {found.labels:,} labels corrects {len(found.judges)} judges. The standard deviation of a "
        f"system's score over judges goes from {before:.3f} to {after:.3f}, the number of systems with the highest "
        f"score under some judge from {first} to {then}."
    )
