"""Options are values in the library; every command writes them as flags that it has."""

from __future__ import annotations

import io
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
from refusals import refused
from wording import phrase
from wrong_inputs import WRONG, write_wrong_files

from dissensus.cli import main
from dissensus.cli.commands import COMMANDS, load
from dissensus.cli.terminal.messages import Flags, colour_wanted, report, running, say, spoken
from dissensus.errors import Fix, InputError, JudgmentError, Option, Text

ALL = [name for names in COMMANDS.values() for name in names]
EVERYWHERE = {"--help", "--debug", "--version"}
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
ARGUMENT = re.compile(r"""(?<![\w(-])[a-z]\w*=(?:["'{[…]|(?=[\s,.;:)]))""")
CALL = re.compile(r"\b(?:ds|dissensus)\.\w+|\b[a-z]\w*\((?!s\))")


def flags_of(name: str) -> set[str]:
    command = load(name)
    commands = getattr(command, "commands", {name: command}).values()  # a group has those of its commands
    if name == "check":  # it proposes other commands
        return EVERYWHERE.union(*(flags_of(n) for n in ALL if n != "check"))
    return EVERYWHERE | {opt for c in commands for p in c.params for opt in (*p.opts, *p.secondary_opts)}


def foreign(text: str, name: str) -> list[str]:
    """Flags in a text that neither the command has nor the command that the text names before them."""
    strange, at = [], name
    for word in re.findall(r"dissensus [a-z]+|(?<![\w-])--[a-z][\w-]*|\n", text):
        if word == "\n":
            at = name
        elif word.startswith("--"):
            strange += [word] if word not in flags_of(at) else []
        else:
            at = word.removeprefix("dissensus ")
    return strange


# ── the translation ──
CORRECT, EVALUATE, NOISE = (Flags.of(load(name)) for name in ("correct", "evaluate", "noise"))


@pytest.mark.parametrize(
    ("fix", "shell"),
    [
        (Fix("Keep one with ", Option("repeated", "first"), "."), "Keep one with --repeated first."),
        (Fix("Name one with ", Option("assessor"), "."), "Name one with --assessor NAME."),
        (Fix("Declare the order with ", Option("scale", None), "."), "Declare the order with --scale."),
        (Fix("Names: ", Option("scale", "Not at all,Some"), "."), "Names: --scale 'Not at all,Some'."),
        (Fix("Say ", Option("assessor", "column"), "."), "Say --assessor-column."),
        (Fix("Write ", Option("seed", 0), ", for example."), "Write --seed 0, for example."),
        (Fix("Merge with ", Option("merge", "majority"), ".", reader="command"), "Merge with --merge majority."),
        ("Write RBP(p=0.8) or seed=0.", "Write RBP(p=0.8) or seed=0."),  # plain text is never read for options
    ],
)
def test_options_become_flags(fix: str, shell: str) -> None:
    assert CORRECT.fixes([fix]) == [shell]


@pytest.mark.parametrize(
    "fix",
    [
        Fix("Merge them with ds.merge.", reader="python"),
        Fix("Draw it with ", Option("method"), "."),  # evaluate has no --method
        Fix("Merge with ", Option("merge", "majority"), ".", reader="command"),
        Fix("Map labels with ", Option("scale", {"yes": 1}), "."),  # a flag takes no dict
        Fix("Settle them with ", Option("ties", "coin"), "."),  # evaluate has --ties, but not this value of it
        Fix("Show them with ", Option("per_topic", "yes"), "."),
    ],
)
def test_a_fix_that_the_command_cannot_take_is_left_out(fix: Fix) -> None:
    assert EVALUATE.fixes([fix]) == []


def test_remarks_are_written_in_flags_too() -> None:
    account = "ties=trec  topics=judged (50, 2 missing scored 0)  level=95%"
    assert EVALUATE.text(account) == account
    assert EVALUATE.text(Text("2 settled by ", Option("repeated", "first"))) == "2 settled by --repeated first"
    assert EVALUATE.text(Text(Option("judge", "shared"), " changes nothing")) == "judge=shared changes nothing"


def test_another_command_is_named_where_it_has_the_flag() -> None:
    check = Flags.of(load("check"), evaluate=load("evaluate"))
    assert check.fixes([Fix("Use ", Option("ties", "expected"))]) == ["Use dissensus evaluate --ties expected"]
    assert check.fixes([Fix("Declare ", Option("scale", "0..3"))]) == ["Declare --scale 0..3"]


def test_an_error_in_python_and_on_the_command_line() -> None:
    error = JudgmentError(
        Text(Option("repeated", "x"), " is odd."),
        Fix("A.", reader="python"),
        Fix("Use ", Option("seed", None), ".", reader="command"),
        Fix("Use ", Option("seed", 1), "."),
    )
    assert str(error) == 'repeated="x" is odd.\n  A.\n  Use seed=1.'
    assert EVALUATE.error(error) == "repeated=x is odd.\n  Use --seed.\n  Use --seed 1."


def test_where_nothing_runs_options_are_written_as_python_has_them() -> None:
    main(["order", "--help"])
    assert spoken(Text(Option("repeated", "first"))) == 'repeated="first"'
    assert running() == Flags()


# ── what is written in the sources ──
def texts() -> Iterator[tuple[str, str]]:
    import ast

    import dissensus

    root = Path(dissensus.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.relative_to(root)}:{node.lineno}", node.value


def test_commands_that_texts_name_have_the_flags_that_follow() -> None:
    wrong = [
        (place, line)
        for place, text in texts()
        for line in text.splitlines()
        for command in re.findall(r"dissensus ([a-z]+) [^|]*--", line)
        if command in ALL and foreign(line[line.index(f"dissensus {command}") :], command)
    ]
    assert wrong == []


# ── every command, with what people get wrong ──
@pytest.fixture(scope="module", name="here")
def _here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    write_wrong_files(folder)
    return folder


def test_every_command_is_provoked() -> None:
    assert {line.split()[0] for line in WRONG} == set(ALL)


@pytest.mark.parametrize("line", WRONG)
def test_what_people_get_wrong_is_told_in_flags(
    line: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setattr("sys.stdin.readline", lambda: "q", raising=False)
    status = main(line.split())
    text = "".join(capsys.readouterr())
    assert status in (0, 2), text
    assert foreign(text, line.split()[0]) == []
    plain = re.sub(r"\bn?[A-Z]\w*\([^\n]*?\)", "", text)  # measures and rankers are written NAME(name=value)
    assert ARGUMENT.findall(plain) == []
    assert CALL.findall(plain) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate A.run -j twice.qrels", phrase("terminal-flags.keep-one-repeated-first")),
        ("evaluate A.run -j twice.qrels", "say --assessor-column."),
        ("evaluate A.run -j words.qrels", phrase("terminal-flags.lowest-grade-first-scale")),
        ("evaluate A.run other/A.run -j ann.qrels", phrase("terminal-flags.name-systems-after-their")),
        (
            "evaluate A.run B.run -j ann.qrels --ties expected --unjudged bounds",
            phrase("terminal-flags.ties-expected-unjudged-bounds"),
        ),
        ("evaluate A.run B.run -j ann.qrels --seed -1", phrase("terminal-flags.invalid-value", "--seed")),
        ("evaluate A.run B.run -j ann.qrels -m GAP --gains gains.json", "dissensus weights --at-least 1"),
        ("train train.txt", phrase("terminal-flags.allow-smaller-leaves-set")),
        ("check tied.run -j none.qrels", phrase("terminal-flags.score-dissensus-evaluate-ties")),
        (
            "correct A.run B.run -j crowd.csv --audit gold.csv",
            phrase("terminal-flags.name-one-assessor-merge", "NAME"),
        ),
        (
            "correct one.run -j one.qrels --audit one.qrels -m P@2",
            phrase("terminal-flags.ask-about-one-target", "these_topics"),
        ),
        (
            "compare one.run one2.run -j one.qrels --audit one.qrels -m P@2",
            phrase("terminal-flags.give-runs-judgments-more"),
        ),
        ("correct A.run B.run -j ann.qrels --audit gold-twice.csv", phrase("terminal-flags.audit-holds-document-once")),
        ("ceiling ann.qrels --confusion judge.json -m AP", phrase("terminal-flags.draw-method-simulate")),
        ("ceiling ann.qrels", "--confusion FILE|NAME"),
        ("clicks clicks.tsv --judgments crowd.csv", phrase("terminal-flags.name-one-assessor", "NAME")),
        ("merge crowd.csv --method em-neu --max-rounds 1", phrase("terminal-flags.raise-max-rounds-tol")),
        (
            "compare A.run B.run -j crowd.csv",
            phrase("terminal-flags.merge-them-merge-majority"),
        ),
        ("balance AP --low 3 --high 2", phrase("terminal-flags.low-above-high", 3, 2)),
        ("noise twice.qrels", "--repeated first"),
    ],
)
def test_the_way_out_is_one_that_can_be_typed(
    line: str, said: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    main(line.split())
    assert said in "".join(capsys.readouterr())


def test_in_python_the_same_error_names_arguments(here: Path) -> None:
    import dissensus as ds

    with refused(JudgmentError, 'repeated="first"') as caught:
        ds.read_judgments(here / "twice.qrels")
    assert "--" not in str(caught.value)
    with refused(InputError, "assessor=", "ds.merge") as told:
        ds.correct(
            ds.read_runs(here / "A.run"),
            ds.read_judgments(here / "crowd.csv"),
            ds.read_audit(here / "gold.csv"),
            ["P@5"],
        )
    assert "--" not in str(told.value)
    assert typing.cast(InputError, told.value).fixes[-1].reader == "command"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("variables", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colour(monkeypatch, variables, terminal, wanted):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert colour_wanted(Terminal() if terminal else io.StringIO()) is wanted


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (InputError("a is wrong.", "Use b."), 2, "error: a is wrong.\n  Use b.\n"),
        (PermissionError(13, "no", "x.csv"), 2, "error: x.csv: permission denied.\n"),
        (NotADirectoryError(20, "no", "a/b"), 2, "error: a/b: a part of this path is a file, not a directory.\n"),
        (OSError(28, "No space left on device"), 2, "error: No space left on device.\n"),
        (SystemExit(3), 3, ""),
        (SystemExit("words"), 1, ""),
    ],
)
def test_the_status_and_the_words(capsys, error, status, text):
    assert report(error, Flags()) == status
    assert capsys.readouterr().err == text


def test_control_characters_of_data_are_shown_not_obeyed(capsys):
    say("note", "a\x1b[2Jb")
    assert "\x1b" not in capsys.readouterr().err


def test_a_progress_line_is_wiped_first(monkeypatch):
    monkeypatch.delenv("TERM", raising=False)
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    say("note", "done")
    assert stream.getvalue().startswith("\r\x1b[2K")
