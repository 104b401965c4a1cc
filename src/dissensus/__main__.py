"""`python -m dissensus`, and the `dissensus` command."""

from __future__ import annotations

import gc
import signal
import sys

# a command makes many objects and few cycles: looking for them every 700 objects took a fifteenth of a report's time
OBJECTS = 50_000


def run() -> int:
    """The command; Ctrl-C while its modules are imported ends it in silence, later `main` answers it in words."""
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dissensus.cli import main
    from dissensus.cli.terminal import messages  # noqa: F401

    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, usual)
    code = main()
    gc.freeze()  # the process ends with all it has: a last search for cycles took a tenth of a report's time
    return code


if __name__ == "__main__":
    sys.exit(run())
