"""What files of other tools mean, said door by door as plainly as possible; no code of dissensus.

Each function takes a parsed file (JSON, a list of JSON lines, or rows by column) and the file's stem, and gives rows:
judgments (topic, doc, assessor, grade), rankings (system, topic, docs), scores (system, topic, measure, value). What is
out of the ordinary (a renamed key, an odd id, a second grade) is `Unsure`: there this oracle has no opinion.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from bench.fuzz.oracles import NUMBER, Refused, cell, text_of, word_lines


class Unsure(NotImplementedError):
    """Not this oracle's business."""


def ident(value: Any) -> str:
    """An id that needs no tidying."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Unsure
    text = str(value)
    if not text or text != " ".join(text.split()) or not text.isprintable() or text[0] in "'=+-@":
        raise Unsure
    return text


def grade(value: Any) -> str:
    """A whole number from 0 to 100, as number or text."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unsure
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,3}(\.0{0,4})?", value):
        raise Unsure
    number = float(value)
    if not 0 <= number <= 100 or number != int(number) or math.copysign(1, number) < 0:
        raise Unsure
    return str(int(number))


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Unsure
    if isinstance(value, str) and not NUMBER.match(value):
        raise Unsure
    if not math.isfinite(float(value)):
        raise Unsure
    return float(value)


def whole(data: bytes, lines: bool) -> Any:
    """The JSON in a file; a file that holds none is refused."""

    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise Unsure
        return dict(pairs)

    def constant(name: str) -> object:
        raise Unsure

    text = text_of(data)
    parts = [p for p in text.split("\n") if p.strip()] if lines else [text]
    try:
        found = [json.loads(p, object_pairs_hook=distinct, parse_constant=constant) for p in parts]
    except RecursionError as error:
        raise Refused("nested too deeply") from error
    except ValueError as error:
        if not lines and text.strip()[:1] == "{" and "\n" in text.strip():
            raise Unsure from error  # perhaps JSON lines
        raise Refused(str(error)) from error
    if not found:
        raise Refused("nothing in it")
    return found if lines else found[0]


def table(data: bytes, separator: str) -> list[dict[str, str]]:
    """The rows of a table by column; what is ragged is refused."""
    text = text_of(data)
    if "\r" in text or "\v" in text or "\f" in text:
        raise Unsure
    try:
        rows = [r for r in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if any(r)]
    except csv.Error as error:
        raise Refused(str(error)) from error
    if len(rows) < 2 or len(set(rows[0])) < len(rows[0]) or any(len(r) != len(rows[0]) for r in rows):
        raise Unsure
    ours = [n.startswith("'") for n in rows[0]]
    header = [n.removeprefix("'") for n in rows[0]]
    return [dict(zip(header, map(cell, r, ours), strict=True)) for r in rows[1:]]


def columns(rows: list[dict[str, str]], *names: str) -> Iterable[tuple[str, ...]]:
    if set(rows[0]) != set(names):
        raise Unsure
    return [tuple(row[n] for n in names) for row in rows]


Rows = list[tuple[Any, ...]]


def labels(rows: Iterable[tuple[Any, Any, Any, Any]]) -> Rows:
    return [(ident(t), ident(d), ident(a), grade(g)) for t, d, a, g in rows]


# ── tables ──
def pyterrier(rows: Any, stem: str) -> Rows:
    if "label" in rows[0]:
        raise Unsure
    return ranked((stem, q, d, s) for q, d, s, _, _ in columns(rows, "qid", "docno", "score", "rank", "query"))


def ranked(rows: Iterable[tuple[Any, Any, Any, Any]]) -> Rows:
    """Rankings from scores, none of them tied."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for system, topic, doc, score in rows:
        docs = found.setdefault((ident(system), ident(topic)), {})
        if ident(doc) in docs or number(score) in docs.values():
            raise Unsure
        docs[ident(doc)] = number(score)
    return [(s, t, tuple(sorted(docs, key=lambda d: -docs[d]))) for (s, t), docs in found.items()]


def ir_measures(rows: Any, stem: str) -> Rows:
    if "relevance" in rows[0]:
        four = columns(rows, "query_id", "doc_id", "relevance", "iteration")
        return labels((q, d, stem, g) for q, d, g, _ in four)
    return ranked((stem, q, d, s) for q, d, s in columns(rows, "query_id", "doc_id", "score"))


def quepid_case(rows: Any, stem: str) -> Rows:
    return labels((q, d, stem, g) for q, d, g in columns(rows, "query", "docid", "rating") if g)


def quepid_book(rows: Any, stem: str) -> Rows:
    four = columns(rows, "query", "docid", "ann", "bob")
    return labels((q, d, a, g) for q, d, x, y in four for a, g in (("ann", x), ("bob", y)) if g)


def crowd_kit(rows: Any, stem: str) -> Rows:
    return labels(("all", t, w, g) for t, w, g in columns(rows, "task", "worker", "label"))


def crowdflower(rows: Any, stem: str) -> Rows:
    four = columns(rows, "_unit_id", "_worker_id", "_trust", "relevance")
    return labels(("all", d, w, g) for d, w, _, g in four)


def mturk(rows: Any, stem: str) -> Rows:
    five = columns(rows, "HITId", "WorkerId", "Input.qid", "Input.docno", "Answer.label")
    return labels((q, d, w, g) for _, w, q, d, g in five)


def lara(rows: Any, stem: str) -> Rows:
    five = columns(rows, "topic_id", "doc_id", "annotation", "prob_yes", "prob_no")
    return labels((q, d, stem, g) for q, d, g, _, _ in five)


def cje(rows: Any, stem: str) -> Rows:
    three = columns(rows, "prompt_id", "judge_score", "oracle_label")
    return labels((p, "response", a, g) for p, x, y in three for a, g in (("judge", x), ("oracle", y)) if g)


def scores(rows: Iterable[tuple[Any, Any, Any, Any]]) -> Rows:
    return [(ident(s), ident(t), ident(m), number(v)) for s, t, m, v in rows]


def score_table(rows: Any, stem: str) -> Rows:
    if set(rows[0]) == {"name", "qid", "measure", "value"}:
        return scores((r["name"], r["qid"], r["measure"], r["value"]) for r in rows)
    if any(set(r) != {"run_id", "topic_id", "measure", "value"} for r in rows):
        raise Unsure
    return scores((r["run_id"], r["topic_id"], r["measure"], r["value"]) for r in rows)


def wide_scores(rows: Any, stem: str) -> Rows:
    down = next(iter(rows[0]))
    if down not in ("topic", "system"):
        raise Unsure
    cells = [(row[down], name, value) for row in rows for name, value in row.items() if name != down and value]
    return scores((s, t, "score", v) if down == "system" else (t, s, "score", v) for s, t, v in cells)


def written(words: list[list[str]], stem: str) -> Rows:
    """Three columns, measure topic value; the topic "all" is somebody else's business."""
    if any(len(w) != 3 or w[1] == "all" or w[0] == "runid" for w in words):
        raise Unsure
    return scores((stem, t, m, v) for m, t, v in words)


def four_written(words: list[list[str]], stem: str) -> Rows:
    if any(len(w) != 4 or w[2] == "all" for w in words) or {w[2] for w in words} != {"AP"}:
        raise Unsure
    if any(
        re.search("@|^(map|ap|n?dcg|rr|err|rbp|p_|r@|recall|bpref|success|judged|mrr|recip)", w[1], re.I) for w in words
    ):
        raise Unsure
    return scores((s, t, m, v) for s, t, m, v in words)


# ── JSON ──
def nested(value: Any, stem: str) -> Rows:
    depth = {isinstance(x, dict) for docs in value.values() for x in docs.values()}
    if depth == {False}:
        if all(isinstance(s, int) for docs in value.values() for s in docs.values()):
            raise Unsure  # whole numbers may be grades
        return ranked((stem, t, d, s) for t, docs in value.items() for d, s in docs.items())
    return labels((t, d, a, g) for a, topics in value.items() for t, docs in topics.items() for d, g in docs.items())


def quepid(value: Any, stem: str) -> Rows:
    rows = []
    for pair in value["query_doc_pairs"]:
        for judgement in pair["judgements"]:
            if judgement["unrateable"] is not False or judgement["judge_later"] is not False:
                raise Unsure
            if grade(judgement["rating"]) not in map(str, value["scale"]):
                raise Unsure
            rows.append((pair["query_text"], pair["doc_id"], judgement["user_email"], judgement["rating"]))
    return labels(rows)


def elastic_request(value: Any, stem: str) -> Rows:
    rows = [(r["id"], x["_index"], x["_id"], x["rating"]) for r in value["requests"] for x in r["ratings"]]
    several = len({ident(r[1]) for r in rows}) > 1
    return labels((t, f"{ident(i)}/{ident(d)}" if several else d, stem, g) for t, i, d, g in rows)


def elastic_response(value: Any, stem: str) -> Rows:
    if "rank_eval" in value:
        rows = [(stem, t, "metric_score", d["quality_level"]) for t, d in value["rank_eval"]["details"].items()]
        return scores(rows)
    found = []
    for topic, detail in value["details"].items():
        hits = [h["hit"] for h in detail["hits"]]
        if len({ident(h["_index"]) for h in hits}) > 1:
            raise Unsure
        found.append((stem, ident(topic), tuple(ident(h["_id"]) for h in hits)))
    return found


def opensearch(value: Any, stem: str) -> Rows:
    return labels((q["query"], r["docId"], stem, r["rating"]) for q in value["judgmentRatings"] for r in q["ratings"])


def opensearch_results(value: Any, stem: str) -> Rows:
    if any(v.get("metrics") for v in value):
        return scores(
            (v["searchConfigurationId"], v["searchText"], m["metric"], m["value"]) for v in value for m in v["metrics"]
        )
    return [
        (ident(v["searchConfigurationId"]), ident(v["searchText"]), tuple(map(ident, v["documentIds"]))) for v in value
    ]


def umbrela(records: Any, stem: str) -> Rows:
    if any(r["result_status"] != 1 or r["result_status"] is True for r in records):
        raise Unsure
    return labels((r["qid"], r["docid"], r["model"], r["judgment"]) for r in records)


def label_studio(value: Any, stem: str) -> Rows:
    rows = []
    for task in value:
        if task["predictions"]:
            raise Unsure
        for given in task["annotations"]:
            (result,) = given["result"]
            (choice,) = result["value"]["choices"]
            if given["was_cancelled"] is not False or result["from_name"] != "rel" or result["type"] != "choices":
                raise Unsure
            rows.append((task["data"]["qid"], task["data"]["docno"], given["completed_by"], choice))
    return labels(rows)


def argilla(value: Any, stem: str) -> Rows:
    rows = []
    for record in value:
        if set(record["responses"]) != {"rel"} or set(record["suggestions"]) != {"rel"}:
            raise Unsure
        topic, doc = record["metadata"]["qid"], record["metadata"]["docno"]
        for given in record["responses"]["rel"]:
            if given["status"] != "submitted":
                raise Unsure
            rows.append((topic, doc, given["user_id"], given["value"]))
        rows.append((topic, doc, record["suggestions"]["rel"]["agent"], record["suggestions"]["rel"]["value"]))
    return labels(rows)


def mlflow(value: Any, stem: str) -> Rows:
    if any(a["source"]["source_type"] != "HUMAN" for a in value):
        raise Unsure
    return labels((a["trace_id"], a["name"], a["source"]["source_id"], a["feedback"]["value"]) for a in value)


def ragas(records: Any, stem: str) -> Rows:
    found = []
    for r in records:
        if set(r) != {"user_input", "retrieved_context_ids", "reference_context_ids", "context_recall"}:
            raise Unsure
        if not isinstance(r["retrieved_context_ids"], list) or not isinstance(r["reference_context_ids"], list):
            raise Unsure
        found.append((stem, ident(r["user_input"]), tuple(map(ident, r["retrieved_context_ids"]))))
    return found


def promptfoo(value: Any, stem: str) -> Rows:
    rows = []
    for r in value["results"]["results"]:
        if type(r["testIdx"]) is not int or type(r["promptIdx"]) is not int or set(r["provider"]) != {"id"}:
            raise Unsure
        rows.append((r["provider"]["id"], r["testIdx"], "score", r["score"]))
        rows += [(r["provider"]["id"], r["testIdx"], name, v) for name, v in r["namedScores"].items()]
    return scores(rows)


def inspect(value: Any, stem: str) -> Rows:
    worth = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
    rows = []
    for sample in value["samples"]:
        for name, given in sample["scores"].items():
            if given["value"] not in worth or sample["epoch"] != 1:
                raise Unsure
            rows.append((value["eval"]["model"], sample["id"], name, worth[given["value"]]))
    return scores(rows)


def lm_eval(records: Any, stem: str) -> Rows:
    rows = []
    for r in records:
        if set(r) != {"doc_id", "target", "metrics", *r["metrics"]} or not isinstance(r["metrics"], list):
            raise Unsure
        rows += [(stem, r["doc_id"], m, r[m]) for m in r["metrics"]]
    return scores(rows)


def deepeval(value: Any, stem: str) -> Rows:
    rows = []
    for case in value["testCases"]:
        rows += [(stem, case["name"], m["name"], m["score"]) for m in case["metricsData"]]
    return scores(rows)


ORACLES: dict[str, Callable[[Any, str], Rows]] = {
    "pyterrier": pyterrier, "ir_measures": ir_measures, "nested": nested, "quepid case": quepid_case,
    "quepid book csv": quepid_book, "quepid": quepid, "elasticsearch request": elastic_request,
    "elasticsearch response": elastic_response, "opensearch": opensearch, "opensearch results": opensearch_results,
    "umbrela": umbrela, "crowd-kit": crowd_kit, "crowdflower": crowdflower, "mturk": mturk,
    "label studio": label_studio, "argilla": argilla, "mlflow": mlflow, "ragas": ragas, "promptfoo": promptfoo,
    "inspect": inspect, "lm-eval": lm_eval, "deepeval": deepeval, "lara": lara, "cje": cje, "trec_eval": written,
    "four columns": four_written, "score records": score_table, "wide scores": wide_scores,
}  # fmt: skip


def meaning(door: str, file: str, data: bytes) -> Any:
    """{row without its value: value} of a file; `Unsure` where it is out of the ordinary, `Refused` where broken."""
    stem, _, ending = file.rpartition(".")
    parsed: Any
    if ending in ("json", "jsonl"):
        parsed = whole(data, ending == "jsonl")
    elif ending == "txt":
        parsed = word_lines(data)
    else:
        parsed = table(data, "\t" if ending == "tsv" else ",")
    try:
        rows = ORACLES[door](parsed, stem)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise Unsure from error
    out = {row[:-1]: row[-1] for row in rows}
    if len(out) < len(rows) or not out or any(v == () for v in out.values()):
        raise Unsure
    return out
