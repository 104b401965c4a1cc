"""The server: tokens, origins, sizes, blind answers, hostile texts; no page that nobody asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audit_studies import PAIR, small_study, texts
from starlette.testclient import TestClient

from dissensus.audit.people import issue_tokens
from dissensus.audit.server import application
from dissensus.audit.store import Store
from dissensus.audit.study import Study

ORIGIN = {"origin": "http://testserver"}


class Served:
    """A study behind a client."""

    def __init__(self, study: Study, hosts: frozenset[str] | None = frozenset({"testserver"})) -> None:
        self.study, self.tokens = study, issue_tokens(study)
        self.client = TestClient(application(study, hosts=hosts), raise_server_exceptions=False)

    def get(self, path: str, name: str = "ann", **options: Any) -> Any:
        return self.client.get(f"/{'o' if name == 'owner' else 'a'}/{self.tokens[name]}{path}", **options)

    def post(self, path: str, body: Any, name: str = "ann", headers: dict[str, str] | None = None) -> Any:
        return self.client.post(
            f"/{'o' if name == 'owner' else 'a'}/{self.tokens[name]}{path}", json=body,
            headers=ORIGIN if headers is None else headers,
        )  # fmt: skip

    def first(self, name: str = "ann") -> dict[str, Any]:
        self.get("", name)
        return dict(self.get("/next", name).json()["documents"][0])


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(small_study(Store.create(tmp_path / "study.db")))


def test_links_are_the_only_way_in(served: Served) -> None:
    for path in ("/a/wrong", "/o/wrong", f"/o/{served.tokens['ann']}", f"/a/{served.tokens['owner']}"):
        assert served.client.get(path).status_code == 404
    assert served.client.get("/").text == "Open the link that you were given."
    for path in ("/static/", "/static/server.py", "/static/..%2fserver.py", "/a", "/docs", "/favicon.ico"):
        assert served.client.get(path).status_code == 404


def test_tokens_are_stored_hashed(served: Served, tmp_path: Path) -> None:
    stored = b"".join(f.read_bytes() for f in tmp_path.glob("study.db*"))
    for token in served.tokens.values():
        assert token.encode() not in stored


def test_every_answer_has_the_policy_and_no_cookie(served: Served) -> None:
    for answer in (served.get(""), served.get("/next"), served.client.get("/static/judge.js"), served.get("", "owner"),
                   served.client.get("/nothing"), served.post("/label", {}, headers={})):  # fmt: skip
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "http" not in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://testserver"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({}, 403),
        ({"origin": "http://testserver", "content-type": "text/plain"}, 415),
    ],
)
def test_only_our_own_page_may_post(served: Served, headers: dict[str, str], status: int) -> None:
    entry = {"assignment": served.first()["assignment"], "action": "grade", "grade": "1", "request": "r"}
    assert served.post("/label", entry, headers=headers).status_code == status


def test_the_server_answers_to_its_own_name_only(served: Served) -> None:
    assert served.get("", headers={"host": "evil.example"}).status_code == 421
    assert served.get("", headers={"host": "testserver:8321"}).status_code == 200


def test_requests_that_are_no_labels_are_refused(served: Served) -> None:
    key = served.first()["assignment"]
    good = {"assignment": key, "action": "grade", "grade": "1", "request": "r"}
    for bad in ([], {}, {**good, "grade": 1}, {**good, "extra": 1}, {**good, "assignment": True}, {**good, "at": 1},
                {**good, "assignment": 2**70}, {**good, "seconds": "x"}, {**good, "grade": "9"}):  # fmt: skip
        assert served.post("/label", bad).status_code == 400, bad
    long = served.post("/label", {**good, "comment": "x" * 20_000})
    assert long.status_code == 413
    assert served.post("/label", {**good, "assignment": 10**9}).status_code == 404
    url = f"/a/{served.tokens['ann']}/label"
    json_type = {**ORIGIN, "content-type": "application/json"}
    assert served.client.post(url, content=b"{not json", headers=json_type).status_code == 400
    assert served.client.put(url).status_code == 405


def test_a_label_is_acknowledged_with_the_next_documents(served: Served) -> None:
    document = served.first()
    entry = {"assignment": document["assignment"], "action": "grade", "grade": "1", "request": "r", "seconds": 3.5}
    answer = served.post("/label", entry).json()
    assert answer["judged"] == 1
    assert document["assignment"] not in [d["assignment"] for d in answer["documents"]]
    assert served.post("/label", entry).json()["judged"] == 1  # again: harmless
    changed = served.post("/label", {**entry, "request": "other"})
    assert (changed.status_code, "graded already" in changed.json()["error"]) == (409, True)


def test_every_byte_for_an_assessor_is_free_of_systems_labels_and_intervals(tmp_path: Path) -> None:
    """A judge whose labels have odd names is audited; no answer to an assessor holds one, nor a system, rank or id."""
    from audit_studies import MEASURE, sample

    from dissensus.audit.settings import Settings
    from dissensus.audit.study import new_study
    from dissensus.data.tables.judgments import Judgments

    s = sample()
    named = {"0": "BRONZEZERO", "1": "BRONZEONE", "2": "BRONZETWO", "3": "BRONZETHREE"}
    frame = s.judgments.select(assessors=["llm"]).to_frame()
    frame = frame.with_columns(grade=frame["grade"].cast(str).replace_strict(named))
    bronze = Judgments.from_frame(frame, scale=tuple(named.values()))
    settings = Settings(MEASURE, PAIR, seed=5, scale=s.judgments.scale, experts=("ann", "ben"), second_share=0.5)
    study = new_study(Store.create(tmp_path / "study.db"), s.runs, bronze, settings, texts())
    served = Served(study)
    received = [served.get(""), *(served.client.get(f"/static/{n}") for n in ("page.css", "judge.js", "assess.js"))]
    for i in range(25):
        for name in ("ann", "ben"):
            received.append(served.get("", name))
            received.append(served.get("/next", name))
            for document in received[-1].json()["documents"][:1]:
                entry = {"assignment": document["assignment"], "action": "grade", "grade": "2", "request": f"{name}{i}"}
                received.append(served.post("/label", entry, name))
                assert set(document) == {"assignment", "topic", "document"}
                assert set(document["topic"]) == {"query", "description", "narrative"}
                assert set(document["document"]) == {"title", "text", "url"}
    everything = "\n".join([a.text + json.dumps(dict(a.headers)) for a in received])
    assert len(everything) > 50_000
    for secret in (*named.values(), *s.runs.systems, "llm", study.id, study.row.order_hash, MEASURE, "interval",
                   "verdict", "estimate", "bronze", "rank", "expert-", "ann", "ben"):  # fmt: skip
        if secret in ("ann", "ben", "rank"):
            assert f'"{secret}' not in everything
        else:
            assert secret not in everything.replace("dissensus", ""), secret


def test_hostile_texts_stay_data(tmp_path: Path) -> None:
    from dissensus.data.readers.documents import Document

    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028"
    plain = texts()
    evil = type(plain)(plain.topics, {d: Document(hostile, hostile, "javascript:alert(3)") for d in plain.documents})
    from audit_studies import MEASURE, sample

    from dissensus.audit.settings import Settings
    from dissensus.audit.study import new_study

    s = sample()
    settings = Settings(MEASURE, PAIR, guideline=hostile, title=hostile, names=(hostile, "b", "c", "d"))
    study = new_study(Store.create(tmp_path / "s.db"), s.runs, s.judgments, settings, evil, assessor="llm")
    served = Served(study)
    first = study.people()[0].name
    page = served.get("", first).text
    assert "<img" not in page
    assert "<script>alert" not in page
    assert "<script>alert" not in served.get("", "owner").text
    answer = served.get("/next", first)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.json()["documents"][0]["document"]["text"] == hostile


def test_the_owner_sees_closes_and_downloads(served: Served) -> None:
    assert served.get("/report.html", "owner").status_code == 409
    assert served.get("/audit.csv", "owner").status_code == 409
    for i in range(12):
        for name in ("ann", "ben"):
            document = served.first(name)
            entry = {"assignment": document["assignment"], "action": "grade", "grade": "1", "request": f"{i}{name}"}
            assert served.post("/label", entry, name).status_code == 200
    state = served.get("/state", "owner").json()
    assert state["labels"] >= 10
    assert state["state"] in ("leaning", "cannot tell yet")
    assert len(state["curve"]) == state["labels"]
    assert state["closed"] is None
    assert served.post("/close", {}, "owner").status_code == 400
    assert served.post("/close", {"confirm": True}, "owner").status_code == 200
    report = served.get("/report.html", "owner")
    assert "Audit:" in report.text
    assert "sandbox" in report.headers["content-security-policy"]
    audit = served.get("/audit.csv", "owner").text
    assert audit.startswith("topic,doc,grade,inclusion,covers,pairs,draw,rate,next_key,assessor,second\n")
    assert "ann" not in audit
    assert served.get("/log.csv", "owner").text.count("\n") == 25
    assert served.get("/nothing", "owner").status_code == 404
    refused = served.post("/label", {"assignment": 1, "action": "undo", "request": "late"})
    assert refused.status_code in (404, 409)
    assert served.get("/next").json()["over"] is True
