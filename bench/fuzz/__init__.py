"""Mutated files of every readable format against slow oracles, in child processes that may die.

    python -m bench fuzz --seconds 60               for about a minute
    echo 0 17 1 | python -m bench.fuzz.child        one input again: format 0, seed 17

A row counts what was tried, refused, read as the oracle says, read differently, read without an oracle that could say,
failed with an exception that is not ours, and killed the child. An abort costs one input: the next child goes on.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

LETTERS = {"r": "refused", "=": "equal", "!": "different", ".": "no oracle", "f": "foreign", "a": "abort"}
CHUNK = 100  # inputs asked for at once


def fuzz(
    seconds: float | None = None, inputs: int | None = None, seed: int = 0, total: int = 0
) -> tuple[str, int, list[str]]:
    """(table, how many inputs went wrong, what they were).

    Stops after `seconds`; or after `inputs` for each format, and then `total` in all, the rest going to the format that
    has taken the least time so far. Another `seed` gives other inputs, so that a long run can be made in parts.
    """
    from bench.fuzz.formats import formats

    forms = formats()
    names = [f.name for f in forms]
    wanted = [-(-(inputs or 0) // names.count(name)) for name in names]
    counts = [Counter[str]() for _ in forms]
    done, spent = [0] * len(forms), [0.0] * len(forms)
    wrong: list[str] = []
    child = Child()

    def step(number: int, count: int) -> None:
        first, start = seed * 10_000_000 + done[number], time.monotonic()
        letters = child.run(number, first, count)
        counts[number].update(letters)
        done[number] += len(letters)
        spent[number] += time.monotonic() - start
        if letters.endswith("a"):
            wrong.append(f"{names[number]}, seed {first + len(letters) - 1}: abort")

    end = None if seconds is None else time.monotonic() + seconds
    while end is not None and time.monotonic() < end:
        step(min(range(len(forms)), key=lambda n: done[n]), CHUNK)
    while open_forms := [n for n in range(len(forms)) if done[n] < wanted[n]]:
        for number in open_forms:
            step(number, min(CHUNK, wanted[number] - done[number]))
    while sum(done) < total:
        step(min(range(len(forms)), key=lambda n: spent[n]), min(CHUNK, total - sum(done)))
    return table(names, counts), _wrong(counts), wrong + child.end()


class Child:
    """A process that mutates and reads, and another one where it has died."""

    def __init__(self) -> None:
        self.told = tempfile.TemporaryFile("w+")  # noqa: SIM115  (open as long as the children live)
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "bench.fuzz.child"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.told, text=True,
            env={**os.environ, "POLARS_MAX_THREADS": "1"},
        )  # fmt: skip

    def run(self, number: int, first: int, count: int) -> str:
        """A letter per input; "a" at the end where the child died, and the next one is started."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(f"{number} {first} {count}\n")
            self.process.stdin.flush()
            letters = self.process.stdout.readline()
        except BrokenPipeError:
            letters = ""
        if letters.endswith("\n"):
            return letters.rstrip("\n")
        self.close()
        self.start()
        return letters + "a"

    def close(self) -> None:
        """Let the child end, if it still lives."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self.process.wait()

    def end(self) -> list[str]:
        """What the children had to tell."""
        self.close()
        self.told.seek(0)
        with self.told:
            return self.told.read().splitlines()


def _wrong(counts: list[Counter[str]]) -> int:
    return sum(c["!"] + c["f"] + c["a"] for c in counts)


def table(names: list[str], counts: list[Counter[str]]) -> str:
    """One row per format, rows of one name together, and their sum."""
    merged: dict[str, Counter[str]] = {}
    for name, count in zip(names, counts, strict=True):
        merged.setdefault(name, Counter()).update(count)
    merged["all"] = sum(counts, Counter[str]())
    header = ["format", "tried", *LETTERS.values()]
    rows = [header] + [
        [name, f"{count.total():,}", *(f"{count[letter]:,}" for letter in LETTERS)] for name, count in merged.items()
    ]
    widths = [max(len(row[c]) for row in rows) for c in range(len(header))]
    return "\n".join(
        "  ".join(v.ljust(w) if c == 0 else v.rjust(w) for c, (v, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )
