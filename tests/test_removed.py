"""What 0.2 called otherwise is answered with the new spelling, in Python and as a command, and is in CHANGELOG."""

from __future__ import annotations

import re

import pytest
from paths import ROOT
from shell import call

from dissensus.aliases import KEYWORDS, refuse_unknown
from dissensus.cli.commands import COMPLETION, REMOVED, RENAMED
from dissensus.errors import InputError
from dissensus.studies import study

CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("## [0.2.0]")[0]
TABLE = "\n".join(re.findall(r"^  \|.*$", CHANGES, re.MULTILINE))
FLAGS = [(command or "compare", old, new) for command, flags in REMOVED.items() for old, new in flags.items()]


@pytest.mark.parametrize(("verb", "old"), [(verb, old) for verb, words in KEYWORDS.items() for old in words])
def test_a_keyword_that_is_gone_is_answered_and_listed(verb: str, old: str) -> None:
    with pytest.raises(InputError) as refused:
        refuse_unknown(verb, [old], [])
    new = KEYWORDS[verb][old]
    assert new in str(refused.value)
    assert f"{old}=" in TABLE


@pytest.mark.parametrize(("command", "old", "new"), FLAGS)
def test_an_option_that_is_gone_is_answered_and_listed(
    command: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(command, "file", old, "x") == 2
    said = capsys.readouterr().err
    assert old in said
    assert new in said
    assert old in TABLE


@pytest.mark.parametrize("words", [*([old] for old in COMPLETION), *([old, "file"] for old in RENAMED)])
def test_a_command_that_is_gone_is_answered_and_listed(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*words) == 2
    said = capsys.readouterr().err
    assert words[0] in said
    assert "dissensus" in said.partition("\n")[2]
    assert words[0] in TABLE


@pytest.mark.parametrize("name", study.RENAMED)
def test_an_experiment_that_is_gone_is_answered_and_listed(name: str) -> None:
    with pytest.raises(InputError, match=study.RENAMED[name]):
        study.load(name)
    assert f"experiment {name}" in TABLE
