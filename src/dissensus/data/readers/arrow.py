"""Arrow files (.arrow, .feather, .ipc) into memory, so that damage is an error: sizes are checked first."""

from __future__ import annotations

import io
import mmap
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.arrow_blocks import MAGIC, check_blocks
from dissensus.data.readers.files import contents, packing, refuse_bomb, unreadable
from dissensus.data.readers.parquet import damage_named
from dissensus.data.readers.parquet_pages import Bytes, Damaged
from dissensus.errors import FileError

_SHORTEST = 24
_STREAM = b"\xff\xff\xff\xff"


def read_arrow(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(the columns of an Arrow file, the number of each row from 1)"""
    if packing(path) or not path.is_file() or _is_packed(path):
        data = contents(path)
        _refuse_damage(path, data)
        source: Path | io.BytesIO = io.BytesIO(data)
    else:
        _refuse_damaged_file(path)
        source = path
    with damage_named(str(path)):
        frame = pl.read_ipc(source)
    if not frame.height:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return frame, np.arange(1, frame.height + 1)


def _is_packed(path: Path) -> bool:
    """Does the file begin otherwise than an Arrow file does? Then it is looked at as a whole."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) != MAGIC or file.seek(0, 2) < _SHORTEST
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_damaged_file(path: Path) -> None:
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _refuse_damage(path, data)
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_damage(path: Path, data: Bytes) -> None:
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
    except Damaged as damage:
        raise FileError(f"{path} is a damaged Arrow file: {damage}.", "Write it again.") from None
    refuse_bomb(path, unpacked, len(data))
