"""Commands called in the process of the tests, as a shell would call them."""

from __future__ import annotations

from dissensus.cli import main


def call(*words: object) -> int:
    """The exit status of a command."""
    return main([str(w) for w in words])


def run(capsys, *words: object) -> tuple[int, str, str]:
    """(exit status, what was printed, what was said on stderr)."""
    status = call(*words)
    printed = capsys.readouterr()
    return status, printed.out, printed.err
