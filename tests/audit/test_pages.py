"""How data gets into pages."""

from __future__ import annotations

from pathlib import Path

from audit_studies import PAIR, texts
from served_study import ORIGIN, Served, served_study  # noqa: F401 (a fixture)

from dissensus.audit.pages import STATIC, rendered, resource
from dissensus.audit.store import StudyStore


def test_hostile_texts_stay_data(tmp_path: Path) -> None:
    from dissensus.io.documents import Document

    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028"
    plain = texts()
    evil = type(plain)(plain.topics, {d: Document(hostile, hostile, "javascript:alert(3)") for d in plain.documents})
    from audit_studies import MEASURE, sample

    from dissensus.audit.settings import StudySettings
    from dissensus.audit.study import new_study

    s = sample()
    settings = StudySettings(MEASURE, PAIR, guideline=hostile, title=hostile, names=(hostile, "b", "c", "d"))
    study = new_study(StudyStore.create(tmp_path / "s.db"), s.runs, s.judgments, settings, evil, assessor="llm")
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


def test_data_cannot_end_its_script():
    text = rendered("owner.html", data={"x": "</script><script>alert(1)</script>"}, title="<b>", root="")
    assert "<script>alert(1)" not in text
    assert "<b>" not in text.split("</title>")[0]


def test_every_file_that_pages_load_is_there():
    for name in STATIC:
        assert resource(name)
