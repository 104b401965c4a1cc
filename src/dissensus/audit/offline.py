"""Judging without a server: a page to mail, tasks for Label Studio, a book for Quepid.

Each is made for one expert and holds documents given out to them, under the numbers of their assignments, so that what
comes back is as certain as what a browser sends. Nothing in it says more than the page of the server does.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any
from xml.sax.saxutils import quoteattr

import sqlalchemy as sa

from dissensus.audit import assigning, pages, schema
from dissensus.audit.server import assessor_view
from dissensus.audit.study import Person, Study
from dissensus.errors import InputError, Option, Text

CANNOT = "cannot judge"


def reserve(study: Study, people: list[Person], count: int) -> dict[int, list[Any]]:
    """{expert: their open assignments} after the first `count` documents of the order have been given out."""
    if count < 1:
        raise InputError(Text(Option("count", count), ": at least one document is needed."))
    with study.store.write() as connection:
        row = assigning.lock(connection, study.id)
        if row.closed is not None:
            raise InputError("the study is closed.")
        for person in people:
            assigning.join(connection, study.id, person.id)
        assigning.open_through(connection, study.id, min(count, len(study.order)))
        return {p.id: _open(connection, study.id, p.id) for p in people}


def _open(connection: sa.Connection, study_id: str, who: int) -> list[Any]:
    a, i = schema.assignment.c, schema.item.c
    query = sa.select(a.id, a.role, i.topic, i.doc, i.position, i.topic_text, i.doc_text).select_from(schema.GIVEN)
    mine = query.where(i.study == study_id, a.assessor == who, a.state == "open").order_by(a.turn)
    return list(connection.execute(mine))


def offline_page(study: Study, person: Person, rows: list[Any]) -> str:
    """One HTML file with everything: it loads nothing, and keeps judgments in the browser until they are downloaded."""
    import markupsafe

    documents = [
        {"assignment": r.id, "topic": json.loads(r.topic_text), "document": json.loads(r.doc_text)} for r in rows
    ]
    page = hashlib.sha256(f"{study.id}:{person.id}:{rows[0].id if rows else 0}".encode()).hexdigest()[:12]
    total = min(study.stop.budget or len(study.order), len(study.order))
    ending = f"All {len(rows):,} documents of this page are judged. The study has up to {total:,}: more may follow."
    data = {**assessor_view(study), "study": study.id, "page": page, "documents": documents, "ending": ending}
    script, style = pages.resource("judge.js") + pages.resource("offline.js"), pages.resource("page.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return pages.rendered(
        "offline.html", data=data, title="Judge documents", policy=policy, script=markupsafe.Markup(script),
        style=markupsafe.Markup(style),
    )  # fmt: skip


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def label_studio_tasks(study: Study, rows: list[Any]) -> str:
    """Tasks for Label Studio, as JSON; `label_studio_config` is the labelling interface that fits."""
    tasks = []
    for r in rows:
        topic, document = json.loads(r.topic_text), json.loads(r.doc_text)
        texts = {name: topic.get(name, "") for name in ("query", "description", "narrative")}
        texts |= {name: document.get(name, "") for name in ("title", "text")}
        tasks.append({"data": {"dissensus_study": study.id, "assignment": r.id, **texts}})
    return json.dumps(tasks, ensure_ascii=False, indent=1)


def label_studio_config(study: Study) -> str:
    """The labelling interface for these tasks: paste it into the project's settings."""
    grades = [
        f"    <Choice value={quoteattr(b['grade'])} hint={quoteattr(b['name'])} hotkey={quoteattr(b['key'])}/>"
        for b in study.buttons
    ]
    return "\n".join(
        [
            "<View>",
            '  <Header value="$query"/>',
            '  <Text name="description" value="$description"/>',
            '  <Text name="narrative" value="$narrative"/>',
            '  <Header value="$title"/>',
            '  <Text name="text" value="$text"/>',
            '  <Choices name="grade" toName="text" choice="single" required="true" showInline="true">',
            *grades,
            f'    <Choice value="{CANNOT}"/>',
            "  </Choices>",
            '  <TextArea name="comment" toName="text" maxSubmissions="1"/>',
            "</View>",
            "",
        ]
    )


def quepid_book(study: Study, rows: list[Any]) -> str:
    """A book for Quepid, as JSON: query and document pairs with the texts, ratings to be given."""
    queries = quepid_queries(study)
    low = study.scale.low
    pairs = []
    for number, r in enumerate(rows, 1):
        document = json.loads(r.doc_text)
        fields = {"title": document.get("title", ""), "text": document.get("text", ""), "assignment": r.id}
        pairs.append(
            {"query_text": queries[r.topic], "doc_id": r.doc, "position": number,
             "document_fields": json.dumps(fields, ensure_ascii=False), "judgements": []}
        )  # fmt: skip
    names = {str(low + i): b["name"] for i, b in enumerate(study.buttons)}
    book = {
        "name": f"Documents to judge, {study.id[:8]}", "show_rank": False, "support_implicit_judgements": False,
        "scale": [low + i for i in range(len(study.grades))], "scale_with_labels": names, "query_doc_pairs": pairs,
    }  # fmt: skip
    return json.dumps(book, ensure_ascii=False, indent=1)


def quepid_queries(study: Study) -> dict[str, str]:
    """{topic: its query, made unique by the topic's name where two topics ask the same}."""
    i = schema.item.c
    rows = study.store.rows(sa.select(i.topic, i.topic_text).where(i.study == study.id).distinct())
    text = {r.topic: str(json.loads(r.topic_text).get("query", r.topic)) for r in rows}
    asked = list(text.values())
    return {t: q if asked.count(q) == 1 else f"{q} [{t}]" for t, q in text.items()}
