"""The table of commands, and how one is built: its module is imported only when that command is called."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from importlib.util import find_spec
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from dissensus.cli.inputs.plain_values import TakesPlainValues

# section → {command: one line of help}; `dissensus --help` shows those whose module exists
COMMANDS: dict[str, dict[str, str]] = {
    "Scores": {
        "evaluate": "Score runs by every assessor's judgments.",
        "measures": "What measures there are, with formula, parameters, user and what each inherits.",
        "doctor": "Look at files, say what they are, and write out the commands that they support.",
        "check": "Say everything that is odd about runs and judgments, before any number is computed.",
        "compare": "Test which systems differ: the verdict first, then ranks, groups and pairs.",
        "gate": "Is the new run worse than the one in use? Pass, fail or cannot tell, as exit status.",
    },
    "Judges": {
        "agree": "How far the assessors agree, pair by pair and with themselves.",
        "judges": "Look at judges: may one replace an assessor, where does it err, did it drift.",
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
        "per_topic", "perquery", "show_all", "everything", "digits", "json", "output", "plot", "chart", "format",
        "width", "title", "documentation", "save", "sample", "frame", "model", "run",
    ),
    "Long work": ("cluster", "workspace", "workers"),
    "Further": ("seed", "help"),
}  # fmt: skip
_GROUP = {name: group for group, names in GROUPS.items() for name in names}


def exists(name: str) -> bool:
    """True where the command's module is there (it is not imported)."""
    return find_spec(f"dissensus.cli.{name}") is not None


class Commands(TakesPlainValues, TyperGroup):
    """Lists commands from the table; the real command, with its options, is built when it is called."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for commands in COMMANDS.values():
            for name, text in commands.items():
                if exists(name):
                    self.commands[name] = TyperCommand(name, help=text, rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, stub, rest = super().resolve_command(ctx, args)
        if stub is None:
            return name, stub, rest
        from dissensus.cli.terminal.messages import speak_as

        command = load(str(name))
        speak_as(command)
        return name, command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for section, commands in COMMANDS.items():
            rows = [(name, text) for name, text in commands.items() if name in self.commands]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)


def group_of(name: str | None) -> str:
    """The group of an option.

    >>> group_of("audit"), group_of("tolerance"), group_of("json")
    ('Files', 'Options', 'Output')
    """
    return _GROUP.get(name or "", OWN)


class Plain(TakesPlainValues, TyperCommand):
    """A command whose usage line shows arguments by name: RUNS... instead of {RUNS}..., and no Python types."""

    def __init__(self, *words: Any, **attrs: Any) -> None:
        super().__init__(*words, **attrs)
        for parameter in self.params:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: ""  # type: ignore[attr-defined]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, then the options by group; a command with few options has one group."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{heading: [] for heading in GROUPS}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                heading = "Arguments" if parameter.param_type_name == "argument" else group_of(parameter.name)
                rows[heading].append(record)
        if sum(len(found) for heading, found in rows.items() if heading != "Arguments") <= 8:
            rows[OWN] = [record for heading in GROUPS for record in rows.pop(heading)]
        for heading, found in rows.items():
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().parse_args(ctx, list(args))
        except Exception as error:
            missing = getattr(error, "param", None)
            if type(error).__name__ != "MissingParameter" or missing is None or missing.name != "judgments":
                raise
            from dissensus.cli.inputs.added_options import without_judgments

            raise without_judgments(str(self.name), list(ctx.params.get("runs") or [])) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


def group() -> TyperGroup:
    """The `dissensus` command group."""
    program = typer.Typer(cls=Commands, rich_markup_mode=None, context_settings=_settings(), add_completion=True)

    @program.callback(
        help="Evaluate rankings when the judges disagree or err.",
        epilog="Start with `dissensus demo`. Every command: `dissensus COMMAND --help` shows an example.",
    )
    def options(
        version: Annotated[
            bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version)
        ] = False,
        debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    ) -> None: ...

    built = typer.main.get_command(program)
    assert isinstance(built, TyperGroup)
    return built


def load(name: str) -> Any:
    """The command `name`, its module imported now."""
    from dissensus.cli.inputs.added_options import add_options

    module = importlib.import_module(f"dissensus.cli.{name}")
    if hasattr(module, "SUBCOMMANDS"):
        return _nested(module)
    program = typer.Typer(rich_markup_mode=None, add_completion=False, context_settings=_settings())
    program.command(name, help=keep_examples(module.command.__doc__ or ""), cls=Plain)(expanded(module.command))
    built = typer.main.get_command(program)
    add_options(name, built)
    return built


class Nested(TakesPlainValues, TyperGroup):
    """A group of commands under one name; errors are in the flags of the one that runs."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        from dissensus.cli.terminal.messages import speak_as

        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            speak_as(command)
        return name, command, rest


def _nested(module: Any) -> Any:
    program = typer.Typer(
        cls=Nested, rich_markup_mode=None, add_completion=False, context_settings=_settings(), no_args_is_help=True,
        help=keep_examples(module.command.__doc__ or ""),
    )  # fmt: skip
    program.callback()(module.command)
    for name, function in module.SUBCOMMANDS.items():
        program.command(name, help=keep_examples(function.__doc__ or ""), cls=Plain)(expanded(function))
    return typer.main.get_command(program)


def keep_examples(text: str) -> str:
    r"""Mark paragraphs with indented lines so that help does not rewrap them.

    >>> keep_examples("Does it.\n\nExample:\n    dissensus demo")
    'Does it.\n\n\x08\nExample:\n    dissensus demo'
    """
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        "\b\n" + p if any(line.startswith("  ") for line in p.splitlines()) and not p.startswith("\b") else p
        for p in paragraphs
    )


def _version(wanted: bool) -> None:
    if wanted:
        from dissensus import __version__

        typer.echo(f"dissensus {__version__}")
        raise typer.Exit


def _settings() -> dict[str, Any]:
    from shutil import get_terminal_size

    return {"help_option_names": ["-h", "--help"], "max_content_width": min(get_terminal_size().columns, 110)}


def expanded(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with every option of its bundles in its signature; a command without bundles as it is.

    A bundle is a frozen dataclass whose fields are options: a parameter of a command that stands for several. Its
    default holds theirs. Typer sees the fields in the place of the bundle; the command gets one object.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Shown:
    ...     digits: int = 4
    ...     json: bool = False
    >>> def command(runs: str, shown: Shown = Shown(digits=2), seed: int = 0) -> str:
    ...     return f"{runs} {shown} {seed}"
    >>> list(inspect.signature(expanded(command)).parameters)
    ['runs', 'digits', 'json', 'seed']
    >>> expanded(command)(runs="a.run", digits=2, json=True, seed=0)
    'a.run Shown(digits=2, json=True) 0'
    """
    hints = get_type_hints(command, include_extras=True)
    bundles = {name: _fields(kind) for name, kind in hints.items() if is_dataclass(kind)}
    if not bundles:
        return command

    def run(**given: Any) -> Any:
        for name, options in bundles.items():
            given[name] = hints[name](**{option: given.pop(option) for option in options})
        return command(**given)

    parameters = list(_with_fields(command, hints, bundles))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__doc__ = command.__doc__
    return run


def _fields(bundle: Any) -> dict[str, Any]:
    """The options of a bundle with their types, in the order of its fields."""
    hints = get_type_hints(bundle, include_extras=True)
    return {name: hints[name] for name in bundle.__dataclass_fields__}


def _with_fields(
    command: Callable[..., Any], hints: dict[str, Any], bundles: dict[str, dict[str, Any]]
) -> Iterator[inspect.Parameter]:
    """Keyword-only, as typer calls commands, so that options with and without defaults may follow each other."""
    for name, own in inspect.signature(command).parameters.items():
        for option, kind in bundles.get(name, {name: hints[name]}).items():
            default = getattr(own.default, option) if name in bundles else own.default
            yield inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
