"""Drift and carry-over in the report: only where they are asked for, and each says why where it cannot be computed."""

from __future__ import annotations

from refusals import refused
from reported_study import full_outcome
from wording import phrase

from dissensus.errors import InputError
from dissensus.io.samples import generated_collection
from dissensus.measures.catalog import measure_list
from dissensus.reporting.blocks import Paragraph, TableBlock
from dissensus.reporting.build import parts
from dissensus.reporting.sections import versions
from dissensus.reporting.study import ReportedStudy

SAMPLE = generated_collection(seed=0, topics=12)
PRECISION = tuple(measure_list(["P(rel=2)@10"]))


def study(**given: object) -> ReportedStudy:
    return ReportedStudy(SAMPLE.runs, SAMPLE.judgments, PRECISION, SAMPLE.audit, None, "llm", **given)  # type: ignore[arg-type]


def texts(section: versions.Section) -> str:
    return "\n".join(b.text for b in section.blocks if isinstance(b, Paragraph))


def test_nothing_is_built_unless_asked_for() -> None:
    def keys(one: ReportedStudy) -> list[str]:
        return [key for key, *_ in parts(one, full_outcome())]

    assert "versions" not in keys(study())
    assert "versions" in keys(study(before="ann"))


def test_drift_against_the_audit_and_on_the_order_of_systems() -> None:
    section = versions.build(study(before="ann"))
    tables = {b.name: b.frame for b in section.blocks if isinstance(b, TableBlock)}
    assert phrase("versions.llm-differs", "ann") in texts(section)
    assert tables["drift"].height >= 3
    assert tables["flips"]["documents"].sum() > 0


def test_new_runs_are_held_against_the_margin() -> None:
    new = SAMPLE.runs.select(systems=["bm25"])
    one = versions.build(study(new_runs=new, probe=SAMPLE.audit, margin=0.9))
    table = next(b.frame for b in one.blocks if isinstance(b, TableBlock))
    assert table.row(0, named=True)["outcome"] == "pass"
    none = versions.build(ReportedStudy(SAMPLE.runs, SAMPLE.judgments, PRECISION, assessor="llm", new_runs=new))
    assert phrase("versions.needs-audit") in texts(none)


def test_the_version_before_must_be_an_assessor() -> None:
    with refused(InputError, 'before="nix"'):
        study(before="nix")
