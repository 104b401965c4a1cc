"""Files in: `read_scores`, tables of scores without any judgments.

- trec_eval's three columns `measure topic value`: the system is the file's name, rows for the topic "all" are checked
  against the mean and skipped;
- ir_measures' and TREC Auto-Judge's four columns, `run topic measure value` or `run measure topic value`;
- tables (CSV, TSV, JSON lines, Parquet) with system, topic, measure and value, PyTerrier's perquery.csv among them;
- wide tables with systems, topics and one column per measure, as `evaluate --per-topic -o` writes them;
- wide tables with a column of topics and one column per system, or with systems down and topics across;
- what evaluation tools write (promptfoo, Inspect, lm-eval, DeepEval, ragas, OpenSearch; see `doors`).

Several files whose rows name their systems are several judges' leaderboards, each named after its file. Means over
topics say nothing about how sure a difference is: a leaderboard without topics is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import FileError, Fix, Option
from dissensus.io.contents import contents, decode, lines_of
from dissensus.io.files import Given, kind, looks_like_json, named_files, stem
from dissensus.io.opening import open_document, read_document
from dissensus.io.options import UNNAMED, ReadOptions, RoleOptions, TableKeywords, spelled_out
from dissensus.io.table import Rows, TextTable, open_table, place_in, texts
from dissensus.io.trec import words_of
from dissensus.tables.columns import NUMBER, Place, code, id_strings, one_text
from dissensus.tables.runs import finite_scores
from dissensus.wording import counted

if TYPE_CHECKING:
    import xarray as xr

    from dissensus.io.exports.document import ExportedFile

ALL = "all"
ROUNDED = 6e-5  # trec_eval prints four decimals
MEASURE_LIKE = re.compile(
    r"@|^(map|ap|ndcg|dcg|rr|err|rbp|p_\d|p@|r@|recall|bpref|success|judged|mrr|recip)", re.IGNORECASE
)
# a whole column name that is a measure: of the catalog, or trec_eval's; P, R, G and U only with what follows them
_MEASURE = re.compile(
    r"(?:AP|MAP|map_cut|GAP|GMAP|gm_map|SetAP|set_map|infAP|AP_avgjg|AP_IA|RR|MRR|recip_rank|ERR|nERR|ERR_IA|nERR_IA"
    r"|NERR8|NERR9|NERR10|NERR11|CG|NCG|DCG|nDCG|ndcg_cut|SDCG|RnDCG|nDCG_rel|alpha_DCG|alpha_nDCG|RBP|TrecRBP"
    r"|TrecRBPResidual|rbp_resid|NRBP|nNRBP|ESL|NCP|MP|nMCG|INSQ|INST|BPM|TBG|Rprec|Rprec_avgjg|Bpref|GMBpref"
    r"|gm_bpref|Compat|IPrec|IPrecAvg|iprec_at_recall|11pt_avg|Fallout|Success|Judged|Unjudged|precision|recall"
    r"|StRecall|F1|Accuracy|SetP|SetR|SetF|SetRelP|set_P|set_recall|set_F|RelP|relative_P|P_avgjg|P_IA|NumQ|NumRet"
    r"|NumRel|NumRelRet|NumNonRelRet|num_q|num_ret|num_rel|num_rel_ret|num_nonrel_judged_ret|Utility|binG"
    r"|[PRGU](?=[@_(]))(?:\(.*\))?(?:[@_.]\d+(?:\.\d+)?)?(?:\.[a-z_]+)?",
    re.IGNORECASE,
)
# columns of a leaderboard that no topic is called
_MEANS = re.compile(
    r"(?:topics?|queries|n|count|mean|average|avg|overall|total|score|rank|latency|cost|tokens|elo|win_?rate|pass_?rate"
    r"|.*(?:accuracy|precision|recall|faithful\w*|relevan\w*|correct\w*|grounded\w*|similarity|exact_match|f1))",
    re.IGNORECASE,
)


@spelled_out
def read_scores(*paths_or_globs: Given, **table: Unpack[TableKeywords]) -> xr.Dataset:
    r"""Scores of systems by topic from files: the Dataset that `evaluate` gives, for `compare` and the rest.

    Parameters
    ----------
    paths_or_globs
        Files, globs, or lists of them: long tables with a column for the measure, or wide ones with a column
        for each.

    Returns
    -------
    xarray.Dataset
        One variable per measure, dims (assessor, system, topic).

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "perquery.csv"
    >>> _ = path.write_text("name,qid,measure,value\nbm25,q1,AP,0.5\nbm25,q2,AP,0.25\n")
    >>> float(ds.read_scores(path)["AP"].mean())
    0.375
    """
    options = ReadOptions.of(**table).scores
    scores = scores_from_files(paths_or_globs, options)
    options.refuse_unused()
    return scores


def scores_from_files(given: Sequence[Given], options: RoleOptions) -> xr.Dataset:
    """The scores in files and globs."""
    files = named_files(given, "read_scores")
    parts: list[Rows] = []
    for path, name in files:
        rows = _rows(path, options)
        rows.columns.setdefault("measure", one_text("score", len(rows)))
        if "system" not in rows.columns:
            rows.columns["system"] = one_text(name or stem(path), len(rows))
            own = "scores"
        else:
            own = name or (stem(path) if len(files) > 1 else "scores")
        rows.columns.setdefault("assessor", one_text(own, len(rows)))
        parts.append(rows)
    return _dataset(parts)


def scores_of_frame(frame: pl.DataFrame, options: RoleOptions | None = None) -> xr.Dataset:
    """The Dataset of a frame with system, topic, measure and value, or of a wide one."""
    rows = _table_rows(TextTable.of_frame(frame, options))
    for role, name in (("measure", "score"), ("system", "run"), ("assessor", UNNAMED)):
        rows.columns.setdefault(role, one_text(name, len(rows)))
    return _dataset([rows])


def _rows(path: Path, options: RoleOptions) -> Rows:
    if looks_like_json(path):
        found = open_document(_of_ours(read_document(path)), "scores", options)
        return _table_rows(found) if isinstance(found, TextTable) else found
    if not options.columns and (kind(path) == "trec" or has_no_header(path)):
        return _written_columns(path)
    return _table_rows(open_table(path, options))


def _of_ours(document: ExportedFile) -> ExportedFile:
    """The rows in the JSON that `evaluate -o` writes; any other document as it is."""
    tables = document.value.get("tables") if isinstance(document.value, dict) else None
    if not isinstance(tables, dict) or not isinstance(rows := next(iter(tables.values()), None), list):
        return document
    return replace(document, value=rows)


def has_no_header(path: Path) -> bool:
    """A .tsv whose first line is a score already: three or four columns that end in a number."""
    if kind(path) != "tsv":
        return False
    first = contents(path)[:4096].decode("utf-8", "replace").lstrip("\n").partition("\n")[0].rstrip("\r").split("\t")
    return len(first) in (3, 4) and NUMBER.fullmatch(first[-1].strip()) is not None


def _written_columns(path: Path) -> Rows:
    """trec_eval's three columns, or four with the run in front."""
    lines, words = [], []
    for number, line in enumerate(lines_of(decode(contents(path), path)), 1):
        if found := words_of(line):
            lines.append(number)
            words.append(found)
    width = len(words[0])
    bad = next((i for i, w in enumerate(words) if len(w) != width), None)
    if width not in (3, 4) or bad is not None:
        at = bad or 0
        raise FileError(
            f"{path}:{lines[at]} has {len(words[at])} columns: {' '.join(words[at])[:60]!r}.",
            "Scores are written as measure topic value (trec_eval -q), or run topic measure value.",
        )
    measure, topic = (0, 1) if width == 3 else _which(words, path)
    numbers = [NUMBER.fullmatch(w[-1]) is not None for w in words]
    keep = [i for i, number in enumerate(numbers) if number]
    texts = [w for w, number in zip(words, numbers, strict=True) if not number]
    columns = {"topic": [words[i][topic] for i in keep], "measure": [words[i][measure] for i in keep],
               "value": [words[i][-1] for i in keep]}  # fmt: skip
    if width == 4:
        columns["system"] = [words[i][0] for i in keep]
    notes = (
        (f"{path}: lines without a number left out: {', '.join(sorted({w[measure] for w in texts}))}",) if texts else ()
    )
    if not keep:
        raise FileError(f"{path} holds no scores.", "Scores are written as measure topic value (trec_eval -q).")
    rows = Rows(
        {role: pl.Series(role, values, dtype=pl.String) for role, values in columns.items()},
        lambda row: f"{path}:{lines[keep[row]]}", notes,
    )  # fmt: skip
    return _without_means(rows, path)


def _which(words: list[list[str]], path: Path) -> tuple[int, int]:
    """(column of the measure, column of the topic) of four columns: measures look like measures, and are fewer."""
    second, third = ({w[i] for w in words} for i in (1, 2))
    like = [any(MEASURE_LIKE.search(v) for v in values) for values in (second, third)]
    if like[0] != like[1]:
        return (1, 2) if like[0] else (2, 1)
    if len(second) == len(third):
        raise FileError(
            f"{path}: which of the columns 2 and 3 is the measure cannot be told.",
            Fix("Say so with ", Option("columns"), ", as in system=1,topic=2,measure=3,value=4."),
        )
    return (1, 2) if len(second) < len(third) else (2, 1)


def _without_means(rows: Rows, path: Path) -> Rows:
    """Rows without the topic "all", whose values must be the means they claim to be."""
    topic = texts(rows.columns["topic"]).to_list()
    means = [i for i, t in enumerate(topic) if t == ALL]
    if not means:
        return rows
    rest = [i for i, t in enumerate(topic) if t != ALL]
    if not rest:
        raise _means_only(path, "its only topic is 'all'")
    whose = list(zip(*(texts(rows.columns[r]).to_list() for r in ("assessor", "system", "measure")
                       if r in rows.columns), strict=True)) or [()] * len(topic)  # fmt: skip
    value = finite_scores(rows.columns["value"], rows.place)
    sums: dict[tuple[str, ...], list[float]] = {}
    for i in rest:
        sums.setdefault(whose[i], []).append(value[i])
    for i in means:
        given, measure = sums.get(whose[i]), whose[i][-1] if "measure" in rows.columns else "the score"
        if given is not None and not _is_mean(value[i], given) and not measure.startswith(("gm_", "num_")):
            raise FileError(
                f"{rows.place(i)}: {measure} over all topics is {value[i]:g}, the mean of the {len(given):,} topics "
                f"in the file {np.mean(given):g}.",
                "A topic is missing, or was counted twice: write the file again.",
            )
    return rows.keep(np.array(rest), f"{path}: {counted(len(means), 'row')} for all topics checked and left out")


def _means_only(path: Path, why: str) -> FileError:
    return FileError(
        f"{path} holds means over topics and no scores of topics: {why}.",
        "A mean does not say how much a score varies over topics, so that no difference can be tested.",
        "Write the scores of every topic: dissensus evaluate --per-topic -o scores.csv, or trec_eval -q.",
    )


def _is_mean(value: float, given: list[float]) -> bool:
    """Is it the mean, or a count's sum, as far as four decimals tell?"""
    return abs(value - float(np.mean(given))) <= ROUNDED * max(1.0, abs(value)) or abs(value - sum(given)) <= ROUNDED


def _table_rows(table: TextTable) -> Rows:
    names = {_plain(c): c for c in table.frame.columns}
    if table.has("measure") is None and "value" not in table.named and "value" not in names:
        return _without_means(_wide(table), table.path)
    there = [r for r in ("measure", "system", "assessor") if table.has(r) is not None]
    if table.has("topic") is None and "system" in there and "measure" in there:
        raise _means_only(table.path, "it has no column of topics")
    columns = {r: table[r] for r in ("topic", "value", *there)}
    if "system" not in columns and "name" in names:  # PyTerrier's perquery.csv
        columns["system"] = table.column(names["name"], "system")
    return _without_means(Rows(columns, table.place), table.path)


def _plain(name: str) -> str:
    return name.strip().lower()


def _wide(table: TextTable) -> Rows:
    """Columns that say whose the scores are, and one column of scores for each measure, system or topic."""
    down = {r: column for r in ("assessor", "system", "topic") if (column := table.has(r)) is not None}
    if not down.keys() & {"system", "topic"}:
        raise FileError(
            f"{table.path} has neither a column of topics nor of systems; its columns are "
            f"{', '.join(map(repr, table.frame.columns[:8]))}.",
            Fix("Say which column holds the topics with ", Option("columns"), ", as in topic=query."),
            "A table of scores has system, topic, measure and value, or a column of topics and one per system.",
        )
    others = [c for c in table.frame.columns if c not in down.values() and not c.startswith("column ")]
    across = _across(table.path, down, others)
    if not others:
        first = next(iter(down.values()))
        raise FileError(f"{table.path} has no column of scores beside {first!r}.", f"Give one column per {across}.")
    parts, where = [], []
    for other in others:
        values = texts(table.frame[other])
        there = np.flatnonzero(~(values.is_null() | (values.str.strip_chars() == "")).to_numpy())
        place = lambda row, there=there: table.place(int(there[row]))  # noqa: E731
        ids = {r: id_strings(table[r].gather(there), r, place) for r in down}
        parts.append(pl.DataFrame({**ids, across: one_text(other, len(there)), "value": values.gather(there)}))
        where.append(there)
    frame, at = pl.concat(parts), np.concatenate(where)
    nameless = f"{table.path}: one column per {across}; the measure has no name and is called score"
    notes = () if across == "measure" else (nameless,)
    return Rows({c: frame[c] for c in frame.columns}, lambda row: table.place(int(at[row])), notes)


def _across(path: Path, down: Mapping[str, str], others: list[str]) -> Literal["measure", "system", "topic"]:
    """What each further column of a wide table holds the scores of; means without topics are refused."""
    measures = [c for c in others if _MEASURE.fullmatch(c.strip())]
    if "topic" not in down:
        means = measures or [c for c in others if _MEANS.fullmatch(c.strip())]
        if means:
            shown = ", ".join(means[:4]) + (" …" if len(means) > 4 else "")
            raise _means_only(path, f"it has no column of topics, and its other columns are {shown}")
        return "topic"
    if "system" in down or (measures and len(measures) == len(others)):
        return "measure"
    if measures:
        other = next(c for c in others if c not in measures)
        raise FileError(
            f"{path}: the column {measures[0]!r} is called like a measure and {other!r} is not; "
            "without a column of systems, all other columns are measures, or all are systems.",
            "Write a table with system, topic, measure and value, or rename the column.",
        )
    return "system"


def _dataset(parts: list[Rows]) -> xr.Dataset:
    import xarray as xr

    coded = {
        role: code(pl.concat([id_strings(p.columns[role], role, p.place) for p in parts]))
        for role in ("assessor", "system", "topic", "measure")
    }
    value = np.concatenate([finite_scores(p.columns["value"], p.place) for p in parts])
    shape = tuple(len(coded[r][0]) for r in ("assessor", "system", "topic"))
    measures, which = coded["measure"]
    _refuse_second(coded, place_in(parts))
    values: Values = {}
    for m, name in enumerate(measures):
        mine = np.flatnonzero(which == m)
        array = np.full(shape, np.nan)
        array[tuple(coded[r][1][mine] for r in ("assessor", "system", "topic"))] = value[mine]
        values[name] = (("assessor", "system", "topic"), array)
    coords = {r: (r, np.array(coded[r][0], dtype=object)) for r in ("assessor", "system", "topic")}
    notes = list(dict.fromkeys(n for p in parts for n in p.notes))
    return xr.Dataset(values, coords=coords, attrs={"footer": "scores as read from a file", "notes": notes})


def _refuse_second(coded: Mapping[str, Any], place: Place) -> None:
    key = np.zeros(len(coded["topic"][1]), np.int64)
    for names, codes in coded.values():
        key = key * max(len(names), 1) + codes
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order][1:] == key[order][:-1])
    if len(twice):
        a, b = sorted((int(order[twice[0]]), int(order[twice[0] + 1])))
        cell = ", ".join(f"{role} {names[codes[a]]}" for role, (names, codes) in coded.items())
        raise FileError(f"{place(a)} and {place(b)} both hold a score of {cell}.", "Keep one.")
