"""A judge's card: all parts where the data allow them, and the reason where they do not."""

from __future__ import annotations

from pathlib import Path

import judged_systems as world
import numpy as np
import polars as pl
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.reporting.judge_card import CardSettings, judge_card
from dissensus.reporting.judge_table import _lacking
from dissensus.reporting.sections.judge_cards import write_cards
from dissensus.tables.audit import Audit


@pytest.fixture(scope="module")
def judged() -> tuple[ds.Runs, ds.Judgments]:
    """Gold, two humans, a judge in two versions; the new one favours the worst system."""
    rng = np.random.default_rng(1)
    truth = (rng.random((20, world.DOCS)) < 0.35).astype(int)
    runs, scores = world.systems(truth, rng, (0.6, 0.9, 1.3, 2.4))
    said = {"gold": truth, **{f"h{k}": world.with_errors(truth, rng, 0.85) for k in range(2)}}
    said["v1"] = world.with_errors(truth, rng, 0.9)
    said["v2"] = world.favouring(truth, rng, 0.97, scores["s3"])
    return runs, world.labels(said)


def test_every_part_is_there(judged: tuple[ds.Runs, ds.Judgments], tmp_path: Path) -> None:
    runs, labels = judged
    settings = CardSettings(humans=["h0", "h1"], old="v1", measure="P@10")
    card = judge_card(labels, "v2", "gold", runs=runs, settings=settings)
    assert card.missing == {}
    assert card.bias is not None
    assert phrase("report-judge-card.shown-by", "s3") in card.bias.found()
    assert card.order is not None
    assert card.order.table.height == 4
    assert card.order.tau < judge_card(labels, "v1", "gold", runs=runs, settings=settings).order.tau  # type: ignore[union-attr]
    assert card.drift is not None
    row = card.to_frame().row(0, named=True)
    assert row["judge"] == "v2"
    assert 0 < row["kappa"] < 1
    text = str(card)
    for piece in (
        phrase("report-judge-card.agrees-gold"),
        "ω",
        phrase("report-judge-card.too-generous"),
        phrase("report-judge-card.differs", "v1"),
        phrase("report-judge-card.another-order"),
    ):
        assert piece in text
    page = write_cards([card, judge_card(labels, "v1", "gold")], tmp_path / "cards.html").read_text()
    assert phrase("report-judge-card.all-judges") in page
    assert phrase("cli-judges.no-runs-given") in page
    assert "chart-judge0-bias" in page


def test_what_cannot_be_computed_says_why(judged: tuple[ds.Runs, ds.Judgments]) -> None:
    _, labels = judged
    two = labels.select(assessors=["gold", "v1"], topics=["t00", "t01"])
    card = judge_card(two, "v1", "gold")
    assert set(card.missing) == {
        phrase("report-judge-card.bias-table"),
        phrase("report-judge-card.replaceability-test"),
        phrase("report-judge-card.order-systems"),
    }
    assert card.order is None
    with refused(InputError, "judge='x'"):
        judge_card(two, "x", "gold")


def test_no_certificate_for_a_coin_nor_beside_gold_and_earlier_versions(judged: tuple[ds.Runs, ds.Judgments]) -> None:
    _, labels = judged
    rng = np.random.default_rng(9)
    n = len(labels.select(assessors=["gold"]))
    frame = labels.to_frame()
    coin = frame.filter(assessor="gold").with_columns(assessor=pl.lit("coin"), grade=pl.Series(rng.integers(0, 2, n)))
    both = ds.Judgments.from_frame(pl.concat([frame, coin], how="vertical_relaxed"), scale="0..1")
    settings = CardSettings(humans=["h0", "h1"])
    card = judge_card(both, "coin", "gold", settings=settings)
    assert card.replaceability is None
    assert card.kappa.low < 0 < card.kappa.high
    assert phrase("report-judge-card.by-chance") in card.missing["replaceability test"]
    assert judge_card(both, "v1", "gold", settings=settings).replaceability.passes  # type: ignore[union-attr]
    assert judge_card(both, "v1", "gold").replaceability is None  # nobody is named
    for humans, old in ((["gold", "h0"], None), (["v1", "h0"], None), (["v2", "h0"], "v2")):
        with refused(InputError, humans[0]):
            judge_card(both, "v1", "gold", settings=CardSettings(humans=humans, old=old))


def test_an_audit_counts_by_its_probabilities(judged: tuple[ds.Runs, ds.Judgments]) -> None:
    """Half of what the judge calls relevant is audited, and a tenth of the rest: unweighted, agreement is off."""
    _, labels = judged
    rng = np.random.default_rng(3)
    both = labels.select(assessors=["gold", "v1"]).to_frame().pivot("assessor", index=["topic", "doc"], values="grade")
    relevant = (both["v1"].cast(pl.String) == "1").to_numpy()
    pi = np.where(relevant, 0.5, 0.1)
    rows = both.with_columns(inclusion=pl.Series(pi)).filter(pl.Series(rng.random(both.height) < pi))
    audit = Audit.from_frame(rows.select("topic", "doc", pl.col("gold").alias("grade"), "inclusion"), scale="0..1")
    gold = labels.select(assessors=["gold"])
    whole = judge_card(labels, "v1", "gold")
    card = judge_card(labels, "v1", "gold", audit=audit)
    assert card.percent.low < float(whole.percent) < card.percent.high
    assert card.percent.n == rows.height
    assert card.audited
    census = judge_card(labels, "v1", "gold", audit=Audit(gold, np.ones(len(gold))))
    assert float(census.percent) == pytest.approx(float(whole.percent))
    assert float(census.kappa) == pytest.approx(float(whole.kappa))
    assert float(census.alpha) == pytest.approx(float(whole.alpha))


def test_each_reason_has_its_judges():
    """Two reasons were put into one line, with a stop and a semicolon between them."""
    first, second = _lacking("test", [("a", "short."), ("b", "long"), ("c", "short.")])
    assert first.endswith("a and c: short.")
    assert second.endswith("b: long.")
    many = _lacking("test", [(f"j{i}", f"reason {i}") for i in range(9)])
    assert len(many) == 5
    assert "5 more judges" in many[-1]
    assert "9 judges" in _lacking("test", [(f"j{i}", "it is short") for i in range(9)])[0]
