"""`python -m dissensus`, and the `dissensus` command."""

from __future__ import annotations

import signal
import sys


def run() -> int:
    """The command; Ctrl-C while its modules are imported ends it in silence, later `main` answers it in words."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dissensus.cli import main
    from dissensus.cli.terminal import messages  # noqa: F401

    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, usual)
    return main()


if __name__ == "__main__":
    sys.exit(run())
