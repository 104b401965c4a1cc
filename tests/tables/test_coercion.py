"""Runs and judgments given the wrong way round, or not made yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError

RUNS = ds.Runs.from_dict({"s": {"q": {"d": 1.0}}})
JUDGMENTS = ds.Judgments.from_dict({"a": {"q": {"d": 1}}})


@pytest.mark.parametrize(
    "call",
    [
        lambda: ds.evaluate(JUDGMENTS, RUNS, ["AP"]),  # type: ignore[arg-type]
        lambda: ds.Collection(JUDGMENTS, RUNS),  # type: ignore[arg-type]
        lambda: ds.aware(JUDGMENTS, RUNS, ["AP"]),  # type: ignore[arg-type]
        lambda: ds.check(JUDGMENTS),  # type: ignore[arg-type]
    ],
)
def test_exchanged_arguments_are_named(call: Callable[[], Any]) -> None:
    with refused(InputError, "Judgments", "Runs"):
        call()


@pytest.mark.parametrize("call", [ds.agreement, ds.merge, ds.disagreement])
@pytest.mark.parametrize(("wrong", "name"), [(RUNS, "Runs"), (7, "int"), (None, "NoneType"), ([1, 2], "list")])
def test_what_is_no_judgments_is_named(call: Callable[[Any], Any], wrong: object, name: str) -> None:
    with refused(InputError, name, "Judgments"):
        call(wrong)


GRADES = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d4": 1}}
SCORES = {"q1": {"d1": 3.0, "d3": 2.0, "d2": 1.0}, "q2": {"d4": 1.0, "d1": 2.0}}


def rows(table: dict[str, dict[str, Any]], value: str) -> dict[str, list[Any]]:
    pairs = [(t, d, v) for t, docs in table.items() for d, v in docs.items()]
    return {"query_id": [p[0] for p in pairs], "doc_id": [p[1] for p in pairs], value: [p[2] for p in pairs]}


def ways_in(tmp_path: Any) -> dict[str, tuple[Any, Any]]:
    """Runs and judgments in every form, from which every verb must make the same."""
    pandas, ir_measures, arrow = (pytest.importorskip(m) for m in ("pandas", "ir_measures", "pyarrow"))
    run_rows, qrel_rows = rows(SCORES, "score"), rows(GRADES, "relevance")
    runs, judgments = ds.Runs.from_dict({"run": SCORES}), ds.Judgments.from_dict({"assessor": GRADES})
    runs.write(tmp_path / "run.csv")
    judgments.write(tmp_path / "assessor.csv")
    return {
        "objects": (runs, judgments),
        "dicts": (SCORES, GRADES),
        "named dicts": ({"run": SCORES}, {"assessor": GRADES}),
        "columns": (run_rows, qrel_rows),
        "polars": (pl.DataFrame(run_rows), pl.DataFrame(qrel_rows)),
        "pandas": (pandas.DataFrame(run_rows), pandas.DataFrame(qrel_rows)),
        "arrow": (arrow.table(run_rows), arrow.table(qrel_rows)),
        "arrow, read once": tuple(arrow.table(t).to_reader() for t in (run_rows, qrel_rows)),
        "paths": (tmp_path / "run.csv", str(tmp_path / "assessor.csv")),
        "ir_measures": (
            [ir_measures.ScoredDoc(*r) for r in zip(*run_rows.values(), strict=True)],
            [ir_measures.Qrel(*r) for r in zip(*qrel_rows.values(), strict=True)],
        ),
    }


def ranx_objects() -> dict[str, tuple[Any, Any]]:
    """The same as ranx keeps it; nothing where ranx finds no place for what it compiles."""
    try:
        import ranx
    except (ImportError, RuntimeError):
        return {}
    return {"ranx": (ranx.Run(SCORES, name="run"), ranx.Qrels(GRADES, name="assessor"))}


def test_every_form_gives_the_same_scores(tmp_path: Any) -> None:
    ways = ways_in(tmp_path) | ranx_objects()
    found = {name: ds.evaluate(r, j, ["AP", "nDCG@10"]) for name, (r, j) in ways.items()}
    expected = found.pop("objects")
    for name, scores in found.items():
        assert scores["nDCG@10"].values.tolist() == expected["nDCG@10"].values.tolist(), name
        assert scores["AP"].system.values.tolist() == ["run"], name


TOPICS = [f"q{i}" for i in range(6)]
DOCS = [f"d{i}" for i in range(5)]
LABELS = {t: {d: (i + j) % 3 for j, d in enumerate(DOCS)} for i, t in enumerate(TOPICS)}
OTHER = {t: {d: (i + j + (j == i)) % 3 for j, d in enumerate(DOCS)} for i, t in enumerate(TOPICS)}
RUN_A = {t: {d: float((3 * i + 2 * j) % 7) for j, d in enumerate(DOCS)} for i, t in enumerate(TOPICS)}
RUN_B = {t: {d: float((5 * i - 3 * j) % 11) for j, d in enumerate(DOCS)} for i, t in enumerate(TOPICS)}


class Forms:
    """One thing in every form in which users hold it: `runs` of two systems, `labels` of two assessors, `gold`."""

    NAMES = ("objects", "dicts", "columns", "polars", "pandas", "arrow", "paths", "ir_measures")

    def __init__(self, form: str, folder: Any) -> None:
        self.form, self.folder = form, folder

    def of(self, nested: Any, value: str) -> Any:
        """{name: {topic: {doc: value}}} in the form; ir_measures' runs have no names: the first one alone."""
        kind, who = (ds.Runs, "system") if value == "score" else (ds.Judgments, "assessor")
        flat = [(a, t, d, v) for a, topics in nested.items() for t, docs in topics.items() for d, v in docs.items()]
        columns = {c: [r[i] for r in flat] for i, c in enumerate((who, "query_id", "doc_id", value))}
        if self.form == "objects":
            return kind.from_dict(nested)
        if self.form == "dicts":
            return nested
        if self.form == "columns":
            return columns
        if self.form == "polars":
            return pl.DataFrame(columns)
        if self.form == "pandas":
            return pytest.importorskip("pandas").DataFrame(columns)
        if self.form == "arrow":
            return pytest.importorskip("pyarrow").table(columns)
        if self.form == "paths":
            path = self.folder / f"{'-'.join(nested)}.csv"
            kind.from_dict(nested).write(path)
            return path
        objects = pytest.importorskip("ir_measures")
        if value == "score":
            first = next(iter(nested))
            return [objects.ScoredDoc(t, d, v) for a, t, d, v in flat if a == first]
        return [objects.Qrel(t, d, v, a) for a, t, d, v in flat]


def calls(runs: Any, labels: Any, gold: Any, one: Any, other: Any, folder: Any) -> dict[str, Callable[[], Any]]:
    """Every public verb that takes runs, judgments or an audit, by name."""
    judge: dict[str, Any] = {"assessor": "llm"}
    return {
        "evaluate": lambda: ds.evaluate(runs, labels, "nDCG@10").to_dict(),
        "Collection": lambda: ds.Collection(runs, labels).evaluate(["AP"]).to_dict(),
        "check": lambda: str(ds.check(runs, labels).ok),
        "aware": lambda: ds.aware(runs, labels, ["AP"], replicates=20, gold=gold).to_dict(),
        "correct": lambda: ds.correct(runs, labels, gold, "P@3", **judge).table.rows(),
        "plan": lambda: ds.plan(runs, labels, gold, budget=9, measures="P@3", **judge).sample.rows(),
        "write_report": lambda: ds.write_report(runs, labels, folder / "r.html", measures="P@3", audit=gold, truth=gold,
                                                **judge).read_text("utf-8"),
        "write_figures": lambda: [p.name for p in ds.write_figures(runs, labels, folder / "f", measures="P@3",
                                                                   formats=["svg"], **judge)],
        "Sequential": lambda: str(ds.Sequential(runs, labels, "P@3", **judge, scores=True).layout.topics),
        "gate": lambda: str(ds.gate(one, other, labels, "P@3", tolerance=0.1, **judge)),
        "gate, audit": lambda: ds.gate(one, other, labels, "P@3", tolerance=0.1, audit=gold, **judge).checks,
        "agreement": lambda: ds.agreement(labels).pairs.rows(),
        "confusion": lambda: ds.confusion(labels, gold, "llm").counts.tolist(),
        "merge": lambda: ds.merge(labels).judgments.to_frame().rows(),
        "disagreement": lambda: ds.disagreement(labels).p,
        "replaceability": lambda: ds.replaceability(labels, "llm", ["ann", "bob", "cat"]).table.rows(),
        "ceiling": lambda: ds.ceiling(labels, measures="P@3").per_topic,
        "inject_noise": lambda: ds.inject_noise(gold, ds.Confusion.uniform(3, 0.2)).to_frame().drop("assessor").rows(),
        "pair_noise": lambda: ds.pair_noise(gold, gold).per_topic,
        "score_partition": lambda: ds.combine([ds.score_partition(runs, labels, ["AP"])]).to_dict(),
        "multiverse": lambda: ds.multiverse(runs, labels, "P@3").to_json(),
        "noise": lambda: ds.noise(labels, replicates=2, **judge).to_json(),
        "judges": lambda: str(ds.judges(labels, "ann", ["llm"])),
    }  # fmt: skip


def results(form: str, folder: Any) -> dict[str, str]:
    forms = Forms(form, folder)
    cat = {t: {d: g // 2 * 2 for d, g in docs.items()} for t, docs in OTHER.items()}
    runs = forms.of({"run": RUN_A} if form == "ir_measures" else {"a": RUN_A, "b": RUN_B}, "score")
    labels = forms.of({"llm": LABELS, "ann": OTHER, "bob": LABELS, "cat": cat}, "relevance")
    gold = forms.of({"gold": OTHER}, "relevance")
    one, other = forms.of({"one": RUN_A}, "score"), forms.of({"two": RUN_B}, "score")
    found = {}
    for name, call in calls(runs, labels, gold, one, other, folder).items():
        if name.startswith("write") and form not in ("objects", "pandas"):
            continue  # a second each
        try:
            found[name] = repr(call())
        except ds.DissensusError as error:  # one system cannot be compared: said of every form in the same words
            found[name] = f"refused: {error}"
    return found


@pytest.mark.filterwarnings("ignore")
def test_every_verb_takes_every_form(tmp_path: Any) -> None:
    expected = results("objects", tmp_path)
    assert not [name for name, shown in expected.items() if shown.startswith("refused")]
    for form in Forms.NAMES[1:-1]:
        folder = tmp_path / form
        folder.mkdir()
        found = results(form, folder)
        assert {n for n in found if found[n] != expected[n]} == set(), form


@pytest.mark.filterwarnings("ignore")
def test_every_verb_takes_the_objects_of_ir_measures(tmp_path: Any) -> None:
    found = results("ir_measures", tmp_path)
    refused = {name for name, shown in found.items() if shown.startswith("refused")}
    assert refused == {"plan", "multiverse"}, {
        name: found[name] for name in refused
    }  # its runs have no names: one system only


def test_no_verb_that_takes_runs_or_judgments_is_left_out(tmp_path: Any) -> None:
    import inspect

    taken = {n.partition(",")[0] for n in calls(None, None, None, None, None, tmp_path)}
    roles = {"runs", "judgments", "audit", "audit_or_confusion", "truth", "original"}
    verbs = {
        name for name in ds.__all__
        if callable(v := getattr(ds, name)) and not name.startswith(("Audit", "Dissensus"))
        and not (isinstance(v, type) and issubclass(v, ds.Result))
        and roles & set(inspect.signature(v).parameters)
    }  # fmt: skip
    also = {getattr(ds, name) for name in taken}  # under another name
    left = {name for name in verbs if getattr(ds, name) not in also}
    # it is below: its audit has an order; an experiment takes names of files, and files are what is converted
    assert left <= {"sequential", "experiment", "convert"}


def test_the_audit_of_sequential_in_every_form(tmp_path: Any) -> None:
    pandas = pytest.importorskip("pandas")
    runs = {"a": RUN_A, "b": RUN_B}
    sample = ds.plan(runs, {"llm": LABELS}, measures="P@3", order=True).sample
    grades = [OTHER[t][d] for t, d in zip(sample["topic"], sample["doc"], strict=True)]
    frame = sample.with_columns(grade=pl.Series(grades))
    frame.write_csv(tmp_path / "order.csv")
    asked = [frame, pandas.DataFrame(frame.to_dict(as_series=False)), tmp_path / "order.csv"]
    found = {str(ds.sequential(runs, {"llm": LABELS}, audit, "P@3", systems=["a", "b"])) for audit in asked}
    assert len(found) == 1


def test_scores_from_paths_and_frames(tmp_path: Any) -> None:
    rows = [(s, t, m, float((i + j + k) % 5)) for i, s in enumerate("xyz") for j, t in enumerate("pqrs")
            for k, m in enumerate(("AP", "P@5"))]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["name", "qid", "measure", "value"], orient="row")
    frame.write_csv(tmp_path / "perquery.csv")
    pandas = pytest.importorskip("pandas").DataFrame(frame.to_dict(as_series=False))
    found = {
        str(ds.compare(given, "AP"))
        for given in (frame, pandas, tmp_path / "perquery.csv", ds.read_scores(tmp_path / "perquery.csv"))
    }
    assert len(found) == 1
    assert ds.gate("x", "y", None, "AP", tolerance=0.1, scores=frame).topics == 4


def test_iterations_that_differ_are_assessors() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel("q", "d", 1, "ann"), ir_measures.Qrel("q", "d", 0, "bob")]
    assert ds.agreement(qrels).pairs.height == 1
    assert ds.agreement(iter(qrels)).pairs.height == 1


def test_a_dict_without_documents_says_so() -> None:
    with pytest.raises(InputError):
        ds.evaluate({"q": 1}, GRADES, ["AP"])
