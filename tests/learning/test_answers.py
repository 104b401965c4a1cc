"""Answers kept on disk: nothing is asked twice, other questions are refused, a torn last line is asked again."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.errors import FileError, WorkspaceError
from dissensus.learning.answers import Answers
from dissensus.learning.labelling import top_k_labelling

ABOUT = {"documents": "d.csv", "seed": 0}


class Stop(Exception):
    pass


def test_stop_and_go_on(tmp_path):
    path, asked = tmp_path / "a.jsonl", []

    def ask(a, b, until):
        if len(asked) == until:
            raise Stop
        asked.append((a, b))
        return a > b

    documents = list("hbgacfde")
    with Answers(path, ABOUT) as answers, pytest.raises(Stop):
        top_k_labelling(documents, answers.asker("7", lambda a, b: ask(a, b, 4)), 3)
    with Answers(path, ABOUT) as answers:
        assert answers.known == 4
        result = top_k_labelling(documents, answers.asker("7", lambda a, b: ask(a, b, 99)), 3)
    assert result.order == ("h", "g", "f")
    assert len({frozenset(q) for q in asked}) == len(asked) == result.questions
    assert answers.asked == result.questions - 4


def test_other_questions_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    Answers(path, ABOUT).close()
    with refused(WorkspaceError, 0, 1, "a.jsonl"):
        Answers(path, {**ABOUT, "seed": 1})


def test_torn_and_damaged_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    with Answers(path, ABOUT) as answers:
        answers.asker("1", lambda a, b: True)("x", "y")
    whole = path.read_text()
    path.write_text(whole + '{"topic": "1", "bet')
    with Answers(path, ABOUT) as answers:
        assert answers.known == 1
        answers.asker("1", lambda a, b: True)("x", "z")
    path.write_text(path.read_text().rstrip("\n"))  # as some editors leave it
    with Answers(path, ABOUT) as answers:
        assert answers.known == 2
        answers.asker("1", lambda a, b: True)("y", "z")
    with Answers(path, ABOUT) as answers:
        assert answers.known == 3
    path.write_text(whole + "no answer\n")
    with refused(FileError, "a.jsonl:3", "'no answer'"):
        Answers(path, ABOUT)
    path.write_text(whole.replace('"better"', '"bitter"') + '{"topic": "1", "better": "x", "worse": "z"}\n')
    with refused(FileError, "a.jsonl:2"):
        Answers(path, ABOUT)
