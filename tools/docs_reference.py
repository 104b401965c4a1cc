"""The part of the site that nobody writes: a page for each command and verb, columns of results, and messages.

Everything comes from what users meet elsewhere: `--help`, `help(ds.correct)`, the tables of results, and the wording
that the tests keep in `tests/words/messages.txt`. Internals are not listed.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import io
import re
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import polars as pl

import dissensus as ds
from dissensus.cli.commands import COMMANDS, group_of, load
from dissensus.docstrings import documented, sections
from dissensus.measures import catalog
from dissensus.results import Result
from dissensus.vocabulary import describe

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / "tests" / "words" / "messages.txt"
# the verbs that most people need, in the order of need
FIRST = ("read_runs", "read_judgments", "read_audit", "check", "evaluate", "compare", "agree", "merge", "plan",
         "correct", "gate", "report")  # fmt: skip
# verb → (page that explains it, its title)
EXPLAINED: dict[str, tuple[str, str]] = {
    "evaluate": ("understand/measures.md", "measures"), "compare": ("understand/comparison.md", "comparison"),
    "gate": ("how-to/gate.md", "gate a release"), "agree": ("understand/agreement.md", "agreement"),
    "judges": ("understand/judges.md", "checking a judge"), "merge": ("understand/merging.md", "merging labels"),
    "multiverse": ("how-to/prompts.md", "prompts and judge versions"), "aware": ("understand/aware.md", "AWARE"),
    "weights": ("understand/disagreement.md", "user disagreement"),
    "correct": ("understand/correction.md", "naive, corrected, pooled"),
    "plan": ("understand/planning.md", "planning an audit"), "audit": ("how-to/run-an-audit.md", "run an audit"),
    "ceiling": ("understand/ceiling.md", "the ceiling"), "noise": ("understand/noise.md", "label noise"),
    "train": ("understand/learning.md", "rankers"), "rank": ("understand/learning.md", "rankers"),
    "label": ("understand/labelling.md", "top-k labelling"), "clicks": ("understand/clicks.md", "user models"),
    "order": ("understand/measurement.md", "measurement"), "balance": ("understand/measurement.md", "measurement"),
    "report": ("how-to/read-a-report.md", "read a report"), "run": ("how-to/analysis-file.md", "analysis files"),
    "check": ("how-to/what-can-i-do.md", "what your files support"),
    "sequential": ("understand/sequential.md", "looking while auditing"),
    "preferences": ("understand/preferences.md", "preferences"),
    "kendall_tau": ("understand/correlation.md", "likeness of rankings"),
    "tau_ap": ("understand/correlation.md", "likeness of rankings"),
    "rbo": ("understand/correlation.md", "likeness of rankings"),
}  # fmt: skip


# ── commands ──
def command_pages() -> dict[str, Callable[[], str]]:
    """A page for each command, and one that lists them."""
    pages: dict[str, Callable[[], str]] = {"look-up/commands.md": commands}
    for names in COMMANDS.values():
        for name in names:
            pages[f"look-up/commands/{name}.md"] = lambda name=name: command(name)
    return pages


def commands() -> str:
    """All commands with a line for each."""
    parts = [
        "# Commands",
        f"dissensus has {sum(map(len, COMMANDS.values()))} commands. Each has a page with all of its options. "
        "`dissensus COMMAND --help` prints the same in a terminal, and `dissensus --describe` gives it as JSON.",
    ]
    for section, names in COMMANDS.items():
        rows = [f"| [dissensus {name}](commands/{name}.md) | {said} |" for name, said in names.items()]
        parts += [f"## {section}", "| command | what it does |\n|---|---|\n" + "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def command(name: str) -> str:
    """One command: what it does, its arguments and options by group, and where it is explained."""
    made = load(name)
    said = next(names[name] for names in COMMANDS.values() if name in names)
    parts = [f"# dissensus {name}", said]
    if isinstance(made, click.Group):
        for word in made.list_commands(click.Context(made)):
            sub = made.commands[word]
            parts += [f"## dissensus {name} {word}", *_command_body(sub, f"{name} {word}", "###")]
    else:
        parts += _command_body(made, name, "##")
    see = [f"In Python: [ds.{name}](../python/{name}.md)."] if name in ds.__all__ else []
    if name in EXPLAINED:
        page, title = EXPLAINED[name]
        see.append(f"Explained: [{title}](../../{page}).")
    return "\n\n".join([*parts, " ".join(see)]).rstrip() + "\n"


def _command_body(made: click.Command, name: str, level: str) -> list[str]:
    context = click.Context(made, info_name=f"dissensus {name}")
    usage = made.get_usage(context).removeprefix("Usage: ")
    text, examples = _apart(made.help or "")
    parts = [text, f"```text\n{usage}\n```"] + ([f"**Examples**\n\n```text\n{examples}\n```"] if examples else [])
    groups: dict[str, list[str]] = {}
    for parameter in made.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or parameter.name == "help":
            continue
        heading = "Arguments" if parameter.param_type_name == "argument" else group_of(parameter.name)
        groups.setdefault(heading, []).append(f"| {_code(record[0])} | {_cell(record[1])} |")
    for heading, rows in groups.items():
        parts += [f"{level} {heading}", "| option | what it is |\n|---|---|\n" + "\n".join(rows)]
    return parts


def _apart(help_text: str) -> tuple[str, str]:
    """The sentences of a help text, and its examples."""
    sentences, examples = [], []
    for paragraph in help_text.replace("\b\n", "\b").split("\n\n"):
        if paragraph.startswith("\b"):
            lines = paragraph[1:].splitlines()
            examples += [line.strip() for line in lines if line.strip().rstrip(":") not in ("Example", "Examples")]
        else:
            sentences.append(" ".join(paragraph.split()))
    return "\n\n".join(sentences), "\n".join(examples)


# ── verbs ──
def verbs() -> list[str]:
    """The public functions: those most people need first, the rest by name."""
    return [*FIRST, *sorted(n for n in ds.__all__ if n not in FIRST and inspect.isfunction(getattr(ds, n)))]


def classes() -> list[str]:
    """The public classes by name."""
    return sorted(n for n in ds.__all__ if inspect.isclass(getattr(ds, n)))


def verb_pages() -> dict[str, Callable[[], str]]:
    pages: dict[str, Callable[[], str]] = {"look-up/python.md": python, "look-up/classes.md": class_page}
    for name in verbs():
        pages[f"look-up/python/{name}.md"] = lambda name=name: verb(name)
    return pages


def python() -> str:
    """All verbs with a line for each."""
    rows = {n: f"| [ds.{n}](python/{n}.md) | {_first_sentence(getattr(ds, n))} |" for n in verbs()}
    head = "| verb | what it does |\n|---|---|\n"
    rest = [rows[n] for n in verbs() if n not in FIRST]
    return "\n\n".join([
        "# Python",
        "`import dissensus as ds` gives every verb of the command line, with the same parameters. You need twelve of "
        "them for most work. Everything is typed, so your editor completes it.",
        head + "\n".join(rows[n] for n in FIRST),
        "## All other verbs", head + "\n".join(rest),
        "What they return is on the page [results](results.md). The classes are on the page [classes](classes.md).",
    ]) + "\n"  # fmt: skip


def verb(name: str) -> str:
    """One verb: what it does, its call, parameters, what it returns with every column, an example with output."""
    thing = getattr(ds, name)
    text = inspect.getdoc(thing) or ""
    parts = sections(text)
    out = [f"# ds.{name}", parts[""], f"```python no-run\n{signature(name, thing)}\n```"]
    out += ["## Parameters", parameters(thing)]
    kind, _, said = parts.get("Returns", "").partition("\n")
    out += ["## Returns", f"`{kind}`", LISTED.sub("", textwrap.dedent(said)).strip()]
    out += column_tables(returned(thing))
    out += ["## Example", f"```pycon\n{parts.get('Examples', '')}\n```"]
    see = [f"On the command line: [dissensus {name}](../commands/{name}.md)."] if _is_command(name) else []
    if name in EXPLAINED:
        page, title = EXPLAINED[name]
        see.append(f"Explained: [{title}](../../{page}).")
    see.append("All columns: [results](../results.md).")
    return "\n\n".join([*out, " ".join(see)]) + "\n"


def parameters(thing: Callable[..., Any]) -> str:
    """A table of the parameters with their defaults."""
    said = documented(inspect.getdoc(thing) or "")
    rows = [
        f"| `{p.name}` | {_code(_default(p))} | {_cell(said.get(p.name, READING.get(p.name, '')))} |"
        for p in inspect.signature(thing).parameters.values()
    ]
    return "| parameter | default | what it is |\n|---|---|---|\n" + "\n".join(rows) if rows else "None."


READING = {
    "table": "How a table is read: columns, separator, scale, repeated, missing, map and threshold, as in "
    "read_judgments.",
    "reading": "How files are read, where paths are given: columns, separator, scale, repeated, missing, map and "
    "threshold.",
}


def signature(name: str, thing: Callable[..., Any]) -> str:
    """The call over several lines where it is long."""
    given = [_short(p) for p in inspect.signature(thing).parameters.values()]
    line = f"ds.{name}({', '.join(given)})"
    return line if len(line) <= 80 else f"ds.{name}(\n    " + ",\n    ".join(given) + ",\n)"


def class_page() -> str:
    """The public classes: what each is, and its methods and properties."""
    parts = ["# Classes", "Verbs take and return these classes. You rarely make one yourself."]
    for name in classes():
        thing = getattr(ds, name)
        doc = sections(inspect.getdoc(thing) or "")
        parts += [f"## ds.{name}", doc[""]]
        rows = []
        for attribute, value in sorted(vars(thing).items()):
            if attribute.startswith("_"):
                continue
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if (inspect.isfunction(function) or isinstance(value, property)) and (inspect.getdoc(function) or ""):
                call = f".{attribute}" if isinstance(value, property) else f".{attribute}(…)"
                rows.append(f"| `{call}` | {_cell(_first_sentence(function))} |")
        if rows:
            parts.append("| part | what it is |\n|---|---|\n" + "\n".join(rows))
        if doc.get("Examples"):
            parts.append(f"```pycon\n{doc['Examples']}\n```")
    return "\n\n".join(parts) + "\n"


# ── results ──
def example_tables(thing: Callable[..., Any]) -> dict[str, dict[str, dict[str, str]]]:
    """{class: {table: {column: meaning}}} of the results that a verb's example makes."""
    code = [line[4:] for line in sections(inspect.getdoc(thing) or "").get("Examples", "").splitlines()
            if line.startswith((">>> ", "... "))]  # fmt: skip
    module = importlib.import_module(inspect.unwrap(thing).__module__)
    found: list[Result] = []

    @functools.wraps(thing)
    def kept(*args: Any, **given: Any) -> Any:
        made = thing(*args, **given)
        found.extend([made] if isinstance(made, Result) else [])
        return made

    names = [n for n in ds.__all__ if getattr(ds, n) is thing]
    namespace: dict[str, Any] = {**vars(module), "__name__": "__example__", **dict.fromkeys(names, kept)}
    registered = dict(catalog._registered)
    try:
        for name in names:
            setattr(ds, name, kept)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile("\n".join(code), "example", "exec"), namespace)
    finally:
        for name in names:
            setattr(ds, name, thing)
        catalog._registered.clear()
        catalog._registered.update(registered)
    return {
        type(result).__name__: {
            table: {c.name: c.meaning for c in shown.columns.values()} for table, shown in result.tables.items()
        }
        for result in found
    }


LISTED = re.compile(r"^- `(?P<table>\w+)`: (?P<columns>[\w, \n]+)", re.M)


def returned(thing: Callable[..., Any]) -> dict[str, dict[str, dict[str, str]]]:
    """The tables of a verb's result: those of its example, and columns that its docstring lists beyond them."""
    parts = sections(inspect.getdoc(thing) or "")
    kind, _, said = parts.get("Returns", "").partition("\n")
    found = example_tables(thing)
    tables = next(iter(found.values()), {}) if found else {}
    for match in LISTED.finditer(textwrap.dedent(said)):
        columns = tables.setdefault(match["table"], {})
        for name in (c.strip() for c in match["columns"].split(",")):
            if name and name not in columns and "a column for each" not in name:
                columns[name] = describe(name, pl.Float64(), {}, "of the measure of that name", None)[1]
    return found or ({kind.strip(): tables} if tables else {})


def column_tables(found: dict[str, dict[str, dict[str, str]]]) -> list[str]:
    """The columns of results as tables."""
    out = []
    for kind, tables in found.items():
        for table, columns in tables.items():
            rows = "\n".join(f"| `{name}` | {_cell(meaning)} |" for name, meaning in columns.items())
            out += [f"**`{kind}`, table `{table}`**", f"| column | what it is |\n|---|---|\n{rows}"]
    return out


def results() -> str:
    """Every column of every table that the verbs' examples make."""
    parts = [
        "# Results",
        "Every verb returns a result, and every result has tables whose columns say what they mean. `result.tables` "
        "has all of them, `result.to_frame(name)` gives one as a Polars frame. `.to_json()`, `.plot()` and "
        "`print` work on each. In files and in Python a column has the name given here. In printed tables it has "
        "words: `low` is *lower*, `gold_low` is *gold lower*.",
    ]
    for name in verbs():
        tables = column_tables(returned(getattr(ds, name)))
        if tables:
            parts += [f"## [ds.{name}](python/{name}.md)", *tables]
    return "\n\n".join(parts) + "\n"


# ── messages ──
def messages() -> list[tuple[str, str, list[str], str]]:
    """(kind, sentence, what to do, what was done) of every message that the tests hold."""
    found: dict[tuple[str, str], tuple[list[str], str]] = {}
    for block in MESSAGES.read_text(encoding="utf-8").split("\n\n"):
        lines = block.splitlines()
        if not lines or not lines[0].startswith(("$ ", ">>> ")):
            continue
        kind = sentence = ""
        for line in lines[1:]:
            head = re.match(r"(error|warning|note|[A-Z]\w*(?:Error|Warning)): (.*)", line)
            if head:
                kind = {"error": "errors", "warning": "warnings", "note": "notes"}.get(head[1], "errors")
                kind = "warnings" if head[1].endswith("Warning") else kind
                sentence = head[2]
                found.setdefault((kind, sentence), ([], lines[0]))
            elif line.startswith("  ") and sentence:
                fixes = found[kind, sentence][0]
                if line.strip() not in fixes:
                    fixes.append(line.strip())
            else:
                sentence = ""
    return [(kind, sentence, fixes, done) for (kind, sentence), (fixes, done) in found.items()]


def message_page() -> str:
    """Every error, warning and note, by what was called."""
    known = messages()
    parts = [
        "# Notes, warnings and errors",
        f"This page lists what dissensus may say, {len(known)} sentences, and what to do about each. Search it for the "
        "words that do not depend on your files. An error stops a command and never leaves a number. A warning names "
        "a risk. A note says what was dropped, defaulted or assumed.",
    ]
    for kind in ("errors", "warnings", "notes"):
        by: dict[str, list[str]] = {}
        for what, sentence, fixes, done in known:
            if what == kind:
                words = done.split()
                where = f"dissensus {words[2]}" if words[:2] == ["$", "dissensus"] and len(words) > 2 else "in Python"
                todo = "".join(f"\n    - {_plain(f)}" for f in fixes) or "\n    - The sentence says it."
                by.setdefault(where, []).append(f"- **{_plain(sentence)}**{todo}")
        parts.append(f"## {kind.capitalize()}")
        for where in sorted(by):
            parts += [f"### {kind.capitalize()}: {where}", "\n".join(by[where])]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, Callable[[], str]]:
    """Address → what makes the page."""
    return {
        **command_pages(), **verb_pages(),
        "look-up/results.md": results, "look-up/messages.md": message_page,
    }  # fmt: skip


# ── words ──
def _is_command(name: str) -> bool:
    return any(name in names for names in COMMANDS.values())


def _first_sentence(thing: Any) -> str:
    return _cell(" ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split()))


def _short(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    return f"{stars}{parameter.name}" + (f"={_default(parameter)}" if parameter.default is not parameter.empty else "")


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    return re.sub(r"<.*>", "…", repr(parameter.default))


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _cell(text: str) -> str:
    return re.sub(r"(?<![`\\])\|", "\\|", " ".join(text.split())).replace("<", "&lt;")


def _plain(text: str) -> str:
    """A sentence whose signs mean nothing to Markdown."""
    return re.sub(r"([*_`\[\]<>#|\\])", r"\\\1", text)
