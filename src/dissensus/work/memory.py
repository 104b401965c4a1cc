"""How much memory was needed."""

from __future__ import annotations

import sys


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes; 0 where the system does not tell.

    >>> peak_memory() > 1_000_000
    True
    """
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
