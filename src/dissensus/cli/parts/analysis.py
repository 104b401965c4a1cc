"""An analysis written down: what is read, by which rules, and which results are to be written.

    runs = ["runs/*.gz"]
    judgments = ["labels.csv"]
    audit = "audit.csv"
    assessor = "llm"
    measures = ["P(rel=2)@10", "nDCG@10"]
    results = "results"

    [policies]
    ties = "expected"

    [outputs]
    evaluate = "scores.csv"
    report = "report.html"

    [outputs.randomized]
    command = "compare"
    file = "pairs.csv"
    test = "randomization"

An output is a command and the file it writes, with further options of that command by their names. What is above
`[outputs]` goes to every command that takes it; an output's own options go before it. Paths are relative to the file.
`--save-analysis FILE` writes the running command down in this form.
"""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from dissensus.cli.commands import load, names
from dissensus.cli.terminal.files import write_text
from dissensus.errors import FileError, InputError, OutputError

SCHEMA = 1
SHARED = (
    "runs", "judgments", "audit", "truth", "assessor", "scale", "repeated", "measures", "seed", "level", "system",
    "assessor_column", "columns", "separator", "missing", "map", "threshold", "documents",
    "topic_texts",
)  # fmt: skip
POLICIES = ("ties", "topics", "unjudged", "empty")
KEYS = ("schema", "results", "policies", "outputs", *SHARED)
INPUTS = ("runs", "judgments", "audit", "truth", "documents", "topic_texts", "confusion", "labels", "files")
WRITTEN = ("output", "plot", "sample")
ALWAYS = ("measures", "seed")  # saved also where they have their defaults, which a later version may change
NEVER = ("output", "save", "paper", "json")  # saved
NOT_FOR = {"plan": ("audit",), "merge": POLICIES}  # what has another meaning there
COMMANDS = (
    "evaluate", "check", "compare", "correct", "plan", "agree", "merge", "aware", "weights", "ceiling", "judges",
    "gate", "report", "figures",
)  # fmt: skip


@dataclass(frozen=True)
class AnalysisStep:
    """One output: its name in the file, the command that makes it, and the words of that command."""

    name: str
    command: str
    words: tuple[str, ...]
    files: tuple[str, ...]  # that it writes, relative to the folder of results

    @property
    def line(self) -> str:
        return shlex.join(("dissensus", self.command, *self.words))


@dataclass(frozen=True)
class Analysis:
    """An analysis file, read: where it is, where results go, and the values in it."""

    path: Path
    values: Mapping[str, Any] = field(repr=False)

    @property
    def results(self) -> Path:
        return self.path.parent / str(self.values.get("results", "results"))

    def inputs(self) -> list[str]:
        """Every file or glob that is read, as the analysis writes it."""
        out: list[str] = []
        for table in (self.values, *(t for t in self.values["outputs"].values() if isinstance(t, Mapping))):
            for key in INPUTS:
                value = table.get(key, ())
                out += [file_of(v) for v in ([value] if isinstance(value, str) else value)]
        return list(dict.fromkeys(out))

    def steps(self, folder: Path) -> list[AnalysisStep]:
        """The commands, writing into `folder`; what is wrong with the file is said before any of them runs."""
        steps = [self._step(name, table, folder) for name, table in self.values["outputs"].items()]
        names = [f for step in steps for f in step.files]
        twice = next((f for f in names if names.count(f) > 1), None)
        if twice:
            raise InputError(f"{self.path}: two outputs write {twice!r}.", "Give each a file of its own name.")
        return steps

    def _step(self, name: str, given: Any, folder: Path) -> AnalysisStep:
        table = {"file": given} if isinstance(given, str) else dict(given) if isinstance(given, Mapping) else None
        if table is None or "file" not in table:
            raise InputError(
                f"{self.path}: [outputs] {name} needs the file that it writes.", f'Write {name} = "{name}.csv".'
            )
        command = str(table.pop("command", name))
        if command not in COMMANDS:
            raise InputError(
                f"{self.path}: [outputs] {name}: there is no command {command!r} that an analysis can run.",
                *_near(command, COMMANDS), f"There are {', '.join(COMMANDS)}.",
            )  # fmt: skip
        taken = _parameters(command)
        table["output"] = table.pop("file")
        words, files = list(self._shared(command, taken, table)), []
        for key, value in table.items():
            parameter = taken.get(key.replace("-", "_"))
            if parameter is None:
                raise InputError(
                    f"{self.path}: [outputs] {name}: dissensus {command} has no option {key!r}.",
                    *_near(key, list(taken)),
                )  # fmt: skip
            if key in WRITTEN:
                files.append(_inside(self.path, name, value))
                value = str(folder / value)
            words += _words(parameter, self._located(key, value) if key not in WRITTEN else value)
        return AnalysisStep(name, command, tuple(words), tuple(files))

    def _shared(self, command: str, taken: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[str]:
        """What every command gets that takes it, in the order of the command's own parameters."""
        common = {k: v for k, v in self.values.items() if k in SHARED} | dict(self.values.get("policies", {}))
        for key, parameter in taken.items():
            if key in common and key not in own and key not in NOT_FOR.get(command, ()):
                value = common[key]
                if key == "measures" and not parameter.multiple and isinstance(value, list):
                    value = value[0]
                yield from _words(parameter, self._located(key, value))

    def _located(self, key: str, value: object) -> object:
        """Paths of inputs, seen from here."""
        if key not in INPUTS:
            return value
        return [self._seen(v) for v in value] if isinstance(value, list) else self._seen(str(value))

    def _seen(self, text: str) -> str:
        file = file_of(text)
        folder = self.path.parent
        where = file if Path(file).is_absolute() or str(folder) == "." else str(folder / file)
        return text[: len(text) - len(file)] + where


def read_analysis(path: Path | str, seed: int | None = None) -> Analysis:
    """The analysis in a TOML file, its keys checked; `seed` takes the place of the one in the file."""
    file = Path(path)
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise FileError(f"{file} cannot be read ({error.strerror or error}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"{file} is not a valid TOML file: {error}.") from error
    for key in values:
        if key not in KEYS:
            raise InputError(f"{file}: {key!r} is not a valid key of an analysis.", *_near(key, KEYS))
    if values.get("schema", SCHEMA) != SCHEMA:
        raise InputError(f"{file}: schema {values['schema']!r}; this version reads schema {SCHEMA}.")
    for key in values.get("policies", {}):
        if key not in POLICIES:
            raise InputError(f"{file}: [policies] {key!r} is not a valid policy.", *_near(key, POLICIES))
    if not isinstance(values.get("outputs"), dict) or not values["outputs"]:
        raise InputError(f"{file} names no outputs.", 'Write [outputs], and below it evaluate = "scores.csv".')
    results = values.get("results", "results")
    if not isinstance(results, str) or not results.strip() or results in (".", ".."):
        raise InputError(f"{file}: results={results!r} must name a folder.", 'Write results = "results".')
    return Analysis(file, values if seed is None else {**values, "seed": seed})


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _parameters(command: str) -> dict[str, object]:
    """A command's parameters by their names, and by their flags where these differ."""
    if command not in names():
        raise InputError(f"there is no command {command!r} in this version.")
    out: dict[str, Any] = {}
    for parameter in load(command).params:
        out[str(parameter.name)] = parameter
        for flag in parameter.opts:
            if flag.startswith("--"):
                out.setdefault(flag[2:].replace("-", "_"), parameter)
    return out


def _words(parameter: Any, value: Any) -> list[str]:
    """A value as words of a command line."""
    if isinstance(value, Mapping) and parameter.multiple:
        value = [f"{k}:{v}" for k, v in value.items()]
    elif isinstance(value, Mapping):
        value = ",".join(f"{k}={v}" for k, v in value.items())
    if parameter.param_type_name == "argument":
        return [str(v) for v in (value if isinstance(value, list) else [value])]
    flag = next((f for f in parameter.opts if f.startswith("--")), parameter.opts[0])
    if isinstance(value, bool):
        return [flag] if value else list(parameter.secondary_opts[:1])
    if parameter.nargs > 1:
        return [flag, *map(str, value)]
    values = value if isinstance(value, list) else [value]
    if len(values) > 1 and not parameter.multiple:
        raise InputError(f"{flag} takes one value, not {', '.join(map(str, values))}.")
    return [word for v in values for word in (flag, str(v))]


def file_of(text: str) -> str:
    """The file of FILE or NAME=FILE.

    >>> file_of("llm=labels/a.qrels"), file_of("runs/p=0.8.run")
    ('labels/a.qrels', 'runs/p=0.8.run')
    """
    name, equals, file = text.partition("=")
    return file if equals and "/" not in name and os.sep not in name else text


def _inside(path: Path, name: str, file: object) -> str:
    """The name of a file in the folder of results."""
    parts = Path(str(file)).parts
    if not isinstance(file, str) or not parts or Path(file).is_absolute() or ".." in parts:
        raise InputError(f"{path}: [outputs] {name}: {file!r} must be a file inside the folder of results.")
    return file


def _near(word: str, there: Sequence[str]) -> list[str]:
    near = get_close_matches(word, there, 1)
    return [f"Did you mean {near[0]}?"] if near else []


# ── saving ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def check_analysis_file(path: Path) -> None:
    """Refuse a file that is not a .toml or has no folder, before the work is done."""
    if path.suffix.lower() != ".toml":
        raise OutputError(
            f"--save-analysis {path}: an analysis is a TOML file.", f"Name it {path.with_suffix('.toml')}."
        )
    if not path.parent.is_dir():
        raise OutputError(f"--save-analysis {path}: there is no folder {path.parent}.", "Make the folder first.")


def save_analysis(path: Path, output: Path) -> None:
    """Write the running command as an analysis with one output, which `dissensus run` does again."""
    context = click.get_current_context()

    given = {
        name: value
        for name, value in context.params.items()
        if name not in NEVER and value is not None
        and (name in ALWAYS or getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE")
    }  # fmt: skip
    text = analysis_text(str(context.info_name), given, output.name, path.parent)
    write_text(path, text, f"; dissensus run {path} does it again")


def analysis_text(command: str, given: Mapping[str, object], file: str, folder: Path) -> str:
    """The analysis as TOML; paths of inputs are relative to `folder`.

    >>> print(analysis_text("report", {"runs": ["r/a.run"], "measures": ["AP"], "title": "T"}, "r.html", Path(".")))
    schema = 1
    runs = ["r/a.run"]
    measures = ["AP"]
    results = "results"
    <BLANKLINE>
    [outputs.report]
    file = "r.html"
    title = "T"
    <BLANKLINE>
    """
    top = [f"schema = {SCHEMA}"]
    top += [f"{k} = {_value(_relative(k, given[k], folder))}" for k in SHARED if k in given]
    own = [f"{k} = {_value(_relative(k, v, folder))}" for k, v in given.items() if k not in SHARED]
    lines = [*top, 'results = "results"', "", f"[outputs.{command}]", f"file = {_value(file)}", *own]
    return "\n".join(lines) + "\n"


def _relative(name: str, value: object, folder: Path) -> object:
    """Paths as they are seen from the folder of the analysis."""
    if name not in INPUTS:
        return value
    if isinstance(value, list | tuple):
        return [_relative(name, v, folder) for v in value]
    file = file_of(str(value))
    seen = file if os.path.isabs(file) else os.path.relpath(file, folder)
    return str(value)[: len(str(value)) - len(file)] + seen


def _value(value: object) -> str:
    """A TOML value; strings are written as JSON writes them, which TOML reads equally."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
