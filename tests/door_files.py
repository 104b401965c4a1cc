# ruff: noqa: E501
"""One plain and one awkward file of every door, and one that only looks like it, written from the producers' formats.

`DOORS[name]` is (plain, awkward, wrong): plain and awkward are (file name, content, kind, rows expected), where rows are
(topic, doc, assessor, grade), (system, topic, doc) or (system, topic, measure, value); wrong is (file name, content).
"""

from __future__ import annotations

import json
from typing import Any

J, R, S = "judgments", "runs", "scores"


def lines(*records: Any) -> str:
    return "".join(json.dumps(r) + "\n" for r in records)


def book(*pairs: Any, scale: Any = (0, 1, 2, 3)) -> str:
    return json.dumps({"name": "b", "scale": list(scale), "query_doc_pairs": list(pairs)})


def judged(rating: Any, who: Any = "ann@x", **more: Any) -> dict[str, Any]:
    return {"rating": rating, "unrateable": False, "judge_later": False, "user_email": who, **more}


def task(number: int, data: Any, *given: Any, predictions: Any = ()) -> dict[str, Any]:
    return {"id": number, "data": data, "annotations": list(given), "predictions": list(predictions)}


def answer(value: Any, who: Any = 1, name: str = "rel", cancelled: bool = False) -> dict[str, Any]:
    inner = {"choices": [value]} if isinstance(value, str) else {"rating": value}
    kind = "choices" if isinstance(value, str) else "rating"
    result = [{"from_name": name, "type": kind, "value": inner}] if value is not None else []
    return {"completed_by": who, "was_cancelled": cancelled, "result": result}


def assessed(trace: str, who: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"trace_id": trace, "name": "relevance", "source": {"source_type": "HUMAN", "source_id": who},
            "feedback": {"value": value}, **more}  # fmt: skip


UMBRELA_REQUEST = lines({"query": {"text": "what  is x", "qid": "q1"}, "candidates": [
    {"docid": "d1", "doc": {"segment": "x is y"}}, {"docid": "d2", "doc": {"segment": "z"}}]})  # fmt: skip


def umbrela(passage: str, grade: int, status: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "model": "gpt",
        "query": "what is x",
        "passage": passage,
        "judgment": grade,
        "result_status": status,
        **more,
    }


DOORS: dict[str, tuple[Any, Any, Any]] = {
    "pyterrier": (
        ("res.csv", "qid,docno,score,rank,query\nq1,d1,2.5,0,a b\nq1,d2,1.5,1,a b\n", R, [("res", "q1", "d1"), ("res", "q1", "d2")]),
        ("qrels.csv", 'qid,docno,docid,label,iteration,query\nq1,d1,7,2,0,"a\nb"\nq1,d2,8,NA,0,c\n', J, None),
        ("bad.csv", "qid,query\nq1,a b\n"),
    ),
    "ir_measures": (
        ("q.csv", "query_id,doc_id,relevance,iteration\nq1,d1,2,0\nq1,d2,0,0\n", J, [("q1", "d1", "q", 2), ("q1", "d2", "q", 0)]),
        ("r.tsv", "query_id\tdoc_id\tscore\nq1\td 1\t-1e-3\n", R, [("r", "q1", "d 1")]),
        ("bad.csv", "query_id,relevance\nq1,1\n"),
    ),
    "nested": (
        ("bm25.json", '{"q1": {"d1": 2.5, "d2": 1}}', R, [("bm25", "q1", "d1"), ("bm25", "q1", "d2")]),
        ("gold.json", '{"ann": {"q1": {"d1": 2}}, "bob": {"q1": {}, "q2": {"d1": 0}}}', J, [("q1", "d1", "ann", 2), ("q2", "d1", "bob", 0)]),
        ("bad.json", '{"q1": {"d1": "high"}}'),
    ),
    "quepid case": (
        ("case.csv", "query,docid,rating\na b,d1,3\na b,d2,0\n", J, [("a b", "d1", "case", 3), ("a b", "d2", "case", 0)]),
        ("case.csv", "query,docid,rating\na b,d1,3\na b,d2,\n", J, [("a b", "d1", "case", 3)]),
        ("case.csv", "query,docid,rating\na b,,3\n"),
    ),
    "quepid book csv": (
        ("book.csv", "query,docid,ann,bob\nq,d1,3,1\nq,d2,0,0\n", J, [("q", "d1", "ann", 3), ("q", "d2", "ann", 0), ("q", "d1", "bob", 1), ("q", "d2", "bob", 0)]),
        ("book.csv", "query,docid,ann,bob,notes\n =q,d1,3,,see\n =q,d2,,2,\n", J, [("=q", "d1", "ann", 3), ("=q", "d2", "bob", 2)]),
        ("book.csv", "query,docid,ann\nq,d1,x\n"),
    ),
    "quepid": (
        ("b.json", book({"query_text": "q", "doc_id": "d1", "judgements": [judged(2.0), judged(0.0, "bob@x")]}), J,
         [("q", "d1", "ann@x", 2), ("q", "d1", "bob@x", 0)]),
        ("b.json", book({"query_text": " q  r ", "doc_id": 7, "position": 1, "judgements": [
            judged(None, unrateable=True), judged(1.0, None), judged(3.0, "c@x", judge_later=True)]},
            {"query_text": "q r", "doc_id": 8, "judgements": []}), J, [("q r", "7", "anonymous", 1)]),
        ("b.json", book({"doc_id": "d1", "judgements": [judged(1)]})),
    ),
    "elasticsearch request": (
        ("req.json", json.dumps({"requests": [{"id": "q1", "ratings": [{"_index": "i", "_id": "d1", "rating": 3}]}]}), J, [("q1", "d1", "req", 3)]),
        ("req.json", json.dumps({"requests": [{"id": 1, "ratings": [{"_index": "i", "_id": "d", "rating": 0}, {"_index": "j", "_id": "d", "rating": 2}]}], "metric": {}}), J,
         [("1", "i/d", "req", 0), ("1", "j/d", "req", 2)]),
        ("req.json", json.dumps({"requests": [{"id": "q1", "ratings": [{"_index": "i", "rating": 3}]}]})),
    ),
    "elasticsearch response": (
        ("resp.json", json.dumps({"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs": [], "hits": [
            {"hit": {"_index": "i", "_id": "d2", "_score": 9.0}, "rating": 1}, {"hit": {"_index": "i", "_id": "d1", "_score": 9.5}, "rating": None}]}}, "failures": {}}),
         R, [("resp", "q1", "d2"), ("resp", "q1", "d1")]),
        ("resp.json", json.dumps({"rank_eval": {"quality_level": 0.25, "details": {"q1": {"quality_level": 0.25, "unknown_docs": [], "hits": [
            {"hit": {"_index": "i", "_id": "d1"}, "rating": None}]}}}}), S, [("resp", "q1", "metric_score", 0.25)]),
        ("resp.json", json.dumps({"details": {"q1": {"hits": [{"rating": 1}]}}})),
    ),
    "opensearch": (
        ("j.json", json.dumps({"type": "LLM_JUDGMENT", "judgmentRatings": [{"query": "q", "ratings": [{"docId": "d1", "rating": "3.000"}]}]}), J, [("q", "d1", "j", 3)]),
        ("j.json", json.dumps({"hits": {"hits": [{"_source": {"type": "IMPORT_JUDGMENT", "judgmentRatings": [
            {"query": "q", "ratings": [{"docId": "d1", "rating": "1.0"}], "failures": [{"docId": "d2"}]}]}}]}}), J, [("q", "d1", "j", 1)]),
        ("j.json", json.dumps({"judgmentRatings": [{"ratings": [{"docId": "d1", "rating": "3"}]}]})),
    ),
    "opensearch results": (
        ("e.json", json.dumps([{"searchConfigurationId": "a", "searchText": "q", "documentIds": ["d2", "d1"]}]), R, [("a", "q", "d2"), ("a", "q", "d1")]),
        ("e.json", json.dumps([{"searchConfigurationId": "a", "searchText": "q", "documentIds": [], "metrics": [{"metric": "P@10", "value": 0.33}]}]), S, [("a", "q", "P@10", 0.33)]),
        ("e.json", json.dumps([{"searchText": "q", "documentIds": ["d1"]}])),
    ),
    "umbrela": (
        ("u.jsonl", lines(umbrela("x is y", 2, qid="q1", docid="d1"), umbrela("z", 0, qid="q1", docid="d2")), J, [("q1", "d1", "gpt", 2), ("q1", "d2", "gpt", 0)]),
        ("u.jsonl", lines(umbrela("x is y", 2), umbrela("z", 0, status=0)), J, [("q1", "d1", "gpt", 2)]),
        ("u.jsonl", lines(umbrela("x is y", 2))),
    ),
    "crowd-kit": (
        ("c.csv", "task,worker,label\nt1,w1,1\nt1,w2,0\n", J, [("all", "t1", "w1", 1), ("all", "t1", "w2", 0)]),
        ("c.tsv", "question\tworker\tanswer\nt1\tw1\tyes\nt1\tw2\tno\n", J, [("all", "t1", "w1", "yes"), ("all", "t1", "w2", "no")]),
        ("c.csv", "worker,label\nw1,1\n"),
    ),
    "crowdflower": (
        ("f.csv", "_unit_id,_worker_id,_trust,relevance\n1,9,.8,2\n1,8,.9,1\n", J, [("all", "1", "9", 2), ("all", "1", "8", 1)]),
        ("f.csv", "_unit_id,_worker_id,_trust,how good,how good:confidence,query\n1,9,.8,2,1,q\n", J, [("q", "1", "9", 2)]),
        ("f.csv", "_unit_id,_worker_id,_trust,a,b\n1,9,.8,2,1\n"),
    ),
    "mturk": (
        ("m.csv", 'HITId,WorkerId,Input.qid,Input.docno,Answer.label\nH,w1,q1,d1,2\nH,w2,q1,d1,0\n', J, [("q1", "d1", "w1", 2), ("q1", "d1", "w2", 0)]),
        ("m.csv", 'HITId,WorkerId,Input.text,Answer.how_relevant\nH1,w1,"two\nlines",2\nH2,w1,x,0\n', J, [("all", "H1", "w1", 2), ("all", "H2", "w1", 0)]),
        ("m.csv", "HITId,WorkerId,Answer.a,Answer.b\nH1,w1,2,1\n"),
    ),
    "label studio": (
        ("l.json", json.dumps([task(1, {"qid": "q1", "docno": "d1"}, answer("2"), answer("1", 2))]), J, [("q1", "d1", "1", 2), ("q1", "d1", "2", 1)]),
        ("l.json", json.dumps([task(5, {"text": "x"}, answer(3, {"id": 4, "email": "ann@x"}), answer(1, 9, cancelled=True), answer(None, 8),
            predictions=[{"model_version": "llm", "result": answer(2)["result"]}])]), J, [("all", "5", "ann@x", 3), ("all", "5", "llm", 2)]),
        ("l.json", json.dumps([task(1, {"qid": "q1"}, answer("2", name="a"), answer("2", name="b"))])),
    ),
    "argilla": (
        ("a.json", json.dumps([{"id": "r1", "fields": {"text": "t"}, "metadata": {"qid": "q1", "docno": "d1"},
            "responses": {"rel": [{"value": 2, "user_id": "u1", "status": "submitted"}]}, "suggestions": {"rel": {"value": 1, "agent": "llm"}}}]), J,
         [("q1", "d1", "u1", 2), ("q1", "d1", "llm", 1)]),
        ("a.json", json.dumps([{"id": "r1", "fields": {"text": "t"}, "responses": [{"user_id": "u1", "status": "submitted", "values": {"rel": {"value": 2}}},
            {"user_id": "u2", "status": "discarded", "values": {"rel": {"value": 0}}}], "suggestions": []}]), J, [("all", "r1", "u1", 2)]),
        ("a.json", json.dumps([{"id": 1, "fields": {}, "responses": {"a": [{"value": 1, "user_id": "u"}], "b": [{"value": 1, "user_id": "u"}]}}])),
    ),
    "mlflow": (
        ("m.json", json.dumps([assessed("t1", "ann", 2), assessed("t1", "gpt", 1)]), J, [("t1", "relevance", "ann", 2), ("t1", "relevance", "gpt", 1)]),
        ("m.json", json.dumps([{"trace_id": "t1", "assessments": [assessed("t1", "ann", True), assessed("t1", "gpt", None, error={"error_code": "X"})]}]), J,
         [("t1", "relevance", "ann", 1)]),
        ("m.json", json.dumps([{"trace_id": "t1", "name": "x", "feedback": {"value": 1}}])),
    ),
    "ragas": (
        ("r.jsonl", lines({"user_input": "q", "retrieved_context_ids": ["d2", "d1"], "reference_context_ids": ["d1"], "context_recall": 1.0}), R,
         [("r", "q", "d2"), ("r", "q", "d1")]),
        ("r.jsonl", lines({"user_input": "q  r", "retrieved_context_ids": "['d2', 3]", "reference_context_ids": ["d1", 3], "response": "x"}), J,
         [("q r", "d1", "reference", 1), ("q r", "3", "reference", 1)]),
        ("r.jsonl", lines({"user_input": "q", "retrieved_context_ids": "d1", "reference": "x"})),
    ),
    "promptfoo": (
        ("p.json", json.dumps({"results": {"results": [{"promptIdx": 0, "testIdx": 3, "score": 1, "provider": {"id": "gpt"}, "namedScores": {"acc": 0.5}}]}}), S,
         [("gpt", "3", "score", 1.0), ("gpt", "3", "acc", 0.5)]),
        ("p.json", json.dumps({"results": [{"promptIdx": i, "testIdx": 0, "score": i, "provider": "gpt", "gradingResult": {"componentResults": [
            {"pass": True, "score": 1, "assertion": {"type": "llm-rubric"}}]}} for i in (0, 1)]}), J,
         [("0", "gpt × prompt 0", "llm-rubric", 1), ("0", "gpt × prompt 1", "llm-rubric", 1)]),
        ("p.json", json.dumps({"results": [{"promptIdx": 0, "testIdx": 0, "error": "timeout"}]})),
    ),
    "inspect": (
        ("i.json", json.dumps({"eval": {"model": "m"}, "samples": [{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}]}), S, [("m", "1", "match", 1.0)]),
        ("i.json", json.dumps({"eval": {}, "samples": [{"id": "a", "epoch": e, "scores": {"g": {"value": v}, "h": {"value": {"x": 1}}}} for e, v in ((1, "P"), (2, "I"))]}), S,
         [("model", "a", "g", 0.25)]),
        ("i.json", json.dumps({"samples": [{"id": 1, "scores": {"g": {"value": "?"}}}]})),
    ),
    "lm-eval": (
        ("samples_t.jsonl", lines({"doc_id": 0, "target": "x", "metrics": ["acc"], "acc": 1.0}, {"doc_id": 1, "target": "y", "metrics": ["acc"], "acc": 0.0}), S,
         [("samples_t", "0", "acc", 1.0), ("samples_t", "1", "acc", 0.0)]),
        ("samples_t.jsonl", lines({"doc_id": 0, "doc": {"q": 1}, "target": 3, "filtered_resps": ["a"], "exact_match": True}), S, [("samples_t", "0", "exact_match", 1.0)]),
        ("samples_t.jsonl", lines({"doc_id": 0, "target": "x", "metrics": ["acc"]})),
    ),
    "deepeval": (
        ("d.json", json.dumps({"testCases": [{"name": "t1", "input": "i", "metricsData": [{"name": "Faithfulness", "score": 0.8, "success": True}]}]}), S, [("d", "t1", "Faithfulness", 0.8)]),
        ("d.json", json.dumps({"testCases": [{"input": "a  b", "metricsData": [{"name": "F", "score": None}, {"name": "G", "score": 1}]}]}), J, [("a b", "d", "G", 1)]),
        ("d.json", json.dumps({"testCases": [{"metricsData": [{"name": "F", "score": 1}]}]})),
    ),
    "lara": (
        ("a.csv", "topic_id,doc_id,annotation,prob_yes,prob_no\n1,d1,1,.8,.2\n1,d2,0,.1,.9\n", J, [("1", "d1", "a", 1), ("1", "d2", "a", 0)]),
        ("a.csv", "topic_id,doc_id,prob_yes,prob_no\n1,d1,1,0\n1,d2,0,1\n", J, [("1", "d1", "prob_yes", 1), ("1", "d2", "prob_yes", 0), ("1", "d1", "prob_no", 0), ("1", "d2", "prob_no", 1)]),
        ("a.csv", "topic_id,doc_id,prob_yes\n1,d1,.8\n"),
    ),
    "cje": (
        ("c.csv", "prompt_id,judge_score,oracle_label\np1,1,0\np2,0,1\n", J, [("p1", "response", "judge", 1), ("p2", "response", "judge", 0), ("p1", "response", "oracle", 0), ("p2", "response", "oracle", 1)]),
        ("c.csv", "prompt_id,judge_score,oracle_label,prompt\np1,1,,x y\np2,0,1,z\n", J, [("p1", "response", "judge", 1), ("p2", "response", "judge", 0), ("p2", "response", "oracle", 1)]),
        ("c.csv", "judge_score,oracle_label\n1,0\n"),
    ),
    "trec_eval": (
        ("bm25.txt", "map \t q1\t0.5000\nmap\tq2\t0.2500\nmap\tall\t0.3750\n", S, [("bm25", "q1", "map", 0.5), ("bm25", "q2", "map", 0.25)]),
        ("bm25.txt", "runid\tall\tbm25\nnum_q\tall\t1\nmap\tq1\t0.3333\nmap\tall\t0.3333\n", S, [("bm25", "q1", "map", 0.3333)]),
        ("bm25.txt", "map q1 0.5\nmap q2 0.1\nmap all 0.5\n"),
    ),
    "four columns": (
        ("s.txt", "a q1 AP 0.5\na q2 AP 0.1\nb q1 AP 0.2\n", S, [("a", "q1", "AP", 0.5), ("a", "q2", "AP", 0.1), ("b", "q1", "AP", 0.2)]),
        ("s.txt", "a P@10 q1 0.5\na P@10 q2 1e-1\n", S, [("a", "q1", "P@10", 0.5), ("a", "q2", "P@10", 0.1)]),
        ("s.txt", "a q1 AP x\n"),
    ),
    "score records": (
        ("s.jsonl", lines({"run_id": "a", "topic_id": 1, "measure": "AP", "value": 0.5}), S, [("a", "1", "AP", 0.5)]),
        ("perquery.csv", "name,qid,measure,value\na b,q1,ndcg_cut_10,0.5\n", S, [("a b", "q1", "ndcg_cut_10", 0.5)]),
        ("s.jsonl", lines({"run_id": "a", "topic_id": 1, "measure": "AP", "value": "high"})),
    ),
    "wide scores": (
        ("w.csv", "topic,a,b\nq1,0.5,0.25\nq2,0.1,0.2\n", S, [("a", "q1", "score", 0.5), ("b", "q1", "score", 0.25), ("a", "q2", "score", 0.1), ("b", "q2", "score", 0.2)]),
        ("w.csv", "system,q1,q2\na,0.5,\nb,0.25,0.2\n", S, [("a", "q1", "score", 0.5), ("b", "q1", "score", 0.25), ("b", "q2", "score", 0.2)]),
        ("w.csv", "x,a,b\nq1,0.5,0.25\n"),
    ),
}  # fmt: skip
