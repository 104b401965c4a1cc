"""promptfoo: systems are providers with prompts, assessors are assertions."""

from __future__ import annotations

from pathlib import Path

from refusals import stated

from dissensus.io.exports import promptfoo
from dissensus.io.exports.document import ExportedFile


def result(prompt: int = 0, **more: object) -> dict[str, object]:
    return {"promptIdx": prompt, "testIdx": 3, "score": 1, "provider": {"id": "gpt"}, **more}


def read(*results: object) -> dict[str, object]:
    return promptfoo.read(ExportedFile({"results": {"results": list(results)}}, Path("p.json")))


def test_the_prompt_is_named_only_where_there_are_several() -> None:
    assert read(result())["scores"].columns["system"].to_list() == ["gpt"]
    assert read(result(), result(1))["scores"].columns["system"].to_list() == ["gpt × prompt 0", "gpt × prompt 1"]
    labelled = read(result(provider={"id": "gpt", "label": "mine"}))
    assert labelled["scores"].columns["system"].to_list() == ["mine"]


def test_assertions_are_assessors_and_failed_results_are_missing() -> None:
    parts = [{"assertion": {"type": "llm-rubric", "metric": "tone"}, "score": 0.5}, {"pass": False}]
    found = read(result(gradingResult={"componentResults": parts}), result(error="timeout", score=0))
    judged = found["judgments"]
    assert judged.columns["assessor"].to_list() == ["tone", "assertion"]
    assert judged.columns["grade"].to_list() == [0.5, 0]
    assert stated(judged.notes, 1, 2)
