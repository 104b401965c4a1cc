"""`multiverse`: does the conclusion survive the choice of judge?

The same runs, scored by many judges (LLMs × prompts, assessors, versions). Which claims hold under all of them, which
are reversed, which system has the highest score under how many, what drives the spread, which few judges stand for all.
With gold, also which judges order the systems as gold does. With an audit, also what correcting every judge by it does
to the spread.

Judges in such a set are no sample of judges. Shares are "of these 53 judges", never "of judges".
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.inference.multiverse.audited import audited
from dissensus.inference.multiverse.claims import claims_of, copies
from dissensus.inference.multiverse.result import Multiverse
from dissensus.inference.multiverse.tables import Universe, frames_of
from dissensus.io.options import ReadKeywords, ReadOptions, spelled_out
from dissensus.io.table import read_table
from dissensus.judging.agreement.effective import effective_number
from dissensus.judging.label_table import crowd_and_truth
from dissensus.judging.multiverse.against_gold import against_gold
from dissensus.judging.multiverse.components import components, largest_block, split
from dissensus.judging.multiverse.groups import groups_of, smallest_panel, tau_matrix
from dissensus.measures.catalog import lower_is_better, measure_list
from dissensus.measures.evaluate import Collection
from dissensus.measures.other_names import held
from dissensus.measures.policies import DEFAULT_MEASURE, Empty, Policies, Ties, Topics, Unjudged
from dissensus.measures.scores import ScoreArrays
from dissensus.tables.audit import Audit
from dissensus.tables.coercion import inputs
from dissensus.tables.columns import as_polars
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.judging.agreement.effective import Effective
    from dissensus.measures.measure import Measure

FEWEST = 0.5  # share of topics that a judge must have scored to stay


@spelled_out
def multiverse(
    runs: Runs | xr.Dataset,
    judgments: Judgments | None = None,
    measures: Sequence[str | Measure] | str | Measure = DEFAULT_MEASURE,
    factors: pl.DataFrame | str | Mapping[str, Mapping[str, str]] | None = None,
    gold: str | Judgments | None = None,
    audit: Audit | Judgments | None = None,
    *,
    teams: Mapping[str, str] | str | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    k: int = 5,
    seed: int = 0,
    topics: Topics = Policies.topics,
    unjudged: Unjudged = Policies.unjudged,
    ties: Ties = Policies.ties,
    empty: Empty = Policies.empty,
    **reading: Unpack[ReadKeywords],
) -> Multiverse:
    """Which conclusions hold under every one of many judges, and what drives those that do not.

    Parameters
    ----------
    runs
        The systems' rankings, or scores of several judges (`evaluate`, `read_scores`) without `judgments`.

    judgments
        Labels by two judges or more: wide or long tables, qrels of several files.

    measures
        A measure or several. The first gives the headline.

    factors
        What the judges are made of. A table with `judge` and one column per factor (llm, prompt), or its file, or
        `{judge: {factor: level}}`.

    gold
        The judge that is the truth, or its labels. It is no longer one of the judges.

    audit
        Gold labels of some documents. Every judge is corrected by them, and the spread before and after is shown.

    teams
        {system or judge: team}, or a file with `name` and `team`: does a team's own judge score its systems higher?

    replicates
        How often topics are resampled for intervals against gold. 0 gives none.

    level
        Level of claims and intervals, all pairs of systems together.

    k
        How many systems are the top.

    seed
        Seed of resamples and of the joint tests.

    topics, unjudged, ties, empty
        The policies of `evaluate`.

    Returns
    -------
    Multiverse
        `.universes` are the arrays behind it. Its tables, of which the last three need gold, teams or an audit:

        - `winners`: measure, systems, tied, judges, share
        - `claims`: measure, a, b, better, undecided, reversed, share, difference
        - `judges`: measure, judge, a column for each factor, winners, tied, could_be_best, group, tau, tau_corrected,
          tau_low, tau_high, tau_low_systems, tau_high_systems, tau_ap, tau_ap_corrected, tau_ap_low, tau_ap_high,
          rbo, rbo_corrected, rbo_low, rbo_high, top_k, top_k_corrected, top_k_low, top_k_high, may_be_best
        - `components`: measure, source, variance, estimate
        - `panel`: measure, place, judge, tau_b
        - `groups`: measure, group, size, judges, tau_b, height, jump
        - `curve`: measure, a, b, place, judge, difference, low, high, claim
        - `judge_pairs`: measure, a, b, difference, low, high, p
        - `teams`: measure, judge, team, systems, against, difference, low, high
        - `spread`: measure, system, before, after

    Examples
    --------
    >>> import dissensus as ds
    >>> docs = {f"d{i}": 9.0 - i for i in range(4)}
    >>> runs = {"up": {f"q{q}": docs for q in range(12)}, "down": {f"q{q}": {d: -s for d, s in docs.items()}
    ...         for q in range(12)}}
    >>> judges = {j: {f"q{q}": {d: int((i < 2) == (j != "odd")) for i, d in enumerate(docs)} for q in range(12)}
    ...           for j in ("llm-1", "llm-2", "odd")}
    >>> found = ds.multiverse(ds.Runs.from_dict(runs), ds.Judgments.from_dict(judges), "AP")
    >>> found.to_frame("winners").select("systems", "judges").rows()
    [('up', 2), ('down', 1)]
    """
    policies = Policies(topics, unjudged, ties, empty)
    given = {"judgments": judgments, "gold": gold, "audit": audit, **({} if judgments is None else {"runs": runs})}
    tables = {"runs": runs, **inputs(ReadOptions.of(**reading), **given)}
    gold, audit = tables["gold"], tables["audit"]
    table = _scored(tables["runs"], tables["judgments"], measures, gold, policies, seed)
    described, notes = factors_of(factors, table.judges)
    team = _teams(teams, (*table.judges, *table.systems))
    universes = []
    for name in table.values:
        universe = _universe(name, table, described, replicates=replicates, level=level, k=k, seed=seed)
        universes.append(universe)
    spreads = None
    if audit is not None:
        if table.runs is None or table.labels is None:
            raise InputError(
                "an audit corrects labels, and here are scores alone.", "Give runs and judgments instead of scores."
            )
        spreads = audited(table.runs, table.labels, audit, universes, policies, seed)
    return Multiverse(
        frames_of(universes, described, team, spreads, level),
        tuple(table.values),
        len(table.judges),
        len(table.topics),
        table.gold_name,
        (*table.notes, *notes),
        tuple(universes),
        table.effective,
        spreads,
        level,
        seed,
    )


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores judge × system × topic by measure (higher is better), gold's beside them, and where they came from."""

    judges: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: dict[str, Floats]
    gold: dict[str, Floats] | None
    gold_name: str | None
    runs: Runs | None
    labels: Judgments | None
    effective: Effective | None
    notes: tuple[str, ...]


def _scored(
    runs: Any, judgments: Any, measures: Any, gold: str | Judgments | None, policies: Policies, seed: int
) -> Scored:
    if judgments is None:
        if not hasattr(runs, "data_vars"):
            raise InputError(
                "there are no judgments.", "Give runs and judgments, or scores of several judges in place of both."
            )
        return _of_scores(ScoreArrays.of(runs), measures, gold, ())
    rankings, labels = runs, judgments
    wanted = measure_list(measures)
    name = gold if isinstance(gold, str) else None
    if isinstance(gold, Judgments):
        name, labels = _joined_gold(labels, gold)
    arrays = Collection(rankings, labels).checked(wanted, policies.topics, policies.unjudged, policies.ties,
                                                  policies.empty, seed=seed)  # fmt: skip
    found = _of_scores(arrays, [str(m) for m in wanted], name, ())
    others = labels.select(assessors=list(found.judges))
    return Scored(
        found.judges, found.systems, found.topics, found.values, found.gold, name, rankings, others,
        _effective(labels, others, name), (*found.notes, str(arrays.attrs["footer"])),
    )  # fmt: skip


def _joined_gold(labels: Judgments, gold: Judgments) -> tuple[str, Judgments]:
    """(gold's name, the judges' labels and gold's in one table)."""
    if len(gold.assessors) != 1:
        raise InputError(
            f"gold holds {len(gold.assessors)} assessors: {', '.join(gold.assessors[:5])}.", "Give one of them."
        )
    if gold.assessors[0] in labels.assessors:
        return gold.assessors[0], labels
    both = pl.concat([labels.to_frame(), gold.to_frame()])
    return gold.assessors[0], Judgments.from_frame(both, scale=labels.scale)


def _effective(labels: Judgments, judges: Judgments, gold: str | None) -> Effective:
    crowd, truth = crowd_and_truth(judges if gold is None else labels, gold, "unjudged")
    return effective_number(crowd.first(), truth)


def _of_scores(scores: ScoreArrays, measures: object, gold: object, notes: tuple[str, ...]) -> Scored:
    """Scores of all judges on the topics that all of them scored; judges with few topics are set aside, and said."""
    there = list(scores.values)
    asked = [measures] if isinstance(measures, str) or not isinstance(measures, Sequence) else list(measures)
    names = [held(there, str(m)) for m in asked]
    if names == [None] and asked == [DEFAULT_MEASURE]:
        names = list(there)
    if None in names:
        raise InputError(f"no scores of {asked[names.index(None)]}. There are {', '.join(there)}.")
    judges, systems, topics = scores.assessors, scores.systems, scores.topics
    if gold is not None and gold not in judges:
        raise InputError(f"gold={gold!r}: no judge has that name.", f"Judges: {', '.join(judges[:10])}")
    kept = np.array([j != gold for j in judges])
    if kept.sum() < 2 or len(systems) < 2:
        raise InputError(
            f"there are {int(kept.sum())} judges{' besides gold' if gold else ''} and {len(systems)} systems. "
            "A multiverse needs two of each at least.",
            "Give the labels of several judges, as one wide table or several files.",
        )
    arrays = {str(n): scores.values[str(n)] for n in names}
    usable = np.asarray(~np.isnan(np.concatenate(list(arrays.values()), axis=1)).any(axis=1))  # judge × topic
    few = kept & (usable.mean(axis=1) < FEWEST)
    kept &= ~few
    shared = usable[kept | np.array([j == gold for j in judges])].all(axis=0)
    if shared.sum() < 2 or kept.sum() < 2:
        raise InputError(
            f"{int(shared.sum())} topics are scored by all judges for all systems. At least two are needed.",
            "Leave out judges that scored few topics.",
        )
    said = [f"set aside, under half of the topics: {', '.join(np.array(judges)[few])}"] if few.any() else []
    if not shared.all():
        said.append(f"{int((~shared).sum()):,} of {len(topics):,} topics are left out: not every judge scored them")
    sign = {n: -1.0 if lower_is_better(n) else 1.0 for n in arrays}
    values = {n: sign[n] * x[kept][:, :, shared] for n, x in arrays.items()}
    truth = {n: sign[n] * x[judges.index(gold)][:, shared] for n, x in arrays.items()} if gold is not None else None
    return Scored(
        tuple(np.array(judges)[kept].tolist()), systems, tuple(np.array(topics)[shared].tolist()), values, truth, gold,
        None, None, None, (*notes, *said),
    )  # fmt: skip


def _universe(
    name: str, table: Scored, factors: dict[str, list[str]], *, replicates: int, level: float, k: int, seed: int
) -> Universe:
    """One measure's answer."""
    one_each, same = copies(table.values[name], table.systems)
    if len(one_each) < 2:
        raise InputError(f"by {name} all systems score the same under every judge. There is nothing to compare.")
    values = np.ascontiguousarray(table.values[name][:, one_each])
    systems = [table.systems[i] for i in one_each]
    boards = values.mean(axis=2)
    spread = components(values)
    block = largest_block(factors) if len(factors) > 1 else None
    parts = None if block is None else (block[0], block[1].shape, split(values, block[1], block[0]))
    truth = None if table.gold is None else table.gold[name][one_each]
    against = None
    if truth is not None and replicates > 1:
        against = against_gold(values, truth, replicates=replicates, k=min(k, len(systems)), seed=seed)
    return Universe(
        name, table.judges, tuple(systems), same, values, boards, truth, claims_of(values, level=level, seed=seed),
        spread, parts, groups_of(tau_matrix(boards)), smallest_panel(boards), against,
    )  # fmt: skip


def factors_of(given: object, judges: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """({factor: level of every judge}, notes) from a table, its file, or {judge: {factor: level}}."""
    if given is None:
        return {}, []
    rows = given if isinstance(given, Mapping) else _table(given, "factors", "judge")
    missing = [j for j in judges if j not in rows]
    if missing:
        raise InputError(
            f"factors has no row for {len(missing)} of {len(judges)} judges: {', '.join(missing[:5])}.",
            "Give every judge one row, its name in the column judge.",
        )
    names = list(dict.fromkeys(n for j in judges for n in rows[j]))
    found = {n: [str(rows[j].get(n, "")) for j in judges] for n in names}
    constant = [n for n, levels in found.items() if len(set(levels)) < 2]
    notes = [f"factors that are the same for all judges: {', '.join(constant)}"] if constant else []
    return {n: levels for n, levels in found.items() if n not in constant}, notes


def _teams(given: object, names: Sequence[str]) -> dict[str, str]:
    if given is None:
        return {}
    rows = given if isinstance(given, Mapping) else {n: r["team"] for n, r in _table(given, "teams", "name").items()}
    unknown = [n for n in rows if n not in names]
    if len(unknown) == len(rows):
        raise InputError(
            f"teams: none of {', '.join(list(rows)[:5])} is a system or a judge.", "Name systems and judges as here."
        )
    return {str(n): str(team) for n, team in rows.items()}


def _table(given: object, option: str, key: str) -> dict[str, dict[str, str]]:
    """{key: the other columns as text} of a frame or a file."""
    frame = read_table(Path(given)).frame if isinstance(given, str | os.PathLike) else as_polars(given, option)
    if key not in frame.columns or (option == "teams" and "team" not in frame.columns) or frame.width < 2:
        needed = "name and team" if option == "teams" else "judge and a column for every factor"
        raise InputError(f"{option} has the columns {', '.join(frame.columns)}.", f"It needs {needed}.")
    text = frame.select(frame[c].cast(str).alias(c) for c in frame.columns)
    return {row[key]: {c: v for c, v in row.items() if c != key} for row in text.iter_rows(named=True)}
