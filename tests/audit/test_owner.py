"""The owner's side of the server."""

from __future__ import annotations

from served_study import ORIGIN, Served, served_study  # noqa: F401 (a fixture)


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
    assert state["state"] in ("leaning", "undecided")
    assert len(state["curve"]) == state["labels"]
    assert state["closed"] is None
    assert served.post("/close", {}, "owner").status_code == 400
    assert served.post("/close", {"confirm": True}, "owner").status_code == 200
    report = served.get("/report.html", "owner")
    assert "Audit:" in report.text
    assert "sandbox" in report.headers["content-security-policy"]
    audit = served.get("/audit.csv", "owner").text
    assert audit.startswith("topic,doc,grade,inclusion,covers,pairs,draw,of,rate,next_key,assessor,second,stop\n")
    assert "ann" not in audit
    assert served.get("/log.csv", "owner").text.count("\n") == 25
    assert served.get("/nothing", "owner").status_code == 404
    refused = served.post("/label", {"assignment": 1, "action": "undo", "request": "late"})
    assert refused.status_code in (404, 409)
    assert served.get("/next").json()["over"] is True
