"""Judging without a server."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from audit_studies import small_study
from refusals import refused

from dissensus.audit.offline import label_studio_config, label_studio_tasks, offline_page, quepid_book, reserve
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Person, Study
from dissensus.errors import InputError


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return small_study(StudyStore.create(tmp_path / "study.db"), second_share=0.2)


def people(study: Study) -> list[Person]:
    return [p for p in study.people() if p.role == "assessor"]


def test_pages_share_the_documents_and_hold_nothing_else(study: Study) -> None:
    ann, ben = people(study)
    given = reserve(study, [ann, ben], 20)
    firsts = [r.position for rows in given.values() for r in rows if r.role == "first"]
    assert sorted(firsts) == list(range(1, 21))
    page = offline_page(study, ann, given[ann.id])
    mine, other = ({r.doc for r in given[p.id]} for p in (ann, ben))
    for secret in (*study.runs.systems, "bronze", study.row.measure, study.row.order_hash, *(other - mine)):
        assert secret not in page, secret
    assert "default-src 'none'" in unescape(page)
    assert page.count("sha256-") == 2
    assert 'src="' not in page


def test_documents_are_given_out_from_the_first_of_the_order(study: Study) -> None:
    ann, ben = people(study)
    with refused(InputError, "count=0"):
        reserve(study, [ann, ben], 0)
    given = reserve(study, [ann, ben], 10_000)
    firsts = [r.position for rows in given.values() for r in rows if r.role == "first"]
    assert sorted(firsts) == list(range(1, len(study.order) + 1))


def test_what_goes_to_other_tools_holds_texts_and_grades_only(study: Study) -> None:
    ann, ben = people(study)
    rows = reserve(study, [ann, ben], 5)[ann.id]
    tasks = json.loads(label_studio_tasks(study, rows))
    assert [t["data"]["assignment"] for t in tasks] == [r.id for r in rows]
    config = ElementTree.fromstring(label_studio_config(study))
    assert [c.get("value") for c in config.iter("Choice")] == [*study.grades, "cannot judge"]
    book = json.loads(quepid_book(study, rows))
    assert book["scale"] == [0, 1, 2, 3]
    assert len({p["query_text"] for p in book["query_doc_pairs"]}) == len({r.topic for r in rows})
    for text in (json.dumps(tasks), json.dumps(book)):
        assert not any(system in text for system in study.runs.systems)
