"""Parquet and Arrow files into memory, looked at before they are read: do the sizes that they state fit them?

Polars reads them. What would take the process down with it is refused first (`damage`). Polars' panics are caught.
"""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError
from dissensus.io.contents import contents, refuse_bomb, unreadable
from dissensus.io.converted.manifest import refuse_changed
from dissensus.io.damage.arrow import MAGIC, check_blocks
from dissensus.io.damage.parquet import Bytes, DamagedBytes, check_pages
from dissensus.io.files import packing

_SHORTEST = 24
_STREAM = b"\xff\xff\xff\xff"


def read_parquet(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(the columns of a Parquet file, the number of each row from 1)"""
    data = contents(path)
    refuse_changed(path, data)
    refuse_damage(path, data)
    with damage_named(str(path)):
        frame = pl.read_parquet(io.BytesIO(data))
        refuse_broken_texts(frame)
    return _with_rows(frame, path)


def read_arrow(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(the columns of an Arrow file, the number of each row from 1)"""
    if packing(path) or not path.is_file() or _is_packed(path):
        data = contents(path)
        _refuse_damaged_arrow(path, data)
        source: Path | io.BytesIO = io.BytesIO(data)
    else:
        _refuse_damaged_arrow_file(path)
        source = path
    with damage_named(str(path)):
        frame = pl.read_ipc(source)
        refuse_broken_texts(frame)
    return _with_rows(frame, path)


def _with_rows(frame: pl.DataFrame, path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    if not frame.height:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return frame, np.arange(1, frame.height + 1)


def refuse_broken_texts(frame: pl.DataFrame) -> None:
    """Raise where a categorical column holds what is no UTF-8: Polars checks all other texts when it reads them."""
    for column in frame.iter_columns():
        if column.dtype in (pl.Categorical, pl.Enum):
            column.unique().cast(pl.String).cast(pl.Binary).cast(pl.String)


def refuse_damage(path: Path, data: Bytes) -> None:
    """Refuse what is not Parquet, or states sizes that cannot be right."""
    if data[0:4] != b"PAR1":
        raise FileError(
            f"{path} is not a Parquet file: it does not begin with PAR1.", "Name the file after its format."
        )
    try:
        check_pages(data)
    except DamagedBytes as damage:
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


def _is_packed(path: Path) -> bool:
    """Does the file begin otherwise than an Arrow file does? Then it is looked at as a whole."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) != MAGIC or file.seek(0, 2) < _SHORTEST
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_damaged_arrow_file(path: Path) -> None:
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _refuse_damaged_arrow(path, data)
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_damaged_arrow(path: Path, data: Bytes) -> None:
    """Refuse what is not an Arrow file, or states sizes that cannot be right."""
    if data[0:6] != MAGIC:
        what, way = "it does not begin with ARROW1", "Name the file after its format."
        if data[0:4] == _STREAM:
            what, way = "it is a stream", "Write it as a file: Polars' write_ipc, or pyarrow's RecordBatchFileWriter."
        elif data[0:4] == b"FEA1":
            what, way = "it is of Feather's first version", "Write it again as version 2."
        raise FileError(f"{path} is not an Arrow file: {what}.", way)
    try:
        unpacked = check_blocks(data)
    except DamagedBytes as damage:
        raise FileError(f"{path} is a damaged Arrow file: {damage}.", "Write it again.") from None
    refuse_bomb(path, unpacked, len(data))
