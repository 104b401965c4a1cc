"""Parquet files into memory."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.files import contents
from dissensus.errors import FileError


def read_parquet(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(the columns of a Parquet file, the number of each row from 1)"""
    data = contents(path)
    if data[:4] != b"PAR1":
        raise FileError(
            f"{path} is not a Parquet file: it does not begin with PAR1.", "Name the file after its format."
        )
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FileError(f"{path} is a damaged Parquet file ({error}).", "Write it again.") from error
    if not frame.height:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return frame, np.arange(1, frame.height + 1)
