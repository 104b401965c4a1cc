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


def fuzz(seconds: float | None = None, inputs: int | None = None, seed: int = 0) -> tuple[str, int, list[str]]:
    """(table, how many inputs went wrong, what they were); stops after `seconds`, or `inputs` for each format."""
    from bench.fuzz.formats import formats

    forms = formats()
    counts = [Counter[str]() for _ in forms]
    done = [0] * len(forms)
    wrong: list[str] = []
    end = None if seconds is None else time.monotonic() + seconds
    step = CHUNK if inputs is None else min(inputs, CHUNK)
    child = Child()
    going = True
    while going:
        going = False
        for number, form in enumerate(forms):
            if (inputs is not None and done[number] >= inputs) or (end is not None and time.monotonic() > end):
                continue
            going = True
            letters = child.run(number, seed * 10_000_000 + done[number], step)
            counts[number].update(letters)
            done[number] += len(letters)
            if letters.endswith("a"):
                wrong.append(f"{form.name}, seed {seed * 10_000_000 + done[number] - 1}: abort")
    return table([f.name for f in forms], counts), _wrong(counts), wrong + child.end()


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
