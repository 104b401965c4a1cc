"""The table of commands, and how one is built: its module is imported only when that command is called."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from shutil import get_terminal_size
from typing import Any, cast

import click

import dissensus
from dissensus import __version__
from dissensus.cli.build import Argument, click_parameters, parameters, runner
from dissensus.cli.terminal.messages import Flags, Running
from dissensus.docstrings import SHARED, documented, prose
from dissensus.errors import InputError

ROADS = """I have an LLM judge and some experts:
  dissensus plan      which documents experts should grade
  dissensus correct   scores without the judge's errors
  dissensus report    the verdict on one page

I write a paper:
  dissensus evaluate  scores of every system, -o table.tex
  dissensus compare   which systems differ
  dissensus figures   charts sized for a column

I have crowd labels:
  dissensus agree     how much the judges agree
  dissensus merge     one label per document
  dissensus aware     or merge scores instead of labels
"""

# section → {command: one line of help}
COMMANDS: dict[str, dict[str, str]] = {
    "Scores": {
        "evaluate": "Score runs by every assessor's judgments.",
        "measures": "What measures there are, with formula, parameters, user and what each inherits.",
        "check": "Look at files: what they are, what is odd, and which commands they support.",
        "convert": "Convert files of any size into a folder that every command reads, here or on a cluster.",
        "compare": "Test which systems differ: the verdict first, then ranks, groups and pairs.",
        "gate": "Is the new run worse than the one in use? Pass, fail or cannot tell, as exit status.",
    },
    "Judges": {
        "agree": "How far the assessors agree, pair by pair and with themselves.",
        "judges": "Look at judges: may one replace an assessor, where does it err, did it drift.",
        "multiverse": "Does the conclusion survive the choice of judge and prompt? Many judges side by side.",
        "merge": "Merge assessors into one set of labels: majority vote or EM.",
        "aware": "Merge scores instead of labels, weighting assessors by how unlike random they are.",
        "weights": "Grade weights from how users disagree about the grades.",
    },
    "Judge error": {
        "correct": "Correct scores for judge error with an expert audit or a confusion matrix.",
        "plan": "Which documents experts should audit, and how many are enough.",
        "audit": "Experts judge the planned sample in their browsers, until it is decided.",
        "ceiling": "How well a ranker that is perfect for one judge would score with another.",
    },
    "Training": {
        "noise": "Put noise into labels, and measure how much of it reaches document pairs.",
        "train": "Train a ranker on a feature file.",
        "rank": "Rank a feature file with a trained model.",
        "label": "Find the top k documents by asking for preferences.",
    },
    "Users and theory": {
        "clicks": "Fit a user model to a click log.",
        "order": "Compare two judged rankings as every sensible measure must.",
        "balance": "The balancing index of a measure, and the axioms it breaks.",
    },
    "What a person sees": {
        "report": "One self-contained HTML page: the verdict first, then everything behind it.",
        "figures": "Every chart as SVG, PDF and PNG, sized for a paper column.",
        "run": "Run an analysis that was written down, and write beside the results what was done.",
        "experiment": "Redo a table or figure of the papers dissensus builds on.",
        "demo": "A guided tour on a generated collection with known truth.",
    },
}

# the groups of a command's help: one follows from the name of an option, what is not here is the command's own
OWN = "Options"
GROUPS: dict[str, tuple[str, ...]] = {
    "Files": (
        "judgments", "more_judgments", "score_table", "audit", "confusion", "truth", "runs", "documents",
        "topic_texts", "gains", "queries", "qrels", "validation", "class_file", "answers", "preferences",
    ),
    OWN: (),
    "How files are read": (
        "assessor", "merge", "scale", "repeated", "assessor_column", "intent_column", "system", "columns", "separator",
        "missing", "map", "threshold",
    ),
    "Policies": ("ties", "topics", "unjudged", "empty", "negative"),
    "Output": (
        "per_topic", "perquery", "all_rows", "digits", "json", "output", "plot", "chart", "format",
        "width", "title", "documentation", "save", "sample", "frame", "model", "run",
    ),
    "Long work": ("cluster", "workspace", "workers"),
    "Further": ("seed", "help"),
}  # fmt: skip
_GROUP = {name: group for group, names in GROUPS.items() for name in names}

#: commands of 0.2 and what they are called now
RENAMED: dict[str, str] = {"doctor": "check"}
#: spellings of 0.2 that are gone, by command ("" for all), and what is written now
REMOVED: dict[str, dict[str, str]] = {
    "": {"--resamples": "--replicates", "--confidence": "--level", "--measure": "--measures, or -m"},
    "plan": {"--scores": "--for scores", "--also": "-m again: the first measure is planned for"},
    "merge": {"--ties": "--break-ties"},
    "ceiling": {"--samples": "--replicates"},
    "noise": {"--samples": "--replicates"},
}
#: of `dissensus` itself
COMPLETION = ("--install-completion", "--show-completion")


class Command(click.Command):
    """A command made of a function; `function` reads, calls the verb, and shows what it returned."""

    def __init__(self, name: str, function: Callable[..., Any], verb: Callable[..., Any] | None = None) -> None:
        texts = SHARED | documented((verb or function).__doc__ or "") | documented(function.__doc__ or "")
        options = [p for own, _ in parameters(function) for p in click_parameters(own, texts)]
        super().__init__(
            name, callback=runner(function, name), params=options, help=prose(function.__doc__ or ""),
            context_settings=settings(),
        )  # fmt: skip

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments, then the options by group; a command with few options has one group."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{heading: [] for heading in GROUPS}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                heading = "Arguments" if isinstance(parameter, Argument) else group_of(parameter.name)
                rows[heading].append(record)
        if sum(len(found) for heading, found in rows.items() if heading != "Arguments") <= 8:
            rows[OWN] = [record for heading in GROUPS for record in rows.pop(heading)]
        for heading, found in rows.items():
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words of the command line; a spelling that is gone is answered with the new one."""
        if isinstance(ctx.obj, Running):
            ctx.obj.flags = Flags.of(self)
        if "--describe" in args:
            _describe(ctx)
        refuse_removed(str(self.name), args, self.params)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if error.param is None or error.param.name != "judgments":
                raise
            from dissensus.cli.inputs.study_files import without_judgments

            raise without_judgments(str(self.name), list(ctx.params.get("runs") or [])) from None


def refuse_removed(name: str, args: Iterable[str], known: Iterable[click.Parameter]) -> None:
    """Refuse a spelling of 0.2, and say what is written now."""
    flags = {flag for parameter in known for flag in parameter.opts}
    gone = {old: new for old, new in (REMOVED[""] | REMOVED.get(name, {})).items() if old not in flags}
    for word in args:
        if word == "--":
            return
        old = word.partition("=")[0]
        if old in gone:
            raise InputError(f"{old} is no longer an option of {name}.", f"Write {gone[old]}.")


class Commands(click.Group):
    """Lists commands from the table; a command's module is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return names()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return load(name) if name in self.list_commands(ctx) else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words of the command line; an option that is gone is answered with what takes its place."""
        if args and args[0] in COMPLETION:
            raise InputError(
                f"{args[0]} is no longer an option of dissensus.",
                'Write eval "$(_DISSENSUS_COMPLETE=bash_source dissensus)" into your shell\'s start file.',
            )
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name in RENAMED:
            raise InputError(f"dissensus {name} is now dissensus {RENAMED[name]}.", f"dissensus {RENAMED[name]} FILES")
        if name not in self.list_commands(ctx) and not name.startswith("-"):
            near = get_close_matches(name, self.list_commands(ctx), n=1)
            more = f" Did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"No such command '{name}'.{more}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, commands in COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl(list(commands.items()))


def group_of(name: str | None) -> str:
    """The group of an option.

    >>> group_of("audit"), group_of("tolerance"), group_of("json")
    ('Files', 'Options', 'Output')
    """
    return _GROUP.get(name or "", OWN)


def group() -> click.Group:
    """The `dissensus` command group."""
    version = click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_version,
        help="Show the version and exit.",
    )  # fmt: skip
    debug = click.Option(["--debug"], is_flag=True, expose_value=False, help="Show the traceback of an error.")
    describe = click.Option(
        ["--describe"], is_flag=True, is_eager=True, expose_value=False, callback=_described,
        help="Print every command and its parameters as JSON. Also of one: COMMAND --describe.",
    )  # fmt: skip
    return Commands(
        params=[version, describe, debug],
        help="Evaluate rankings when the judges disagree or err.\n\n"
        + "\n\n".join("\b\n" + road for road in ROADS.rstrip().split("\n\n")),
        epilog="Start with `dissensus demo`. Every command: `dissensus COMMAND --help` shows an example.",
        context_settings=settings(),
        callback=lambda: None,
    )


def load(name: str) -> click.Command:
    """The command `name`, its module imported now."""
    module = importlib.import_module(f"dissensus.cli.{name}")
    if hasattr(module, "SUBCOMMANDS"):
        commands = {word: Command(word, function) for word, function in module.SUBCOMMANDS.items()}
        return click.Group(
            name, cast(dict[str, click.Command], commands), help=prose(module.command.__doc__ or ""),
            context_settings=settings(), no_args_is_help=True,
            params=[click.Option(["--describe"], is_flag=True, is_eager=True, expose_value=False, callback=_described,
                                 help="Print these commands and their parameters as JSON.")],
        )  # fmt: skip
    return Command(name, module.command, verb_of(name))


def verb_of(name: str) -> Callable[..., Any] | None:
    """The public verb behind a command; `demo` has none."""
    return getattr(dissensus, name) if name in dissensus.__all__ else None


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"dissensus {__version__}")
        ctx.exit()


def _described(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        _describe(ctx)


def _describe(ctx: click.Context) -> None:
    """Print a command, or all of them, as JSON and stop."""
    describe = importlib.import_module("dissensus.cli.parts.describe")
    found = describe.everything() if ctx.parent is None else describe.one(ctx.command, ctx.command_path)
    click.echo(json.dumps(found, ensure_ascii=False, indent=1))
    ctx.exit()


def settings() -> dict[str, Any]:
    """How help is set."""
    return {"help_option_names": ["-h", "--help"], "max_content_width": min(get_terminal_size().columns, 110)}


def names() -> list[str]:
    """The names of all commands."""
    return [name for commands in COMMANDS.values() for name in commands]
