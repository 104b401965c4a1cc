"""Cards of judges as sections."""

from __future__ import annotations

from functools import cache

import judged_systems as world
import numpy as np
from wording import phrase

import dissensus as ds
from dissensus.reporting.blocks import ChartBlock, Paragraph
from dissensus.reporting.judge_card import CardSettings, judge_card
from dissensus.reporting.sections.judge_cards import card_section, sections


@cache
def cards():
    rng = np.random.default_rng(1)
    truth = (rng.random((8, 20)) < 0.35).astype(int)
    runs, _ = world.systems(truth, rng, (0.6, 1.3, 2.4))
    said = {"gold": truth, "h0": world.with_errors(truth, rng, 0.85), "weak": world.with_errors(truth, rng, 0.6)}
    labels = world.labels(said)
    settings = CardSettings(measure="P@5")
    return judge_card(labels, "weak", "gold", runs=runs, settings=settings), judge_card(labels, "h0", "gold")


def test_several_judges_have_an_overview_by_agreement():
    overview, *each = sections(cards())
    table = overview.tables()[0].frame
    assert table["judge"].to_list() == ["h0", "weak"]
    assert table["kappa"].is_sorted(descending=True)
    assert [s.title for s in each] == ["weak", "h0"]
    assert [s.key for s in sections(cards()[:1])] == ["judge0"]


def test_a_card_draws_what_it_has_and_says_what_is_missing():
    full, bare = (card_section(c, i) for i, c in enumerate(cards()))
    assert {b.name for b in full.blocks if isinstance(b, ChartBlock)} >= {"confusion", "order"}
    assert [b.name for b in bare.blocks if isinstance(b, ChartBlock)] == ["confusion"]
    quiet = [b.text for b in bare.blocks if isinstance(b, Paragraph) and b.kind == "quiet"]
    assert len(quiet) == len(cards()[1].missing)
    assert any(phrase("cli-judges.no-runs-given") in text for text in quiet)


def test_the_order_of_systems_is_that_of_the_scores():
    card = cards()[0]
    table = next(t for t in card_section(card, 0).tables() if t.name == "order").frame
    tau = ds.stats.kendall_tau(table["gold"].to_numpy(), table["weak"].to_numpy())
    assert card.order.tau == tau
