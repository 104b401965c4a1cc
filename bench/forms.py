"""Forms × (numbers, refusals, options): the same rows in every form give the same.

    python -m bench forms            small generated data, examples/, and the collections of ../shared/data
    python -m bench forms examples   one of them

Each case is asked of the same rows in every form. An answer is every table, fact and note of it, or the kind of error
and what it says was wrong; it is equal if it is that of CSV files, number by number. Paths and rows, which differ from
form to form, are left out of what is compared.
"""

from __future__ import annotations

import gzip
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

import dissensus as ds
from dissensus.errors import DataWarning, DissensusError
from dissensus.work.settings import Settings, working_with
from dissensus.work.workspace import Workspace

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
Kind = Literal["numbers", "refusals", "options"]
#: how files, folders and objects hold rows; "converted" is a folder that `dissensus convert` writes
FORMS = (
    "csv", "text", "text.gz", "csv.gz", "tsv", "jsonl", "json", "xlsx", "parquet", "folder", "converted", "arrow",
    "polars", "pandas", "pyarrow", "dict",
)  # fmt: skip
TREC = ("text", "text.gz", "dict")  # name no columns, so that no column has another name and no cell is empty


@dataclass(frozen=True)
class Case:
    """One thing to ask: what is changed in the rows, which measures, which options, and in which kind it counts."""

    kind: Kind
    runs: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    labels: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    measures: tuple[str, ...] = ("AP", "nDCG@5")
    options: dict[str, Any] | None = None
    table: bool = False  # only tables can say it
    placed: bool = False  # the error names the file, row or columns, which differ; its kind is the same

    def frames(self, runs: pl.DataFrame | None, labels: pl.DataFrame) -> tuple[pl.DataFrame | None, pl.DataFrame]:
        """The changed rows."""
        changed = runs if runs is None or self.runs is None else self.runs(runs)
        return changed, labels if self.labels is None else self.labels(labels)

    def same(self, found: Any, first: Any) -> bool:
        """Are two answers to this case equal?"""
        return bool((found[0] if self.placed else found) == (first[0] if self.placed else first))


def given(frame: pl.DataFrame, form: str, folder: Path, owner: str) -> Any:
    """The rows of a frame in one of the forms; `owner` is whose they are."""
    if form == "polars":
        return frame
    if form == "pandas":
        return _pandas(frame)
    if form == "pyarrow":
        return frame.to_arrow()
    if form == "dict":
        return _nested(frame, owner)
    folder.mkdir(parents=True, exist_ok=True)
    if form in ("text", "text.gz"):
        return _text(frame, folder, owner, form.removeprefix("text"))
    path = folder / f"{'runs' if owner == 'system' else 'labels'}.{form}"
    if form == "folder":
        path.mkdir(exist_ok=True)
        for k, part in enumerate(frame.partition_by("topic", maintain_order=True)):
            part.write_parquet(path / f"part-{k}.parquet")
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif form == "tsv":
        frame.write_csv(path, separator="\t")
    elif form == "xlsx":
        _excel(frame, path)
    else:
        write = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "json": frame.write_json,
                 "parquet": frame.write_parquet, "arrow": frame.write_ipc}[form]  # fmt: skip
        write(path)
    return path


def _pandas(frame: pl.DataFrame) -> Any:
    import pandas as pd

    return pd.DataFrame(frame.to_dict(as_series=False))


def _nested(frame: pl.DataFrame, owner: str) -> dict[Any, Any]:
    value = next(c for c in reversed(frame.columns) if c not in (owner, "topic", "doc"))
    nested: dict[Any, Any] = {}
    for row in frame.iter_rows(named=True):
        nested.setdefault(row[owner], {}).setdefault(row["topic"], {})[row["doc"]] = row[value]
    return nested


def _text(frame: pl.DataFrame, folder: Path, owner: str, ending: str) -> list[str]:
    paths = []
    for (name,), part in frame.sort(owner, maintain_order=True).partition_by(owner, as_dict=True).items():
        rows = part.iter_rows(named=True)
        if owner == "system":
            lines = [f"{r['topic']} Q0 {r['doc']} 1 {r['score']} x" for r in rows]
        else:
            lines = [f"{r['topic']} 0 {r['doc']} {r['grade']}" for r in rows]
        path = folder / f"{name}.{'run' if owner == 'system' else 'qrels'}{ending}"
        data = ("\n".join(lines) + "\n").encode()
        path.write_bytes(gzip.compress(data) if ending else data)
        paths.append(str(path))
    return paths


def _excel(frame: pl.DataFrame, path: Path) -> None:
    from dissensus.io.excel import write_excel

    write_excel(frame, path)


def answer(ask: Callable[[], Any], space: Workspace | None = None) -> Any:
    """What is answered and what is said of it, or the kind of error and its words; in `space` in blocks of topics."""
    with warnings.catch_warnings(record=True) as said, working_with(Settings(workspace=space)):
        warnings.simplefilter("always", DataWarning)
        try:
            found = ask()
        except DissensusError as error:
            return type(error).__name__, error.what
    return *_values(found), sorted(str(w.message) for w in said)


def _values(found: Any) -> tuple[Any, ...]:
    if hasattr(found, "data_vars"):
        facts = {k: v for k, v in found.attrs.items() if k not in ("notes", "footer")}
        return {k: v.values.tolist() for k, v in found.data_vars.items()}, facts
    return {name: repr(table.frame.rows()) for name, table in found.tables.items()}, found.claims


def evaluated(runs: Any, labels: Any, case: Case, space: Workspace | None = None) -> Any:
    """The answer of `ds.evaluate`, or of `ds.agree` where there are no runs."""
    options = case.options or {}
    if runs is None:
        return answer(lambda: ds.agree(labels, replicates=99, **options), space)
    return answer(lambda: ds.evaluate(runs, labels, list(case.measures), **options), space)


def no_grade(labels: pl.DataFrame) -> pl.DataFrame:
    """Every fifth label is missing."""
    row = pl.int_range(pl.len())
    return labels.with_columns(grade=pl.when(row % 5 != 4).then("grade"))


def again(frame: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Some rows a second time, behind the others of their topic."""
    return pl.concat([frame, rows]).sort("topic", maintain_order=True)


def cases(runs: pl.DataFrame | None, labels: pl.DataFrame) -> dict[str, Case]:
    """What is asked of every form, in the grades and names of these rows."""
    top, first = int(labels["grade"].max()), labels["assessor"].sort()[0]  # type: ignore[arg-type]
    grade, topic = pl.col("grade"), pl.col("topic")
    other_grade = ((grade + 1) % (top + 1)).alias("grade")
    scored = labels.with_columns(grade / 3 + pl.int_range(pl.len()) / 7e5)
    measures = ("AP", "nDCG@10", "P@5")
    above = f"P(rel={top})@5"
    both: dict[str, Case] = {
        "numbers": Case("numbers", None, None, measures),
        "a declared scale": Case("options", None, None, ("ERR@5",), {"scale": f"0..{top + 1}"}),
        "another scale": Case("refusals", None, None, measures, {"scale": f"0..{top - 1}"}, placed=True),
        "map": Case("options", None, None, measures, {"map": {first: {top: top - 1} if top > 1 else {0: 1}}}),
        "map of a stranger": Case("refusals", None, None, measures, {"map": {"nobody": {1: 2}}}),
        "another name of a column": Case(
            "options", None, lambda f: f.rename({"grade": "stars"}), measures, {"columns": {"grade": "stars"}}, True
        ),
        "a column that is not there": Case(
            "refusals", None, None, measures, {"columns": {"grade": "nowhere"}}, True, True
        ),
        "labels without a grade": Case("refusals", None, no_grade, measures, None, True, True),
        "labels without a grade, left out": Case("options", None, no_grade, measures, {"missing": "skip"}, True),
        "a label twice": Case("numbers", None, lambda f: again(f, f[:3]), measures, table=True),
        "two labels of one document": Case(
            "refusals", None, lambda f: again(f, f[:3].with_columns(other_grade)), measures,
            None, True, True,
        ),
        "two labels, the last one counts": Case(
            "options", None, lambda f: again(f, f[:3].with_columns(other_grade)), measures,
            {"repeated": "last"}, True,
        ),
        "thresholds": Case(
            "options", None, lambda f: f.with_columns(grade / 3 + 0.1), measures, {"threshold": 0.4}, True
        ),
        "scores without a threshold": Case(  # agree puts them into bins
            "options" if runs is None else "refusals", None, lambda _: scored, measures, None, True
        ),
    }  # fmt: skip
    if runs is None:
        return both
    return both | {
        "policies": Case(
            "numbers", None, None, measures, {"topics": "shared", "unjudged": "condense", "empty": "zero"}
        ),
        "expected ties": Case("numbers", None, None, measures, {"ties": "expected"}),
        "a topic nobody judged": Case("numbers", None, lambda f: f.filter(topic != runs["topic"][0]), measures),
        "a judge below the level": Case("refusals", None, lambda f: f.with_columns(grade.clip(0, top - 1)), (above,)),
        "labels of other documents": Case(
            "refusals", None, lambda f: f.with_columns(doc=pl.format("x{}", "doc")), measures
        ),
        "topics of other names": Case("refusals", lambda f: f.with_columns(topic=pl.format("x{}", "topic")), None),
        "a document twice in a ranking": Case(
            "refusals", lambda f: again(f, f[:1]), None, measures, None, True, True
        ),
        "an audit as labels": Case(
            "refusals", None, lambda f: f.with_columns(inclusion=0.5), measures, None, True, True
        ),
        "columns of one input": Case(
            "options", None, lambda f: f.rename({"grade": "stars"}), measures,
            {"columns": {"judgments": {"grade": "stars"}}}, True,
        ),
        "a run without scores": Case(
            "refusals", lambda f: f.with_columns(pl.when(pl.int_range(pl.len()) != 4).then("score").alias("score")),
            None, table=True, placed=True,
        ),
        "a run without scores, left out": Case(
            "options", lambda f: f.with_columns(pl.when(pl.int_range(pl.len()) != 4).then("score").alias("score")),
            None, measures, {"missing": "skip"}, True,
        ),
    }  # fmt: skip


#: what a conversion is told; everything else is said where the folder is read
CONVERTED = ("columns", "missing")


def in_form(
    form: str, runs: pl.DataFrame | None, labels: pl.DataFrame, case: Case, folder: Path, space: Workspace | None = None
) -> Any:
    """The answer to one case in one form, whose files are written into a folder."""
    if form != "converted":
        held = None if runs is None else given(runs, form, folder / form, "system")
        return evaluated(held, given(labels, form, folder / form, "assessor"), case, space)
    said = case.options or {}
    files = [given(labels, "csv", folder / "to convert", "assessor")]
    if runs is not None:
        files.append(given(runs, "csv", folder / "to convert", "system"))
    try:
        data = ds.convert(files, folder / "converted", **{k: v for k, v in said.items() if k in CONVERTED}).folder
    except DissensusError as error:
        return type(error).__name__, error.what
    rest = {k: v for k, v in said.items() if k not in CONVERTED}
    asked = Case(case.kind, measures=case.measures, options=rest)
    return evaluated(None if runs is None else data, data, asked)


def collections() -> dict[str, Callable[[], tuple[pl.DataFrame | None, pl.DataFrame]]]:
    """Runs and labels of each collection that is there."""
    found: dict[str, Callable[[], tuple[pl.DataFrame | None, pl.DataFrame]]] = {
        "generated": generated,
        "examples": lambda: rows([ROOT / "examples/runs/*"], [ROOT / "examples/labels.csv"]),
    }
    dl21, robust = DATA / "trec-dl21-passage", DATA / "trec-robust03"
    if dl21.exists():
        found["trec-dl21-passage"] = lambda: rows(
            [dl21 / "runs" / "p_*"], [dl21 / "qrels.nist.txt", dl21 / "qrels.umbrela-gpt4o.txt.gz"]
        )
    if robust.exists():
        found["trec-robust03"] = lambda: rows([robust / "runs" / "*"], [robust / "qrels.robust03.txt.gz"])
    for name in ("diku-relevance-credibility", "trec-rf10-crowd", "snow2008"):
        if (DATA / name).exists():
            found[name] = lambda name=name: (None, crowd(name))  # type: ignore[misc]
    return found


def generated() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two systems and two assessors on three topics."""
    runs = [
        (s, t, f"d{(2 * i + k) % 9}", 9.0 - i)
        for t in ("1", "2", "3") for k, s in enumerate(("bm25", "dense")) for i in range(6)
    ]  # fmt: skip
    labels = [
        (t, f"d{d}", a, (d + int(t) + (a == "bob")) % 3)
        for t in ("1", "2", "3") for d in range(9) for a in ("ann", "bob")
    ]  # fmt: skip
    return (
        pl.DataFrame(runs, schema=["system", "topic", "doc", "score"], orient="row"),
        pl.DataFrame(labels, schema=["topic", "doc", "assessor", "grade"], orient="row"),
    )


def rows(runs: Iterable[Path], labels: Iterable[Path]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The first four runs of a collection, 100 documents of ten topics each, and the labels of these topics."""
    every = ds.read_runs(*map(str, runs)).to_frame()
    kept = every.filter(
        pl.col("system").is_in(every["system"].unique(maintain_order=True)[:4].implode()),
        pl.col("topic").is_in(every["topic"].unique(maintain_order=True)[:10].implode()),
    )
    kept = kept.group_by("system", "topic", maintain_order=True).head(100).select("system", "topic", "doc", "score")
    judged = ds.read_judgments(*map(str, labels)).to_frame().filter(pl.col("topic").is_in(kept["topic"].implode()))
    return kept, judged.select("topic", "doc", "assessor", "grade").filter(pl.col("grade") >= 0)


def crowd(name: str) -> pl.DataFrame:
    """A crowd's labels: the first 20,000, one per document and worker, of grades from 0 on."""
    if name == "diku-relevance-credibility":
        lines = (DATA / name / "data.csv").read_text("utf-8").splitlines()
        kept = [line.split(",") for line in lines if line[:1].isdigit()]
        found = [(f"t{q}", f"u{url}", f"p{p}", int(grade)) for p, q, _, url, grade, *_ in kept]
    elif name == "trec-rf10-crowd":
        text = gzip.decompress((DATA / name / "trec-rf10-data.txt.gz").read_bytes()).decode()
        split = (line.split("\t") for line in text.splitlines()[1:])
        found = [(q, d, w, int(label)) for q, w, d, _, label in split if int(label) >= 0]
    else:
        text = (DATA / name / "temp.standardized.tsv").read_text("utf-8")
        split = (line.split("\t") for line in text.splitlines()[1:])
        found = [("1", d, w, int(label)) for _, w, d, label, _ in split]
    frame = pl.DataFrame(found, schema=["topic", "doc", "assessor", "grade"], orient="row")
    return frame.unique(["topic", "doc", "assessor"], keep="first", maintain_order=True)[:20_000]


def compared(
    runs: pl.DataFrame | None, labels: pl.DataFrame, forms: Iterable[str] = FORMS
) -> tuple[dict[str, Counter[str]], list[str]]:
    """({form: {kind and whether equal: count}}, what differs) for one collection."""
    counts = {form: Counter[str]() for form in forms}
    differ = []
    for name, case in cases(runs, labels).items():
        changed = case.frames(runs, labels)
        with tempfile.TemporaryDirectory() as folder:
            first = in_form("csv", *changed, case, Path(folder) / "first")
            if isinstance(first[0], str) != (case.kind == "refusals"):
                differ.append(f"{name}: csv answered {str(first)[:300]}")
            for form in counts:
                if case.table and form in TREC:
                    continue
                place = Path(folder) / form.replace(".", "-")
                place.mkdir()
                found = in_form(form, *changed, case, place)
                equal = case.same(found, first)
                counts[form][f"{case.kind} {'equal' if equal else 'different'}"] += 1
                if not equal:
                    differ.append(f"{name}, {form}: {str(found)[:300]} where csv has {str(first)[:300]}")
    return counts, differ


def forms(names: Iterable[str] = ()) -> tuple[str, list[str]]:
    """(the table of all forms and collections, what differs)."""
    lines = ["collection                  form        numbers  refusals  options"]
    every, differ = collections(), []
    for name in list(names) or every:
        counts, wrong = compared(*every[name]())
        differ += [f"{name}, {w}" for w in wrong]
        for form, count in counts.items():
            shown = []
            for kind in ("numbers", "refusals", "options"):
                equal, different = count[f"{kind} equal"], count[f"{kind} different"]
                shown.append(f"{equal}/{equal + different}" if equal + different else "–")
            lines.append(f"{name:27} {form:10} {shown[0]:>8} {shown[1]:>9} {shown[2]:>8}")
    return "\n".join(lines), differ
