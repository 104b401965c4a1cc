"""The section about the set of judges: its tables are those of `multiverse`, and it is there only for a set."""

from __future__ import annotations

from dataclasses import replace

from reported_study import full_section, full_study, plain_study, table_of, text_of
from wording import phrase

import dissensus as ds
from dissensus.reporting.build import parts
from dissensus.reporting.sections import judge_set


def test_its_tables_are_those_of_multiverse() -> None:
    study = full_study()
    section, names = full_section("judge-set"), judge_set.judges_of(study)
    labels = study.judgments.select(assessors=names)
    found = ds.multiverse(study.runs, labels, study.measures[0], audit=study.audit, replicates=0, seed=study.seed)
    for name, table in (("claims", "claims"), ("panel", "panel"), ("curve", "curve"), ("spread", "spread")):
        assert table_of(section, f"judges-{name}").equals(found.to_frame(table))
    assert f"these {len(names)} judges" in text_of(section)


def test_a_judge_who_labelled_little_is_left_out_and_counted() -> None:
    study = full_study()
    names = judge_set.judges_of(study)
    rare = study.judgments.to_frame()
    few = rare.filter((rare["assessor"] != names[0]) | (rare["topic"] == rare["topic"][0]))
    thin = replace(
        study, judgments=ds.Judgments.from_frame(few, scale=study.judgments.scale), audit=None, assessor=None
    )
    assert judge_set.judges_of(thin) == names[1:]
    assert phrase("judge-set.labelled-too-little", "1 assessor") in text_of(judge_set.build(thin))


def test_two_judges_are_no_set() -> None:
    study = plain_study()
    assert len(judge_set.judges_of(study)) < judge_set.LEAST
    from dissensus.reporting.answer import answer_of

    assert "judge-set" not in [key for key, _, _ in parts(study, answer_of(study))]
