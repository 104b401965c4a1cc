"""What the audit says about the judge, counted by hand."""

from __future__ import annotations

from wording import phrase

import dissensus as ds
from dissensus.measures.evaluate import measure_list
from dissensus.report.audit_sentence import audit_sentence
from dissensus.report.study import Study


def test_shares_are_those_of_the_audited_documents() -> None:
    docs = "uvwxyz"
    runs = ds.Runs.from_dict(
        {
            s: {f"q{q}": {d: float(k) for k, d in enumerate(order)} for q in range(5)}
            for s, order in (("A", docs), ("B", docs[::-1]))
        }
    )
    judge = {f"q{q}": dict(zip(docs, [2, 1, 0, 2, 1, 0], strict=True)) for q in range(5)}
    gold = {f"q{q}": dict(zip(docs, [2, 0, 0, 2, 2, 0], strict=True)) for q in range(5)}  # v too kind, y too strict
    study = Study(
        runs, ds.Judgments.from_dict({"llm": judge}), tuple(measure_list(["P@2"])),
        ds.Audit.from_dict(gold, inclusion={t: dict.fromkeys(docs, 1.0) for t in gold}),
    )  # fmt: skip
    assert phrase("audit-sentence.audit-documents", 30) in audit_sentence(study)
    assert phrase("audit-sentence.experts-higher-lower", 67, 17, 17) in audit_sentence(study)
    assert audit_sentence(Study(runs, study.judgments, study.measures)) == ""
