"""Trials of the court where the input is nonsense: a refusal, or a warning that says why.

Sixteen kinds. Judges that are coins, constant, copies of another, reversed, on another scale, shifted by one row.
Audits that are copies of the judge, coins, reversed, shifted by one row, cut in half, with a made-up probability.
Copies of systems, a run cut at 10, means instead of topics, labels of another collection. Each is given to the verbs
that a user would give it to.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from dissensus.errors import DissensusError, DissensusWarning
from dissensus.inference.comparison.api import compare
from dissensus.inference.correction.api import correct
from dissensus.inference.planning.api import plan
from dissensus.judging.agreement.api import agreement
from dissensus.judging.checking import check
from dissensus.judging.merging.api import merge
from dissensus.judging.replaceability import replaceability
from dissensus.measures.evaluate import evaluate
from dissensus.reporting.judge_card import CardSettings, judge_card
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.tables.audit import Audit
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.work.seeds import generator

MEASURE = "P(rel=2)@10"
PEOPLE = ("p1", "p2", "p3")


@dataclass(frozen=True)
class World:
    """Runs, a table of all labels (topic, doc, assessor, grade), and an honest audit with its frame."""

    runs: Runs
    labels: pl.DataFrame
    sample: pl.DataFrame
    everyone: pl.DataFrame

    @classmethod
    def of(cls, given: GoldStandard, seed: int = 0) -> World:
        """The judges of a gold standard, three people who err a little, and a planned audit of 200 documents."""
        rng = generator(seed)
        frame = given.judgments.to_frame().select("topic", "doc", "assessor", pl.col("grade").cast(pl.Int64))
        gold = frame.filter(assessor=given.gold)
        people = []
        for name in PEOPLE:
            grade = gold["grade"].to_numpy()
            err = rng.random(len(grade)) < 0.2
            own = np.where(err, rng.integers(0, 4, len(grade)), grade)
            people.append(gold.with_columns(assessor=pl.lit(name), grade=pl.Series(own)))
        labels = pl.concat([frame, *people])
        judge = given.others()[0]
        drawn = plan(given.runs, given.judgments.select(assessors=[judge]), budget=200, measures=MEASURE, seed=seed)
        sample = drawn.sample.select("topic", "doc", "inclusion").join(gold, on=["topic", "doc"], how="inner")
        return cls(given.runs, labels, sample.select("topic", "doc", "grade", "inclusion"), drawn.everyone)

    def judgments(self, *names: str) -> Judgments:
        """The labels of some, on a scale that is read off them."""
        kept = self.labels.filter(pl.col("assessor").is_in(names)) if names else self.labels
        return Judgments.from_frame(kept.with_columns(pl.col("grade").cast(pl.String)))

    def audit(self) -> Audit:
        """The audit as it would be read, with its frame."""
        rows = self.sample.with_columns(pl.col("grade").cast(pl.String))
        return Audit.from_frame(rows, everyone=self.everyone, scale="0..3")

    def with_judge(self, name: str, change: Callable[[np.ndarray[Any, Any]], Any], of: str = "fair") -> World:
        """The same with a judge more: another one's grades, changed."""
        own = self.labels.filter(assessor=of)
        new = own.with_columns(assessor=pl.lit(name), grade=pl.Series(np.asarray(change(own["grade"].to_numpy()))))
        return replace(self, labels=pl.concat([self.labels, new], how="vertical_relaxed"))

    def with_audit(self, change: Callable[[pl.DataFrame], pl.DataFrame]) -> World:
        """The same with other rows in the audit's file."""
        return replace(self, sample=change(self.sample))


@dataclass(frozen=True)
class Answer:
    """What a verb said of nonsense: "refused", "warned" (the cause is named), "no verdict", or "verdict"."""

    nonsense: str
    verb: str
    answer: str
    said: str


def trials_of_nonsense(given: GoldStandard, seed: int = 0) -> list[Answer]:
    """Every kind of nonsense, given to the verbs that it could fool."""
    world = World.of(given, seed)
    rng = generator(seed, 1)
    out = []
    for kind, make in _kinds(world, rng).items():
        for verb, (ask, cause) in make.items():
            out.append(_answer(kind, verb, ask, cause))
    return out


def _answer(kind: str, verb: str, ask: Callable[[], list[str]], cause: str) -> Answer:
    """Ask, and find the cause among what was said."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", DissensusWarning)
        try:
            said = ask()
        except DissensusError as error:
            return Answer(kind, verb, "refused", str(error.what))
    lines = [*said, *(str(w.message) for w in raised)]
    found = [line for line in lines if cause in line]
    return Answer(kind, verb, "warned" if found else "verdict", found[0] if found else " ".join(lines)[:200])


Asked = Mapping[str, tuple[Callable[[], list[str]], str]]


def _kinds(w: World, rng: np.random.Generator) -> dict[str, Asked]:
    gold = w.labels.filter(assessor="gold")["grade"].to_numpy()
    n = len(gold)
    judged = w.labels.filter(assessor="fair").select("topic", "doc", "grade")

    def grades(new: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Callable[[pl.DataFrame], pl.DataFrame]:
        return lambda rows: rows.with_columns(grade=pl.Series(new(rows["grade"].to_numpy())))

    def copied(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.drop("grade").join(judged, on=["topic", "doc"]).select(rows.columns)

    def audited(change: Callable[[pl.DataFrame], pl.DataFrame], cause: str) -> Asked:
        return {"correct": (lambda: _corrected(w.with_audit(change)), cause)}

    def carded(world: World, judge: str) -> tuple[Callable[[], list[str]], str]:
        return (lambda: _certificate(world, judge)), "No replaceability test"

    coin = w.with_judge("odd", lambda g: rng.integers(0, 4, n))
    constant = w.with_judge("odd", lambda g: np.ones_like(g))
    copy = w.with_judge("odd", lambda g: g)
    turned = w.with_judge("odd", lambda g: 3 - g)
    other = w.with_judge("odd", lambda g: (g >= 2).astype(np.int64))
    shifted = w.with_judge("odd", lambda g: np.roll(g, 1))
    twice = Runs.from_frame(_with_copy(w.runs))
    short = Runs.from_frame(_cut(w.runs))
    return {
        "judge: a coin": {"judges": carded(coin, "odd")},
        "judge: constant": {
            "judges": carded(constant, "odd"),
            "check": (lambda: _checked(constant), "the grade 1"),
        },
        "judge: a copy": {
            "agree": (lambda: list(agreement(copy.judgments("fair", "odd", "generous")).notes), "same grade"),
            "merge": (lambda: list(merge(copy.judgments("fair", "odd", "generous")).notes), "same grade"),
            "check": (lambda: _checked(copy), "same grade"),
        },
        "judge: reversed": {
            "judges": carded(turned, "odd"),
            "correct": (lambda: _corrected(turned, "odd"), "reversed"),
        },
        "judge: another scale": {
            "evaluate": (lambda: [str(evaluate(w.runs, other.judgments(), MEASURE))], "scales"),
            "agree": (lambda: [str(agreement(other.judgments()))], "scales"),
            "merge": (lambda: [str(merge(other.judgments()))], "scales"),
            "judges": (lambda: _certificate(other, "odd"), "scales"),
            "replaceability": (lambda: [str(replaceability(other.judgments(), "odd", PEOPLE))], "scales"),
        },
        "judge: shifted by one row": {"judges": carded(shifted, "odd")},
        "audit: a copy of the judge": audited(copied, "copy"),
        "audit: a coin": audited(grades(lambda g: rng.integers(0, 4, len(g))), "agree with none"),
        "audit: reversed": audited(grades(lambda g: 3 - g), "reversed"),
        "audit: shifted by one row": audited(grades(lambda g: np.roll(g, 1)), "shifted"),
        "audit: cut in half": audited(lambda rows: rows.head(rows.height // 2), "fewer than chance"),
        "audit: a made-up probability": {
            "correct": (lambda: _without_frame(w, 0.02), "more than chance"),
        },
        "a copy of a system": {
            "correct": (lambda: _corrected(replace(w, runs=twice)), "identical rankings"),
            "check": (lambda: [f.what for f in check(twice).findings], "identical rankings"),
        },
        "a run cut at 10": {
            "compare": (lambda: _compared(short, w), "different depths"),
        },
        "means instead of topics": {
            "compare": (lambda: [str(compare(_means(w), "AP"))], "topic"),
        },
        "labels of another collection": {
            "evaluate": (lambda: [str(evaluate(w.runs, _elsewhere(w), MEASURE))], "documents"),
        },
    }


# ── what is asked ────────────────────────────────────────────────────────────────────────────────────────────────────
def _corrected(world: World, judge: str = "fair") -> list[str]:
    labels = world.judgments("fair", "generous", *PEOPLE, *(["odd"] if judge == "odd" else []))
    found = correct(world.runs, labels, world.audit(), [MEASURE], assessor=judge)
    return [f.sentence for each in found.diagnosis.values() for f in each if f.worry or f.judge or f.name == "copies"]


def _without_frame(world: World, inclusion: float) -> list[str]:
    rows = world.sample.with_columns(pl.col("grade").cast(pl.String), inclusion=pl.lit(inclusion))
    labels = world.judgments("fair", "generous")
    found = correct(world.runs, labels, Audit.from_frame(rows, scale="0..3"), [MEASURE], assessor="fair")
    return [f.sentence for each in found.diagnosis.values() for f in each if f.worry]


def _certificate(world: World, judge: str) -> list[str]:
    settings = CardSettings(humans=PEOPLE)
    card = judge_card(world.judgments(judge, "gold", *PEOPLE), judge, "gold", settings=settings)
    lines = card.sentences()
    if card.replaceability is not None and not card.replaceability.passes:
        lines.append("No replaceability test was passed.")
    return lines


def _checked(world: World) -> list[str]:
    return [f.what for f in check(judgments=world.judgments()).findings]


def _compared(runs: Runs, world: World) -> list[str]:
    scores = evaluate(runs, world.judgments("fair"), "AP")
    return [*compare(scores, "AP").notes, *map(str, scores.attrs.get("notes", ())), str(scores.attrs.get("footer", ""))]


# ── what is given ────────────────────────────────────────────────────────────────────────────────────────────────────
def _with_copy(runs: Runs) -> pl.DataFrame:
    frame = runs.to_frame()
    first = frame.filter(system=runs.systems[0])
    return pl.concat([frame, first.with_columns(system=pl.lit("again"))])


def _cut(runs: Runs) -> pl.DataFrame:
    """The first system again, its rankings cut at ten."""
    first = runs.select(systems=[runs.systems[0]]).to_frame()
    short = first.with_columns(
        rank=pl.col("score").rank("ordinal", descending=True).over("topic"), system=pl.lit("short")
    )
    return pl.concat([runs.to_frame(), short.filter(pl.col("rank") <= 10).drop("rank")])


def _means(world: World) -> Any:
    scores = evaluate(world.runs, world.judgments("fair"), "AP")
    return scores.isel(topic=slice(0, 1))


def _elsewhere(world: World) -> Judgments:
    rows = world.labels.filter(assessor="fair").with_columns(pl.lit("x").add(pl.col("doc")).alias("doc"))
    return Judgments.from_frame(rows.with_columns(pl.col("grade").cast(pl.String)))
