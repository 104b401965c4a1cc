"""What is said on the terminal beside tables: errors, warnings and notes in one voice, in the running command's flags.

An error says what was wrong and below it, indented, the way out. What Python calls an argument is a flag here: the
library names an option once, as a value, and the running command writes it in its own way:

    Option("repeated", "first")   →   --repeated first
    Option("assessor")            →   --assessor NAME
    Option("scale", None)         →   --scale

A flag is named only where the running command has it and takes the value. A fix that it cannot take is left out.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

import click

from dissensus.errors import DissensusError, Fix, Option, Text, fixes_for, visible

_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[36m"}


def colour_wanted(stream: TextIO) -> bool:
    """True where colour helps: a terminal, and NO_COLOR is not set (FORCE_COLOR overrides the terminal test)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def say(kind: str, text: str) -> None:
    """One remark on stderr: `error: …`, `warning: …`, `note: …`; a progress line that stands there is wiped first."""
    colour = _COLOURS.get(kind, "") if colour_wanted(sys.stderr) else ""
    wipe = "\r\x1b[2K" if sys.stderr.isatty() and os.environ.get("TERM") != "dumb" else ""
    sys.stderr.write(f"{wipe}{colour}{kind}:{chr(27) + '[0m' if colour else ''} {visible(text)}\n")
    sys.stderr.flush()


def report(error: BaseException, flags: Flags) -> int:
    """Say what went wrong, in these flags, and return the exit status."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, BrokenPipeError):
        # whoever read our output has seen enough; what is still buffered must not complain at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    if isinstance(error, KeyboardInterrupt | click.Abort):
        say("error", "interrupted; no half-written file is left behind.")
        return 130
    if isinstance(error, DissensusError):
        say("error", flags.error(error))
        return 2
    if isinstance(error, click.ClickException):  # the command line itself was wrong
        say("error", _usage(error))
        return 2
    if isinstance(error, OSError):
        say("error", _os_error(error))
        return 2
    if isinstance(error, MemoryError):
        say("error", "out of memory.\n  Use fewer systems, topics or assessors at a time.")
        return 2
    say(
        "error",
        f"{type(error).__name__}: {error}\n"
        "  This is a bug in dissensus. Run again with --debug to see where, and report it.",
    )
    return 1


def _usage(error: click.ClickException) -> str:
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None:
        return str(message)
    return f"{message}\n  {context.get_usage().replace('Usage: ', 'usage: ')}\n  See: {context.command_path} --help"


def _os_error(error: OSError) -> str:
    what = f"{error.filename}: " if error.filename else ""
    reasons = {
        FileNotFoundError: "there is no such file.",
        IsADirectoryError: "this is a directory, not a file.",
        NotADirectoryError: "a part of this path is a file, not a directory.",
        PermissionError: "permission denied.",
        FileExistsError: "this exists already.",
    }
    reason = next((text for kind, text in reasons.items() if isinstance(error, kind)), None)
    return what + (reason or f"{error.strerror or error}.")


#: arguments whose flag is not their own name: (argument, value) → flag
_OTHER_NAMES = {("assessor", "column"): "assessor_column", ("intent", "column"): "intent_column"}


@dataclass(frozen=True)
class Flags:
    """The options of a command by the name of their Python argument, and those of commands it may send people to."""

    options: Mapping[str, Any] = field(default_factory=dict)
    elsewhere: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @classmethod
    def of(cls, command: Any, **elsewhere: Any) -> Flags:
        """The flags of a click command; `elsewhere` are further commands by name."""
        return cls(_options(command), {name: _options(other) for name, other in elsewhere.items()})

    def error(self, error: DissensusError) -> str:
        """What went wrong and the fixes that there are here."""
        return "\n  ".join((self.text(error.what), *self.fixes(error.fixes)))

    def fixes(self, fixes: Iterable[str]) -> list[str]:
        """The fixes in flags, without those that this command cannot take."""
        return [self.text(fix) for fix in fixes_for("command", fixes) if self._has_all(fix)]

    def text(self, text: str) -> str:
        """A sentence with its options as flags; one that is not a flag here loses its quotes: `gold=ann`."""
        if not isinstance(text, Text):
            return text
        return "".join(self._option(part) if isinstance(part, Option) else part for part in text.parts)

    def _option(self, option: Option) -> str:
        flag = self._flag(option)
        return flag if flag is not None else str(option).replace('"', "")

    def _flag(self, option: Option) -> str | None:
        name, value = option.name, option.value
        if isinstance(value, str) and (name, value) in _OTHER_NAMES:
            name, value = _OTHER_NAMES[name, value], True
        own = _written(self.options.get(name), value)
        if own is not None:
            return own
        there = ((command, _written(options.get(name), value)) for command, options in self.elsewhere.items())
        return next((f"dissensus {command} {flag}" for command, flag in there if flag is not None), None)

    def _has_all(self, fix: Fix) -> bool:
        """True where the running command, or one it sends people to, has every option of the fix."""
        return all(self._flag(option) is not None for option in fix.options)


@dataclass
class Running:
    """The command that runs: errors and notes are worded in its flags."""

    flags: Flags = field(default_factory=Flags)
    words: tuple[str, ...] = ()  # of the command line


def words_of_command() -> tuple[str, ...]:
    """The words of the running command line; none where an analysis file runs it."""
    context = click.get_current_context(silent=True)
    return context.obj.words if context is not None and isinstance(context.obj, Running) else ()


def running() -> Flags:
    """The flags of the running command; none where nothing runs."""
    context = click.get_current_context(silent=True)
    return context.obj.flags if context is not None and isinstance(context.obj, Running) else Flags()


def spoken(text: str) -> str:
    """A warning or note of the library in the flags of the running command; unchanged where nothing runs."""
    flags = running()
    return flags.text(text) if flags.options else str(text)


def _options(command: Any) -> dict[str, Any]:
    """Options by their flag, and by the name of their argument where that differs (`--for`: purpose)."""
    options = [option for option in command.params if option.param_type_name == "option"]
    by_argument = {option.name: option for option in options if any(opt.startswith("--") for opt in option.opts)}
    by_flag = {
        opt.removeprefix("--").replace("-", "_"): option
        for option in options
        for opt in option.opts
        if opt.startswith("--")
    }
    return by_argument | by_flag


def _written(option: Any, value: object) -> str | None:
    """The option as it is typed, or None where there is no such option or it does not take the value."""
    if option is None:
        return None
    name = next(opt for opt in option.opts if opt.startswith("--"))
    if value is None:
        return str(name)
    if option.is_flag:
        return str(name) if value is True else None
    if value is ...:
        return f"{name} {option.metavar or '…'}"
    choices = _choices(option)
    if not isinstance(value, str | int | float) or (choices is not None and str(value) not in choices):
        return None
    return f"{name} {shlex.quote(str(value))}"


def _choices(option: click.Parameter) -> Sequence[str] | None:
    """The values an option takes, None where it takes any."""
    return option.type.choices if isinstance(option.type, click.Choice) else None


def given(options: Mapping[str, object]) -> str:
    """The flags among `options` that were given, in words.

    >>> given({"--curve": 5, "--plot": None, "--levels": "0.1"})
    '--curve and --levels'
    """
    return " and ".join(flag for flag, value in options.items() if value is not None)
