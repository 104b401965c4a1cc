"""Reading what `report` and `figures` are about, with progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from dissensus.data.tables.judgments import Judgments
    from dissensus.report.study import Study


def read_study(
    runs: Sequence[str],
    judgments: Sequence[str],
    measures: Sequence[str],
    *,
    audit: str | None,
    truth: str | None,
    assessor: str | None,
    scale: str | None,
    repeated: Literal["error", "keep", "first", "last"],
    assessor_column: bool,
    system: Literal["file", "tag"] | None,
    seed: int,
    label: str,
    documents: Sequence[str] | None = None,
    topic_texts: str | None = None,
    before: str | None = None,
    new_runs: Sequence[str] | None = None,
    probe: str | None = None,
    margin: float = 0.02,
) -> Study:
    """The study of some files; stages are announced on a terminal."""
    from dissensus.data.readers.api import read_judgments, read_runs
    from dissensus.data.readers.audit_files import read_audit
    from dissensus.measures.evaluate import measure_list
    from dissensus.report.study import Study

    tell = stages(label)
    tell("reading files")
    found = read_judgments(
        *judgments, assessor="column" if assessor_column else None, scale=scale, repeated=repeated
    )  # fmt: skip
    texts, queries = _texts(found, documents, topic_texts)
    return Study(
        runs=read_runs(*runs, system=system),
        judgments=found,
        measures=tuple(measure_list(measures)),
        audit=None if audit is None else read_audit(audit, scale=found.scale),
        truth=None if truth is None else read_judgments(truth, assessor="truth", scale=found.scale, repeated=repeated),
        assessor=assessor,
        seed=seed,
        texts=texts,
        topic_texts=queries,
        before=before,
        new_runs=read_runs(*new_runs, system=system) if new_runs else None,
        probe=None if probe is None else read_audit(probe, scale=found.scale),
        margin=margin,
        progress=tell,
    )


def _texts(
    judgments: Judgments, documents: Sequence[str] | None, topic_texts: str | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Texts of judged documents and of topics, where files of them were given."""
    texts, queries = {}, {}
    if documents:
        from dissensus.data.readers.documents import read_documents

        found = read_documents(documents, set(judgments.doc_ids()))
        texts = {doc: "\n".join(filter(None, (d.title, d.text))) for doc, d in found.items()}
    if topic_texts:
        from dissensus.data.readers.topic_texts import read_topic_texts

        queries = {topic: t.query for topic, t in read_topic_texts(topic_texts).items()}
    return texts, queries


def stages(label: str) -> Callable[[str], None]:
    """A function that shows the stage at work on one line of a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda stage: None

    def tell(stage: str) -> None:
        text = f"{label}: {stage} …"
        sys.stderr.write(f"\r\x1b[2K{text}" if stage != "done" else "\r\x1b[2K")
        sys.stderr.flush()

    return tell
