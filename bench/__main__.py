"""Run benchmarks and print what was promised beside what was measured.

    python -m bench                 every bench/bench_*.py
    python -m bench evaluate em     only bench_evaluate.py and bench_em.py
    python -m bench --against PATH  rows of an older source tree and of this one in turn, best of five
    python -m bench --markdown      the same as Markdown, for the README
    python -m bench --keep          also write bench/history, which the documentation draws
    python -m bench fuzz --seconds 60   mutate every readable format for a minute, and count what goes wrong
    python -m bench forms       the same rows in 16 forms: numbers, refusals, options, on examples/ and real collections
    python -m bench --kills 200     kill jobs with a workspace 200 times and compare every number
    python -m bench.audit_faults    kill, fill, restart and attack the audit's server, and count labels

Ratios are peer seconds / our seconds, measured in the same process on the same machine, best of several.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.rows import Row

PACKAGES = (
    *("dissensus", "numpy", "numba", "polars", "pytrec-eval-terrier", "ir-measures", "ranx"),
    *("crowd-kit", "krippendorff", "ppi-python", "scikit-learn", "lightgbm"),
)


def main() -> int:
    available = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of: {', '.join(available)}")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--keep", action="store_true", help="write the results to bench/history, by commit")
    parser.add_argument("--kills", type=int, metavar="N", help="kill jobs N times instead, and compare their numbers")
    parser.add_argument("--fuzz", "--seconds", type=float, metavar="N", help="fuzz every readable format for N seconds")
    parser.add_argument(
        "--inputs", type=int, metavar="N", help="with --fuzz: at least N inputs of every format instead"
    )
    parser.add_argument("--total", type=int, default=0, metavar="N", help="with --inputs: go on to N inputs in all")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="with --fuzz: other inputs")
    parser.add_argument("--against", type=Path, metavar="PATH", help="time an older source tree and this one in turn")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="with --against: rounds of old and new")
    arguments = parser.parse_args()
    if arguments.against:
        from bench.against import against

        slower = against(arguments.against, arguments.names, arguments.rounds)
        print("\n" + machine())
        return int(slower > 0)
    if arguments.fuzz is not None or arguments.inputs or arguments.total or arguments.names == ["fuzz"]:
        from bench.fuzz import fuzz

        seconds = None if arguments.inputs or arguments.total else arguments.fuzz or 60
        text, wrong, told = fuzz(seconds, arguments.inputs, arguments.seed, arguments.total)
        print(text)
        print("\n".join(told[:50]))
        return int(wrong > 0)
    if arguments.names[:1] == ["forms"]:
        from bench.forms import forms

        text, different = forms(arguments.names[1:])
        print(text, *different, sep="\n")
        return int(bool(different))
    if arguments.kills:
        from bench.kills import run

        print(run(arguments.kills))
        return 0
    unknown = sorted(set(arguments.names) - set(available))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(available)}")
    rows: list[tuple[str, Row]] = []
    for name in arguments.names or available:
        start = time.perf_counter()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        rows += [(name, row) for row in importlib.import_module(f"bench.bench_{name}").run()]
        print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    print(table(rows, markdown=arguments.markdown))
    print("\n" + machine() + "\n\n" + versions())
    if arguments.keep:
        from bench.kept import keep

        print(f"\nwrote {keep(rows, machine(), versions())}")
    return int(any(missed(row) for _, row in rows))


def missed(row: Row) -> bool:
    """True where a ratio was promised and not reached."""
    return row.target_ratio is not None and (row.ratio is None or row.ratio < row.target_ratio)


def seconds(value: float | None) -> str:
    if value is None:
        return "–"
    if value < 1e-3:
        return f"{value * 1e6:.3g} µs"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def times(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}×" if value >= 10 else f"{value:.1f}×"


def table(rows: list[tuple[str, Row]], *, markdown: bool) -> str:
    """One line per row: what, our time, the peer's, the ratio, the promise."""
    header = ("what", "dissensus", "peer", "its time", "ratio", "target", "")
    cells = [header] + [
        (
            row.what,
            seconds(row.ours_seconds),
            row.peer or "–",
            seconds(row.peer_seconds),
            times(row.ratio),
            "–" if row.target_ratio is None else f"≥ {times(row.target_ratio)}" + (" MISSED" if missed(row) else ""),
            row.note,
        )
        for _, row in rows
    ]
    if markdown:
        lines = ["| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in cells]
        return "\n".join([lines[0], "|---|---:|---|---:|---:|---:|---|", *lines[1:]])
    widths = [max(len(row[c]) for row in cells) for c in range(len(header))]
    right = {1, 3, 4, 5}
    return "\n".join(
        "  ".join(
            cell.rjust(w) if c in right else cell.ljust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    )


def machine() -> str:
    """Processor, cores and memory, as far as the system tells."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        name = models[0] if models else name
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    return f"Machine: {name}, {os.cpu_count()} cores{memory}, {platform.system()}, Python {platform.python_version()}"


def versions() -> str:
    """Versions of everything that was timed."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return "Versions: " + ", ".join(found)


if __name__ == "__main__":
    sys.exit(main())
