"""One child: mutates, reads, compares with the oracle, and prints one letter per input.

r refused   = equal to the oracle   ! different   f a foreign exception   . read, no oracle knows what it means
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from bench.fuzz.formats import Format, formats
from bench.fuzz.oracles import Refused

NASTY = [
    b"\x00", b"\xff", b"\xff\xfe", b"nan", b"inf", b"-Infinity", b"1_000", b"0x1p3", b"\r", b"\r\n", b"\n", b"\n\n",
    b"#", b"\t", b"  ", b"\xc3\xa9", b"\xc3", b"\xef\xbb\xbf", b"1e400", b"1e-400", b"-", b"+", b".", b"e", b"\x0b",
    b"12345678901234567890123", b"0.1234567890123456789", b"9007199254740993", b'"', b",", b"{", b"}", b":", b"\x7f",
    b"true", b"null", b"-3", b"127", b"2.0", b"2.5", b"rel", b"\xc2\xa0", b"\\", b"\x1f\x8b", b"[", b"]", b"'=",
    b"NA", b"\x1b", b"99999999999", b"18446744073709551617", b"\xe2\x80\xae", b"all", b"4294967297",
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The data with up to three changes: something nasty put in, pieces removed, repeated, exchanged, cut off."""
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            data = data[:at] + rng.choice(NASTY) + data[at:]
        elif kind == 1:
            piece = rng.choice(NASTY)
            data = data[:at] + piece + data[at + len(piece) :]
        elif kind == 2:
            data = data[:at] + data[at + rng.randint(1, 12) :]
        elif kind == 3:
            size = rng.randint(1, 40)
            data = data[: at + size] + data[at:]
        elif kind == 4:
            data = data[:at]
        elif data:
            at = min(at, len(data) - 1)
            byte = rng.randrange(256) if kind == 5 else data[at] ^ (1 << rng.randrange(8))
            data = data[:at] + bytes([byte]) + data[at + 1 :]
    return data


def outcome(form: Format, seed: int, folder: Path) -> tuple[str, str]:
    """(letter, what is to be told) of one input."""
    import dissensus as ds

    rng = random.Random(seed)
    valid = form.make(rng)
    data = mutated(valid, rng)
    path = folder / form.file
    path.write_bytes(data)
    expected: Any = None
    known = form.oracle is not None
    refused = False
    try:
        expected = form.oracle(data) if form.oracle is not None else None
    except Refused:
        refused = True
    except NotImplementedError:
        known = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = form.read(path)
    except ds.DissensusError as error:
        if path.name not in str(error) and path.stem not in str(error) and form.name != "workspace":
            return "f", f"the error does not name the file: {error}"
        allowed = refused or not known or (form.may_refuse and data != valid)
        return ("r", "") if allowed else ("!", f"refused: {error}")
    except BaseException as error:
        return "f", f"{type(error).__name__}: {error}"
    if not known:
        return ".", ""
    if refused or found != expected:
        return "!", f"read {str(found)[:200]}, expected {'a refusal' if refused else str(expected)[:200]}"
    return "=", ""


def main() -> None:
    """Lines "number of the format, first seed, how many" on stdin; letters on stdout, what is to be told on stderr."""
    out, told = (os.fdopen(os.dup(n), "w") for n in (1, 2))
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):  # what a panic prints is not for the parent
            os.dup2(nowhere.fileno(), stream)
    every = formats()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a file that lives for a millisecond
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        for line in sys.stdin:
            number, first, count = map(int, line.split())
            for seed in range(first, first + count):
                letter, why = outcome(every[number], seed, Path(folder))
                if why:
                    print(f"{every[number].name}, seed {seed}: {why[:500]!r}", file=told, flush=True)
                print(letter, end="", file=out, flush=True)
                for left in Path(folder).iterdir():
                    with contextlib.suppress(OSError):
                        left.unlink()
            print(file=out, flush=True)


if __name__ == "__main__":
    main()
