"""How the files of commands are read: what is typed becomes the options of each input."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused

from dissensus.cli import main
from dissensus.cli.commands import load, names
from dissensus.cli.inputs.reading import Reading, RunReading, parse_columns, parse_map, parse_numbers
from dissensus.errors import InputError

RUN = "".join(f"{t} Q0 d{(t * r) % 11} {r} {20 - r} tag\n" for t in range(1, 9) for r in range(1, 8))
LABELS = "topic,doc,stars\n" + "".join(f"{t},d{d},{(t + d) % 3}\n" for t in range(1, 9) for d in range(11))
AUDIT = "topic;doc;stars;inclusion\n" + "".join(f"{t};d{d};{(t * d) % 3};1\n" for t in range(1, 9) for d in range(11))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("one.run", RUN), ("two.run", RUN.replace(" d1 ", " d12 ")), ("llm.csv", LABELS)):
        (tmp_path / name).write_text(text)
    (tmp_path / "gold.csv").write_text(AUDIT)
    return tmp_path


def test_columns_separator_and_missing_rows_reach_the_readers() -> None:
    reading = RunReading(
        columns="topic=qid,audit.grade=stars", separator=["tab"], missing="skip", threshold="0.9,0.3", map=["bin:1=2"],
        system="tag", assessor_column=True, repeated="first", scale="0..3",
    )  # fmt: skip
    options = reading.options
    assert options.runs.columns == {"topic": "qid"}
    assert options.audit.columns == {"topic": "qid", "grade": "stars"}
    assert {options.runs.separator, options.judgments.separator, options.audit.separator} == {"\t"}
    assert (options.judgments.missing, options.judgments.threshold) == ("skip", (0.3, 0.9))
    assert (options.judgments.map, options.judgments.scale) == ({"bin": {"1": "2"}}, "0..3")
    assert (options.judgments.assessor, options.judgments.repeated, options.runs.system) == ("column", "first", "tag")
    assert reading.options is options
    assert Reading().options.judgments == Reading().options.judgments


def test_numbers_are_of_the_inputs_that_they_describe() -> None:
    options = Reading(columns="topic=1,doc=2,grade=3").options
    assert options.judgments.columns == {"topic": "1", "doc": "2", "grade": "3"}
    assert options.runs.columns == {}


@pytest.mark.parametrize(
    "text", ["topic", "topic=", "=qid", "topic=a,topic=b", "audit.=x", "audit.topic=a,audit.topic=b"]
)
def test_columns_that_say_nothing(text: str) -> None:
    with pytest.raises(InputError):
        parse_columns(text)


@pytest.mark.parametrize("text", ["1=2", "bin:", "bin:1", ":1=2", "bin:1=2,3"])
def test_maps_that_say_nothing(text: str) -> None:
    with pytest.raises(InputError):
        parse_map([text])


def test_names_may_hold_colons_and_maps_add_up() -> None:
    assert parse_map(["a:b:1=2", "a:b:0=1"]) == {"a:b": {"1": "2", "0": "1"}}


def test_thresholds_are_sorted_numbers() -> None:
    assert parse_numbers("0.9,0.3") == (0.3, 0.9)
    with refused(InputError, "--threshold"):
        parse_numbers("half")


def test_commands_that_read_nothing_do_not_have_them() -> None:
    assert {"columns", "separator", "missing", "map", "threshold"} <= {p.name for p in load("evaluate").params}
    assert "separator" not in {p.name for p in load("order").params}


def test_a_column_of_the_labels_beside_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # 0.2.0 looked for the column in the runs, too, and refused them
    for words in (
        ["evaluate", "one.run", "-j", "llm.csv"],
        ["compare", "one.run", "two.run", "-j", "llm.csv", "-m", "P@5"],
        ["check", "one.run", "-j", "llm.csv"],
        ["report", "one.run", "two.run", "-j", "llm.csv", "-m", "P@5", "-o", "page.html"],
    ):
        assert main([*words, "--columns", "grade=stars"]) == 0, capsys.readouterr().err
        capsys.readouterr()


def test_a_separator_reaches_the_audit(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "llm.csv").write_text(LABELS.replace(",", ";"))
    words = [
        "correct",
        "one.run",
        "two.run",
        "-j",
        "llm.csv",
        "--audit",
        "gold.csv",
        "-m",
        "P@5",
        "--columns",
        "grade=stars",
    ]
    assert main(words) == 2
    assert "separator" in capsys.readouterr().err
    assert main([*words, "--separator", ";"]) == 0, capsys.readouterr().err
    assert main([*words, "--separator", "judgments=;"]) == 0, capsys.readouterr().err
    assert main([*words, "--separator", "nobody=;"]) == 2
    assert "nobody=;" in capsys.readouterr().err


READS = {
    "evaluate": "one.run -j llm.csv", "compare": "one.run two.run -j llm.csv", "check": "one.run -j llm.csv",
    "agree": "llm.csv", "merge": "llm.csv", "aware": "one.run -j llm.csv", "weights": "llm.csv",
    "judges": "llm.csv -j ben=llm.csv --gold llm",
    "correct": "one.run -j llm.csv --audit llm.csv", "plan": "one.run two.run -j llm.csv", "ceiling": "llm.csv",
    "gate": "one.run two.run -j llm.csv --tolerance 0.1", "noise": "llm.csv", "label": "llm.csv",
    "report": "one.run -j llm.csv", "figures": "one.run two.run -j llm.csv",
    "experiment": "markov --runs one.run --judgments llm.csv", "clicks": "",
    "convert": "one.run -j llm.csv -o data",
    "multiverse": "one.run two.run -j llm.csv -j ben=llm.csv",
}  # fmt: skip


@pytest.mark.parametrize("name", names())
def test_a_column_that_no_file_has_is_refused_by_every_command(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    command = load(name)
    if "columns" not in {p.name for p in command.params} or READS[name] == "":
        return
    (here / "llm.csv").write_text(LABELS.replace("stars", "grade"))  # read without a word of the user
    status = main([name, *READS[name].split(), "--columns", "topic=nowhere"])
    assert status == 2
    assert "'nowhere'" in "".join(capsys.readouterr())
