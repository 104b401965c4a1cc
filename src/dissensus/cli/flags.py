"""The library's words on the command line: what Python calls an argument is a flag here.

The library writes an option once, as Python has it, and the running command says it in its own way:

    Keep one with repeated="first".      →   Keep one with --repeated first.
    Name one with assessor=….            →   Name one with --assessor NAME.
    Declare the order with scale=.       →   Declare the order with --scale.

A flag is named only where the running command has it and takes the value. A way out that it cannot take is left out;
ways out for one side only begin with "In Python, " or "On the command line, ".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin

from dissensus.errors import COMMAND_LINE, DissensusError, ways_for

_ARGUMENT = re.compile(
    r"""(?<![\w./(=-]) \(? (?P<name>[a-z]\w*) = (?P<value>
        "[^"]*" | '[^']*' | … | \{.*\} | \[.*?\]
        | -?\d+(?:\.\d+)?(?:e[+-]?\d+)? (?![\w/-]|\.\w)   # a number, and not the beginning of a file's name
        | (?=[\s,.;:)]|$) )""",
    re.VERBOSE,
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_AFTER_A_FLAG = re.compile(r"--[a-z][\w-]* $")
#: arguments whose flag is not their own name: (argument, value) → flag
_OTHER_NAMES = {("assessor", "column"): "assessor_column"}


@dataclass(frozen=True)
class Flags:
    """The options of a command by the name of their Python argument, and those of commands it may send people to."""

    options: Mapping[str, Any] = field(default_factory=dict)
    elsewhere: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, command: Any, **elsewhere: Any) -> Flags:
        """The flags of a click command; `elsewhere` are further commands by name."""
        return cls(_options(command), {name: _options(other) for name, other in elsewhere.items()})

    def error(self, error: DissensusError) -> str:
        """What went wrong and the ways out that there are here."""
        return "\n  ".join((self.remark(error.what, numbers=True), *self.ways_out(error.ways_out)))

    def ways_out(self, ways: Iterable[str]) -> list[str]:
        """The ways out in flags, without those that this command cannot go."""
        said = (self._translate(way, numbers=True) for way in ways_for(COMMAND_LINE, ways))
        return [way for way, lost in said if not lost and self._has_all(way)]

    def remark(self, text: str, *, numbers: bool = False) -> str:
        """A text with its arguments as flags; one that is no flag here loses its quotes: `gold=ann`.

        Without `numbers`, what has no quotes stays: `ties=trec  level=95%` is an account, not advice.
        """
        return self._translate(text, numbers=numbers)[0]

    def _translate(self, text: str, *, numbers: bool) -> tuple[str, bool]:
        calls = _calls(text)
        lost = False

        def flag(found: re.Match[str]) -> str:
            nonlocal lost
            start = found.start("name")
            written = found["value"]
            bare = written[:1] not in ("", "…", '"', "'")
            if (bare and not numbers) or any(a < start < b for a, b in calls) or _AFTER_A_FLAG.search(text[:start]):
                return found[0]
            before = found[0][: start - found.start()]
            said = self._flag(found["name"], written)
            if said is not None:
                return before + said
            lost = True
            return found[0] if bare else f"{before}{found['name']}={written[1:-1]}".rstrip("=")

        return _ARGUMENT.sub(flag, text), lost

    def _flag(self, name: str, written: str) -> str | None:
        value = written[1:-1] if written[:1] in ("'", '"') else written
        if (name, value) in _OTHER_NAMES:
            name, value = _OTHER_NAMES[name, value], "True"
        own = _written(self.options.get(name), value)
        if own is not None:
            return own
        there = ((command, _written(options.get(name), value)) for command, options in self.elsewhere.items())
        return next((f"dissensus {command} {said}" for command, said in there if said is not None), None)

    def _has_all(self, text: str) -> bool:
        """True where every flag in the text is the running command's, or follows the name of another command."""
        own = text.split("dissensus ")[0]
        known = {opt for option in self.options.values() for opt in (*option.opts, *option.secondary_opts)}
        return all(flag in known for flag in _FLAG.findall(own))


_RUNNING: ContextVar[Flags | None] = ContextVar("the running command's flags", default=None)


def speak_as(command: Any) -> None:
    """From here on, texts are in the flags of this command; `cli.main` runs in a context of its own and forgets it."""
    _RUNNING.set(Flags.of(command))


def running() -> Flags:
    """The flags of the running command; none where nothing runs."""
    return _RUNNING.get() or Flags()


def spoken(text: str) -> str:
    """A warning or note of the library in the flags of the running command; unchanged where nothing runs."""
    flags = _RUNNING.get()
    return text if flags is None else flags.remark(text)


def _options(command: Any) -> dict[str, Any]:
    return {
        opt.removeprefix("--").replace("-", "_"): option
        for option in command.params
        if option.param_type_name == "option"
        for opt in option.opts
        if opt.startswith("--")
    }


def _written(option: Any, value: str) -> str | None:
    """The option as it is typed, or None where there is no such option or it does not take the value."""
    if option is None:
        return None
    name = next(opt for opt in option.opts if opt.startswith("--"))
    if value == "":
        return str(name)
    if option.is_flag:
        return str(name) if value == "True" else None
    choices = _choices(option)
    if value == "…":
        return f"{name} {option.metavar or '…'}"
    if value[0] in "{[" or (choices is not None and value not in choices):
        return None
    return f"{name} {shlex.quote(value)}"


def _choices(option: Any) -> Sequence[str] | None:
    """The values an option takes, None where it takes any; older versions of typer keep them in click's type."""
    if hasattr(option, "type"):
        return getattr(option.type, "choices", None)
    annotation = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    return get_args(annotation) if get_origin(annotation) is Literal else None


def _calls(text: str) -> list[tuple[int, int]]:
    """Where names with parentheses stand, such as RBP(p=0.8): what is in them belongs to the name."""
    spans = []
    for call in re.finditer(r"\w\(", text):
        depth, end = 1, call.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        spans.append((call.start(), end))
    return spans


def given(options: Mapping[str, object]) -> str:
    """The flags among `options` that were given, in words.

    >>> given({"--curve": 5, "--plot": None, "--levels": "0.1"})
    '--curve and --levels'
    """
    return " and ".join(flag for flag, value in options.items() if value is not None)
