"""How comparisons are shown on a terminal: the outcome first, then ranks or pairs, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from dissensus.inference.comparison.pair_diagnosis import diagnosis_lines
from dissensus.inference.comparison.ranks import claim
from dissensus.reporting.paper_tables import paper_comparison
from dissensus.windows.files import for_paper
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.cli.inputs.options import Output
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.comparison.outcome import Outcome
    from dissensus.inference.comparison.pair_diagnosis import PairDiagnosis

FEW = 6  # pairs that are listed without being asked for
RANKED = 15  # systems in the table of ranks
NAMED = 5  # claims and groups of a measure
FOOTING = 3  # notes below a table, at least


def show(
    result: Differences,
    notes: Sequence[str],
    shown: Output,
    *,
    everything: bool = False,
    diagnosis: Sequence[PairDiagnosis] = (),
    pooled: Differences | None = None,
) -> None:
    """Print the outcome, or write the pairs to a file; JSON holds the outcome, pairs, claims, ranks and diagnosis."""
    table, beyond = (result.to_frame(), []) if pooled is None else _with_pooled(result, pooled)
    claims = result.claims
    facts: dict[str, Any] = {
        **outcome_facts(result.outcomes.values()),
        "groups": result.groups,
        "ranks": result.ranks().to_dicts(),
        "family": result.family,
        "verdicts": [f"{d.measure}: {d.verdict}" for d in result.pairs],
        "probably": beyond,
        "diagnosis": [d.row() for d in diagnosis],
    }
    remarks = result.outcome.remarks if result.baseline is None and shown.on_terminal else ()
    few = len(result.pairs) <= FEW
    verdicts = [f"{d.measure}: {d.verdict}" for d in result.pairs] if few or everything else []
    rest = [*beyond, *_lines(result, diagnosis, everything), *notes[:-1]]
    lines = [*verdicts, *remarks, *notes[-1:], *rest]
    if for_paper(shown.output) and not shown.json and not everything:
        shown.show(paper_comparison(result, notes[-1] if notes else ""))
        return
    if not shown.on_terminal:
        shown.emit(table, title="Differences between systems", footer=lines, facts=facts, claims=claims)
        return
    tables: dict[str, pl.DataFrame] = {}
    if result.baseline is None and not few:
        ranks = result.ranks()
        tables["ranks"] = ranks if everything else ranks.group_by("measure", maintain_order=True).head(RANKED)
        if tables["ranks"].height < ranks.height:
            lines.insert(0, f"the first {RANKED} of {counted(_systems(ranks), 'system')}; --all lists all")
    if few or everything or result.baseline is not None:
        pairs = table.drop("verdict", "adjusted", "method")
        tables["pairs"] = pairs if few or everything else pairs.head(RANKED)
    if everything and diagnosis:
        tables["diagnosis"] = pl.DataFrame([d.row() for d in diagnosis])
    shown.emit(tables, footer=lines, claims=claims, few=len(verdicts) + max(len(remarks) + 1, FOOTING))


def outcome_facts(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """The outcome by the first measure, and those by all, for JSON."""
    made = {o.measure: o.to_dict() for o in outcomes}
    return {"outcome": next(iter(made.values()), None), "outcomes": made}


def _with_pooled(result: Differences, pooled: Differences) -> tuple[pl.DataFrame, list[str]]:
    """(the table with pooled differences, pairs that only the pooled model tells apart)."""
    both = list(zip(result.pairs, pooled.pairs, strict=True))
    table = result.to_frame().with_columns(
        pooled=pl.Series([p.difference for _, p in both], dtype=pl.Float64),
        pooled_low=pl.Series([p.interval[0] for _, p in both], dtype=pl.Float64),
        pooled_high=pl.Series([p.interval[1] for _, p in both], dtype=pl.Float64),
        claim=pl.Series(_kinds(result, both)),
    )
    found = [c for o in result.outcomes.values() for c in o.probable_pairs] if result.baseline is None else []
    return table, [f"{c.measure}: {c} (pooled)" for c in found]


def _kinds(result: Differences, both: Sequence[tuple[Difference, Difference]]) -> list[str]:
    """What is claimed of every pair: better, probably, undecided …; the pooled model adds "probably"."""
    if result.baseline is not None:
        return ["probably" if p.significant and not d.significant else d.claim.kind for d, p in both]
    claims = [c for o in result.outcomes.values() for c in o.probable_pairs]
    probable = {(c.measure, frozenset(c.systems + c.others)) for c in claims}
    return [
        "probably" if (d.measure, frozenset((d.a, d.b))) in probable and not d.significant else d.claim.kind
        for d, _ in both
    ]


def _systems(ranks: pl.DataFrame) -> int:
    return ranks["system"].n_unique()


def _lines(result: Differences, diagnosis: Sequence[PairDiagnosis], everything: bool) -> list[str]:
    """Groups, what the rank sets promise, the family, the diagnosis."""
    out: list[str] = []
    for measure, groups in result.groups.items():
        if not groups or (len(groups) == 1 and len(result.pairs) == 1):
            continue
        named = groups if everything else groups[:NAMED]
        more = f" | … and {len(groups) - len(named)} more groups" if len(named) < len(groups) else ""
        out.append(f"{measure}, undecided: " + " | ".join(", ".join(g) for g in named) + more)
    out += _adjacent(result)
    if result.baseline is None and (promise := claim(result.pairs)):
        out.append(promise)
    return [
        *out,
        f"family: {result.family}",
        *diagnosis_lines(diagnosis, everything, "--all lists them"),
        *result.notes,
    ]


def _adjacent(result: Differences) -> list[str]:
    """How many neighbours on the leaderboard are undecided, where there are enough of them to ask."""
    if result.baseline is not None:
        return []
    out = []
    for measure, found in result.outcomes.items():
        order = found.order
        pairs = [d for d in result.pairs if d.measure == measure]
        settled = {frozenset((d.a, d.b)) for d in pairs if d.significant or d.claim.kind in ("equal", "within")}
        open_pairs = sum(frozenset(pair) not in settled for pair in pairwise(order))
        if len(order) > 3:
            out.append(f"{measure}: {open_pairs} of {len(order) - 1} neighbours in the order are undecided")
    return out
