"""The cards of judges as a page: an overview where there are several, then one section per judge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from dissensus.reporting.blocks import Block, ChartBlock, Paragraph, Section, TableBlock
from dissensus.reporting.charts.judges import DRAWN, bias_chart, confusion_map, order_chart
from dissensus.reporting.judge_card import JudgeCard
from dissensus.reporting.page import render
from dissensus.reporting.sections.judges import CONFUSION, confusion_table, unused_grades
from dissensus.reporting.sections.versions import drift_blocks
from dissensus.results import Table
from dissensus.work.atomic import atomic


def write_cards(cards: Sequence[JudgeCard], path: str | Path, subtitle: str = "") -> Path:
    """One page with a part for every judge."""
    with atomic(path) as file:
        file.write(render(headline(cards), sections(cards), subtitle=subtitle))
    return Path(path)


def headline(cards: Sequence[JudgeCard]) -> str:
    """What the page found, in one sentence."""
    if len(cards) == 1:
        return cards[0].headline
    known = [card for card in cards if math.isfinite(float(card.kappa))]
    if not known:
        return f"{len(cards)} judges against {cards[0].gold}"
    best = max(known, key=lambda card: float(card.kappa))
    return f"Of {len(cards)} judges, {best.judge} agrees most with {best.gold} (κ {float(best.kappa):.2f})."


def sections(cards: Sequence[JudgeCard]) -> list[Section]:
    """An overview and one section per judge."""
    built = [card_section(card, i) for i, card in enumerate(cards)]
    if len(cards) == 1:
        return built
    table = pl.concat([c.to_frame() for c in cards]).sort("kappa", descending=True, nulls_last=True)
    table = table.drop([c for c in table.columns if table[c].is_null().all()])
    text = f"{cards[0].gold} is the gold assessor. The judges by their agreement with it beyond chance:"
    overview = Section(
        "judges",
        "All judges",
        [
            Paragraph(text, "agreement", "answer"),
            TableBlock("all", cards[0].tables["judge"].showing(table), "Judges", "agreement"),
        ],
    )
    return [overview, *built]


def card_section(card: JudgeCard, number: int) -> Section:
    """Everything on one judge, the sentences first."""
    first, *rest = card.sentences()
    blocks: list[Block] = [Paragraph(first, "agreement", "answer")]
    absent = set(card.missing)
    blocks += [Paragraph(text, None, "text") for text in rest[: len(rest) - len(absent)]]
    frame, grades = confusion_table({card.judge: card.confusion}), list(card.confusion.scale.names)
    blocks.append(
        ChartBlock(
            "confusion", confusion_map(frame, grades, columns=1),
            f"What {card.judge} says where {card.gold} says a grade{unused_grades(frame, grades)}",
            f"Heat map: share of each label that {card.judge} gives, by the grade of {card.gold}.",
            "confusion", TableBlock("confusion", frame, "Confusion", "confusion", meanings=CONFUSION),
        )
    )  # fmt: skip
    blocks += [*_bias(card), *_replaceability(card), *_drift(card), *_order(card)]
    blocks += [Paragraph(text, None, "quiet") for text in rest[len(rest) - len(absent) :]]
    return Section(f"judge{number}", card.judge, blocks)


def _bias(card: JudgeCard) -> list[Block]:
    if card.bias is None:
        return []
    table = TableBlock("bias", card.bias.tables["bias"], "Bias table", "bias")
    if not card.bias.table["low"].is_not_nan().any():
        return [table]
    most = f", the {DRAWN} largest of {card.bias.table.height} features" if card.bias.table.height > DRAWN + 1 else ""
    return [
        ChartBlock(
            "bias", bias_chart(card.bias.table), f"Where {card.judge} is too generous or too strict{most}",
            "Points with 95% intervals: error of the judge that goes with each feature, documents of one gold grade "
            "compared.",
            "bias", table,
        )
    ]  # fmt: skip


def _replaceability(card: JudgeCard) -> list[Block]:
    blocks: list[Block] = []
    if card.replaceability is not None:
        people = card.replaceability.tables["assessors"]
        blocks.append(TableBlock("replace", people, "May it replace an assessor?", "replaceability"))
    if card.leaderboard is not None:
        caption = "May it replace an assessor for ordering systems?"
        blocks.append(TableBlock("leaderboard", card.leaderboard.tables["replaceability"], caption, "replaceability"))
    return blocks


def _drift(card: JudgeCard) -> list[Block]:
    return [] if card.drift is None else drift_blocks(card.drift, card.gold)


def _order(card: JudgeCard) -> list[Block]:
    if card.order is None:
        return []
    o = card.order
    table = Table.of(o.table, rest=f"mean {o.measure}, or rank, by {{name}}")
    return [
        ChartBlock(
            "order", order_chart(o.table, card.gold, card.judge, o.measure),
            f"Systems by {card.gold} and by {card.judge}: τ {o.tau:.2f}, τ_ap {o.tau_ap:.2f}",
            "Points: every system's mean score by gold and by the judge.",
            "tau", TableBlock("order", table, "Scores and ranks", "tau"),
        )
    ]  # fmt: skip
