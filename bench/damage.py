"""Damaged Parquet and Arrow files in child processes: which reader refuses them, and which takes the process with it?

    python -m bench.damage --files 20000           pyarrow, Polars and dissensus, each on the same files
    python -m bench.damage pyarrow --seed 7        one reader, other files

A damaged file may be refused or read; it must not end the process, take gigabytes, or run for seconds. A child has an
address space of 8 GB and ten seconds for a file. What kills it costs one file: the next child goes on.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

READERS = ("pyarrow", "polars", "dissensus")
LETTERS = {"r": "refused", ".": "read", "f": "foreign", "m": "over 2 GB", "a": "abort", "t": "over 10 s"}
MEMORY, PATIENCE, CHUNK, FAT = 8 << 30, 10.0, 200, 2 << 30
_PACKED = ("uncompressed", "snappy", "zstd", "gzip", "lz4")


def valid(rng: random.Random) -> tuple[bytes, str]:
    """A file of runs and its ending, as Polars or pyarrow write it."""
    import polars as pl

    rows = rng.randint(1, 300)
    frame = pl.DataFrame(
        {
            "topic": [rng.choice(["301", "302", "é7"]) for _ in range(rows)],
            "doc": [f"document-{i}-{rng.choice('abc')}" for i in range(rows)],
            "score": [rng.random() for _ in range(rows)],
            "rank": [i if rng.random() < 0.9 else None for i in range(rows)],
        }
    )
    if rng.random() < 0.3:
        frame = frame.with_columns(pl.col("topic").cast(pl.Categorical))
    out, packed = io.BytesIO(), rng.choice(_PACKED)
    if rng.random() < 0.5:
        if rng.random() < 0.5:
            frame.write_parquet(out, compression=packed, row_group_size=rng.choice([None, 50]))
        else:
            import pyarrow.parquet as pq

            version = rng.choice(["1.0", "2.0"])
            pq.write_table(
                frame.to_arrow(), out, compression="none" if packed == "uncompressed" else packed,
                data_page_version=version, use_dictionary=rng.random() < 0.5,
            )  # fmt: skip
        return out.getvalue(), ".parquet"
    frame.write_ipc(out, compression=packed if packed in ("uncompressed", "lz4", "zstd") else "uncompressed")
    return out.getvalue(), ".arrow"


def damaged(data: bytes, rng: random.Random) -> bytes:
    """One to three changes: mostly in headers and footers, where lengths stand, sometimes anywhere."""
    for _ in range(rng.randint(1, 3)):
        end = rng.random() < 0.5
        at = max(0, len(data) - 1 - int(rng.expovariate(1 / 300))) if end else rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        elif kind == 2:
            size = rng.choice([4, 8])
            number = rng.choice([0, 1, -1, 2**31 - 1, -(2**31), rng.getrandbits(31)])
            data = data[:at] + number.to_bytes(8, "little", signed=True)[:size] + data[at + size :]
        elif kind == 3:
            data = data[:at] + data[at + rng.randint(1, 12) :]
        elif kind == 4:
            data = data[: at + rng.randint(1, 40)] + data[at:]
        else:
            long = bytes([0xFF] * rng.randint(1, 9)) + b"\x01"  # a long number of Thrift's
            data = data[:at] + long + data[at + len(long) :]
        if not data:
            return b"\0"
    return data


def reader(name: str) -> tuple[Callable[[Path], Any], tuple[type[BaseException], ...]]:
    """How a library reads a file, and the errors that are a refusal."""
    if name == "pyarrow":
        import pyarrow as pa
        import pyarrow.feather
        import pyarrow.parquet as pq

        def read(path: Path) -> Any:
            # one thread, and checked: the values themselves may point outside their buffers
            if path.suffix == ".parquet":
                table = pq.read_table(io.BytesIO(path.read_bytes()), use_threads=False)
            else:
                table = pa.ipc.open_file(io.BytesIO(path.read_bytes())).read_all()
            table.validate(full=True)
            return table.to_pylist()

        return read, (pa.ArrowException, OSError, ValueError, MemoryError, UnicodeDecodeError)
    if name == "polars":
        import polars as pl

        def read_polars(path: Path) -> Any:
            data = io.BytesIO(path.read_bytes())
            return (pl.read_parquet(data) if path.suffix == ".parquet" else pl.read_ipc(data)).rows()

        return read_polars, (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError)
    import dissensus as ds

    return lambda path: ds.read_runs(path).to_frame().rows(), (ds.DissensusError,)


def child(name: str) -> None:
    """Lines "first seed, how many" on stdin; a letter a file on stdout."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "w")
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):  # what a panic prints is not for the parent
            os.dup2(nowhere.fileno(), stream)
    read, refusals = reader(name)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        for line in sys.stdin:
            first, count = map(int, line.split())
            for seed in range(first, first + count):
                rng = random.Random(seed)
                data, ending = valid(rng)
                path = Path(folder) / f"file{ending}"
                path.write_bytes(damaged(data, rng))
                try:
                    read(path)
                    letter = "."
                except refusals:
                    letter = "r"
                except BaseException:
                    letter = "f"
                out.write(letter)
                out.flush()
                if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > FAT:
                    out.write("m")  # this child has been too large once, and would stay so
                    out.flush()
                    os._exit(0)
            out.write("\n")
            out.flush()


class Children:
    """A process that reads, and another one where it has died or hangs."""

    def __init__(self, name: str) -> None:
        self.command = [sys.executable, "-m", "bench.damage", name, "--child"]
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        env = {**os.environ, "POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0)

    def run(self, first: int, count: int) -> str:
        """Letters of the files from `first` on; fewer than `count` where one of them ended the child."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{first} {count}\n".encode())
        letters, patience = "", PATIENCE + 20  # a child that has just begun imports first
        while not letters.endswith("\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], patience)
            part = os.read(self.process.stdout.fileno(), 4096).decode() if ready else ""
            patience = PATIENCE
            if part:
                letters += part
                continue
            letters = letters.removesuffix("m")[:-1] + "m" if letters.endswith("m") else letters + "at"[not ready]
            break
        if letters.endswith("\n"):
            return letters[:-1]
        self.end(signal.SIGKILL)
        self.process = self._start()
        return letters

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Stop the child."""
        self.process.send_signal(how)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


def main() -> None:
    """Read the same damaged files with each reader, and count."""
    parser = argparse.ArgumentParser(prog="python -m bench.damage", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"some of {', '.join(READERS)}")
    parser.add_argument("--files", type=int, default=20_000, metavar="N", help="damaged files for each reader")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="other files")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.readers[0])
        return
    print("  ".join(f"{word:>9}" for word in ("reader", "files", *LETTERS.values(), "seconds")))
    for name in arguments.readers or READERS:
        counts, done, start, wrong = Counter[str](), 0, time.monotonic(), []
        children = Children(name)
        while done < arguments.files:
            first = arguments.seed * 10_000_000 + done
            letters = children.run(first, min(CHUNK, arguments.files - done))
            counts.update(letters)
            done += len(letters)
            if letters[-1:] in ("a", "t", "m"):
                wrong.append(f"{letters[-1]}{first + len(letters) - 1}")
        children.end()
        row = (name, f"{done:,}", *(f"{counts[letter]:,}" for letter in LETTERS), f"{time.monotonic() - start:.0f}")
        print("  ".join(f"{value:>9}" for value in row), flush=True)
        if wrong:
            print("          ", " ".join(wrong[:20]), flush=True)


if __name__ == "__main__":
    main()
