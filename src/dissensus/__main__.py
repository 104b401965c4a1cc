"""`python -m dissensus`: the same as the `dissensus` command."""

from __future__ import annotations

import sys

from dissensus.cli import main

if __name__ == "__main__":
    sys.exit(main())
