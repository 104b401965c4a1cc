"""Reading what `report` and `figures` are about, with progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dissensus.measures.policies import DEFAULT_MEASURES, Policies

if TYPE_CHECKING:
    from dissensus.cli.inputs.options import CarryOver, RunReading, StudyFiles
    from dissensus.data.tables.judgments import Judgments
    from dissensus.report.score_study import ScoreStudy
    from dissensus.report.study import Study


def read_study(
    files: StudyFiles,
    measures: Sequence[str],
    reading: RunReading,
    *,
    audit: str | None,
    truth: str | None,
    assessor: str | None,
    seed: int,
    label: str,
    policies: Policies | None = None,
    documents: Sequence[str] | None = None,
    topic_texts: str | None = None,
    before: str | None = None,
    carried: CarryOver | None = None,
) -> Study | ScoreStudy:
    """The study of some files; stages are announced on a terminal."""
    from dissensus.data.readers.api import read_audit, read_judgments
    from dissensus.errors import InputError
    from dissensus.measures.evaluate import measure_list
    from dissensus.report.study import Study

    chosen = policies or Policies()
    if files.score_table:
        given = {
            "runs": files.runs, "--judgments": files.judgments, "--audit": audit, "--truth": truth,
            "--documents": documents,
        }  # fmt: skip
        extra = [name for name, value in given.items() if value]
        extra += [f"--{name}" for name, value in chosen.to_dict().items() if value != getattr(Policies, name)]
        if extra:
            raise InputError(
                f"{', '.join(extra)}: --score-table brings the scores, nothing is computed from rankings or labels.",
                f"Leave out {', '.join(extra)}.",
            )
        return _table_study(files.score_table, measures, assessor, files.gold, seed, topic_texts, stages(label))
    if files.gold is not None:
        raise InputError("--gold names a judge of a table of scores.", "Give --score-table FILE, or --audit FILE.")
    if not files.runs or not files.judgments:
        raise InputError("there are no runs or no judgments.", "Give run files and --judgments, or --score-table FILE.")
    tell = stages(label)
    tell("reading files")
    found = reading.judgments(files.judgments)
    texts, queries = _texts(found, documents, topic_texts)
    return Study(
        runs=reading.runs(*files.runs),
        judgments=found,
        measures=tuple(measure_list(measures)),
        audit=None if audit is None else read_audit(audit, scale=found.scale),
        truth=None
        if truth is None
        else read_judgments(truth, assessor="truth", scale=found.scale, repeated=reading.repeated),
        assessor=assessor,
        seed=seed,
        policies=chosen,
        texts=texts,
        topic_texts=queries,
        before=before,
        new_runs=reading.runs(*carried.new_run) if carried and carried.new_run else None,
        probe=read_audit(carried.probe, scale=found.scale) if carried and carried.probe is not None else None,
        margin=carried.margin if carried else 0.02,
        progress=tell,
    )


def _table_study(
    paths: Sequence[str],
    measures: Sequence[str],
    assessor: str | None,
    gold: str | None,
    seed: int,
    topic_texts: str | None,
    tell: Callable[[str], None],
) -> ScoreStudy:
    """The study of tables of scores."""
    from dissensus.data.readers.score_files import read_scores
    from dissensus.report.score_study import ScoreStudy, chosen_measures

    tell("reading files")
    scores = read_scores(*paths)
    names = chosen_measures(scores, measures, DEFAULT_MEASURES)
    return ScoreStudy(scores, names, assessor, seed, _queries(topic_texts), tell, gold)


def _queries(topic_texts: str | None) -> dict[str, str]:
    if not topic_texts:
        return {}
    from dissensus.data.readers.topic_texts import read_topic_texts

    return {topic: t.query for topic, t in read_topic_texts(topic_texts).items()}


def _texts(
    judgments: Judgments, documents: Sequence[str] | None, topic_texts: str | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Texts of judged documents and of topics, where files of them were given."""
    texts = {}
    if documents:
        from dissensus.data.readers.documents import read_documents

        found = read_documents(documents, set(judgments.doc_ids()))
        texts = {doc: "\n".join(filter(None, (d.title, d.text))) for doc, d in found.items()}
    return texts, _queries(topic_texts)


def stages(label: str) -> Callable[[str], None]:
    """A function that shows the stage at work on one line of a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda stage: None

    def tell(stage: str) -> None:
        text = f"{label}: {stage} …"
        sys.stderr.write(f"\r\x1b[2K{text}" if stage != "done" else "\r\x1b[2K")
        sys.stderr.flush()

    return tell
