"""Parquet files into memory, so that damage is an error: sizes are checked first, and panics are caught."""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.files import contents, unreadable
from dissensus.data.readers.parquet_pages import Bytes, Damaged, check_pages
from dissensus.errors import FileError


def read_parquet(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(the columns of a Parquet file, the number of each row from 1)"""
    data = contents(path)
    refuse_damage(path, data)
    with damage_named(str(path)):
        frame = pl.read_parquet(io.BytesIO(data))
    if not frame.height:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return frame, np.arange(1, frame.height + 1)


def refuse_damage(path: Path, data: Bytes) -> None:
    """Refuse what is not Parquet, or states sizes that cannot be right."""
    if data[0:4] != b"PAR1":
        raise FileError(
            f"{path} is not a Parquet file: it does not begin with PAR1.", "Name the file after its format."
        )
    try:
        check_pages(data)
    except Damaged as damage:
        raise FileError(f"{path} is a damaged Parquet file: {damage}.", "Write it again.") from None


def refuse_damaged_file(path: Path) -> None:
    """The same for a file that is too large to be read whole: only its headers are looked at."""
    try:
        with open(path, "rb") as file:
            if file.seek(0, 2) < 12:
                raise FileError(f"{path} cannot be read: it is too short to be a Parquet file.", "Write it again.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                refuse_damage(path, data)
    except OSError as error:
        raise unreadable(path, error) from error


@contextmanager
def damage_named(path: str, row: int | None = None) -> Iterator[None]:
    """Whatever Polars raises, its panics included, becomes an error that names the file."""
    try:
        yield
    except MemoryError:
        raise FileError(f"{path}: there is not enough memory to read it.", "Free some memory.") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        where = f"{path}, from row {row:,} on," if row is not None else path
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise FileError(
            f"{where} cannot be read: {first}.", "The file is damaged, cut off or gone: write it again."
        ) from error
