"""The server: tokens, origins, sizes, blind answers, hostile texts; no page that nobody asked for."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from audit_studies import PAIR, small_study, texts
from refusals import refused
from served_study import ORIGIN, Served, served_study  # noqa: F401 (a fixture)
from starlette.testclient import TestClient
from wording import phrase

from dissensus.audit import judging, labelling
from dissensus.audit.people import issue_tokens
from dissensus.audit.security import Way, names_of, path_of
from dissensus.audit.server import MOST_AT_ONCE, Links, address_of, application, bind, links
from dissensus.audit.store import StudyStore
from dissensus.errors import InputError


def test_links_are_the_only_way_in(served: Served) -> None:
    for path in ("/a/wrong", "/o/wrong", f"/o/{served.tokens['ann']}", f"/a/{served.tokens['owner']}"):
        assert served.client.get(path).status_code == 404
    assert served.client.get("/").text == phrase("server.open-link-given")
    for path in ("/static/", "/static/server.py", "/static/..%2fserver.py", "/a", "/docs", "/favicon.ico"):
        assert served.client.get(path).status_code == 404


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
    assert (changed.status_code, phrase("importing.graded-already") in changed.json()["error"]) == (409, True)


def test_every_byte_for_an_assessor_is_free_of_systems_labels_and_intervals(tmp_path: Path) -> None:
    """A judge whose labels have odd names is audited; no answer to an assessor holds one, nor a system, rank or id."""
    from audit_studies import MEASURE, sample

    from dissensus.audit.settings import StudySettings
    from dissensus.audit.study import new_study
    from dissensus.tables.judgments import Judgments

    s = sample()
    named = {"0": "BRONZEZERO", "1": "BRONZEONE", "2": "BRONZETWO", "3": "BRONZETHREE"}
    frame = s.judgments.select(assessors=["llm"]).to_frame()
    frame = frame.with_columns(grade=frame["grade"].cast(str).replace_strict(named))
    bronze = Judgments.from_frame(frame, scale=tuple(named.values()))
    settings = StudySettings(MEASURE, PAIR, seed=5, scale=s.judgments.scale, experts=("ann", "ben"), second_share=0.5)
    study = new_study(StudyStore.create(tmp_path / "study.db"), s.runs, bronze, settings, texts())
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


def test_experts_and_the_owner_have_different_links(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    tokens = issue_tokens(study)
    found = links(study, tokens, "http://host:1")
    assert found["ann"] == f"http://host:1/a/{tokens['ann']}"
    assert found["owner"] == f"http://host:1/o/{tokens['owner']}"
    assert len(set(found.values())) == 3


def test_any_free_port_is_taken_and_a_taken_one_is_named() -> None:
    listening = bind("127.0.0.1", 0)
    try:
        port = listening.getsockname()[1]
        assert address_of(listening) == f"http://127.0.0.1:{port}"
        assert address_of(listening, "::1") == f"http://[::1]:{port}"
        with refused(InputError, "127.0.0.1", port):
            bind("127.0.0.1", port)
    finally:
        listening.close()


def test_what_is_the_clients_fault_is_answered_so(served: Served) -> None:
    """FINDINGS D3, D6: a lone surrogate, a huge draw and a broken Origin were answered with 500."""
    key = served.first()["assignment"]
    good = {"assignment": key, "action": "grade", "grade": "1", "request": "r"}
    url, headers = f"/a/{served.tokens['ann']}/label", {**ORIGIN, "content-type": "application/json"}
    for text in (
        '{"comment": "\\ud800"}',
        '{"request": "\\udfff"}',
        '{"seconds": 1e999}',
        '{"assignment": 1180591620717411303424}',
    ):
        body = json.dumps({**good, **json.loads(text)})
        assert served.client.post(url, content=body, headers=headers).status_code == 400, text
    assert served.post("/label", good, headers={"origin": "http://[bad"}).status_code == 403
    assert served.post("/adjudicate", {"draw": 2**70, "grade": "1"}, "owner").status_code == 400
    assert served.post("/label", good).status_code == 200


def test_a_database_that_is_away_is_said_without_statements(
    served: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """FINDINGS D5: the owner learns why, the expert that nothing is lost, the log nothing of what was written."""
    key = served.first()["assignment"]

    def full(*_: object) -> None:
        raise sa.exc.OperationalError("INSERT INTO label", {"comment": "secret"}, Exception("database or disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr(labelling, "record", full)
        entry = {"assignment": key, "action": "grade", "grade": "1", "request": "r", "comment": "secret"}
        answer = served.post("/label", entry)
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    assert "secret" not in answer.text + capfd.readouterr().err
    health = served.get("/state", "owner").json()["health"]
    assert "full" in health["trouble"]["what"]
    assert health["failed"] == 1


def test_an_error_of_ours_is_noted_in_one_line(
    served: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(judging, "situation", broken)
        assert served.get("/next").status_code == 500
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "KeyError" in said
    assert "secret" not in said
    assert served.get("/next").status_code == 200


def test_a_link_has_so_many_requests_at_once() -> None:
    links = Links()
    with contextlib.ExitStack() as stack:
        assert [stack.enter_context(links.busy(1)) for _ in range(MOST_AT_ONCE + 1)] == [True] * MOST_AT_ONCE + [False]
        with links.busy(2) as allowed:
            assert allowed
    with links.busy(1) as allowed:
        assert allowed


def test_behind_a_proxy_pages_lie_under_its_path(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    way = Way("/audit", forwarded=True, hosts=names_of(None, "https://audit.example.org"))
    token = issue_tokens(study)["ann"]
    client = TestClient(application(study, way=way), raise_server_exceptions=False, base_url="http://127.0.0.1")
    told = {"x-forwarded-host": "audit.example.org"}
    for path in (f"/audit/a/{token}", f"/a/{token}"):  # the proxy may take the path away, or not
        page = client.get(path, headers=told)
        assert page.status_code == 200
        assert 'src="/audit/static/judge.js"' in page.text
    assert client.get("/audit/static/judge.js", headers=told).status_code == 200
    key = client.get(f"/a/{token}/next", headers=told).json()["documents"][0]["assignment"]
    entry = {"assignment": key, "action": "grade", "grade": "1", "request": "r"}
    ours = {**told, "origin": "https://audit.example.org"}
    assert client.post(f"/audit/a/{token}/label", json=entry, headers=ours).status_code == 200
    assert client.get("/", headers={"x-forwarded-host": "evil.example"}).status_code == 421
    plain = TestClient(application(study, way=Way(hosts=way.hosts)), base_url="http://127.0.0.1")
    assert plain.post(f"/a/{token}/label", json=entry, headers=ours).status_code == 403  # not asked, not believed
    with bind("127.0.0.1", 0) as listening:
        assert address_of(listening, "https://audit.example.org/") == "https://audit.example.org"
    with refused(InputError, "../x"):
        path_of("../x")
