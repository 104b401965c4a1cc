"""Ranker files: JSON text with a checksum, so that a damaged model is refused before anything is computed with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dissensus import learning
from dissensus.arrays import Array, Values
from dissensus.errors import FileError, Fix

if TYPE_CHECKING:
    from dissensus.learning.rankers.ranker import Ranker

FORMAT = "dissensus ranker 2"
LONGEST = 1 << 31  # bytes; a ranker's file is some megabytes


def to_text(document: Mapping[str, object]) -> str:
    """The document with its format and checksum, as JSON."""
    content = {"format": FORMAT, "checksum": checksum(document), **document}
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def checksum(document: Mapping[str, object]) -> str:
    """A hash of a document's values, whatever its white space."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def load_ranker(path: str | Path) -> Ranker:
    """Read a ranker that `save` wrote, whatever its class."""
    document = _read(Path(path))
    name = document.get("ranker")
    if name not in learning.RANKERS:
        raise FileError(f"{path}: there is no ranker called {name!r}.", f"Known: {', '.join(learning.RANKERS)}")
    try:
        ranker: Ranker = getattr(learning, name)(**document["settings"])
        ranker.check_settings()
        ranker.n_features_in_ = int(numbers(document, "n_features", length=1, whole=True)[0])
        if ranker.n_features_in_ < 1:
            raise ValueError("it has no features")
        ranker.notes_ = tuple(map(str, document["notes"]))
        ranker._restore(document["model"])
    except KeyError as error:
        raise FileError(f"{path} is a damaged ranker: it has no {error}.", "Train it again.") from error
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FileError(f"{path} is a damaged ranker: {error}.", "Train it again.") from error
    return ranker


def numbers(values: Mapping[str, object], name: str, *, length: int | None = None, whole: bool = False) -> Array:
    """The finite numbers under `name` (a list, or one number); a ValueError says what is wrong with them."""
    given = values[name]
    given = given if isinstance(given, list) else [given]
    kinds = (int,) if whole else (int, float)
    if any(type(v) not in kinds for v in given):
        raise ValueError(f"{name} holds something other than {'whole numbers' if whole else 'numbers'}")
    if length is not None and len(given) != length:
        raise ValueError(f"{name} has {len(given)} values instead of {length}")
    array = np.array(given, np.int64 if whole else np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds a number that is not finite")
    return array


def _read(path: Path) -> Values:
    """The document in a file, its format and its checksum in order."""
    try:
        if path.stat().st_size > LONGEST:
            raise FileError(f"{path} is not a ranker: it has {path.stat().st_size:,} bytes.")
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, nested too deeply, numbers of 5,000 digits
        reason = "its JSON is nested too deeply" if isinstance(error, RecursionError) else str(error).rstrip(".")
        raise FileError(
            f"{path} is not a ranker: {reason}.",
            Fix("Rankers are saved by .save().", reader="python"),
            Fix("Rankers are saved by dissensus train FEATURES --model FILE", reader="command"),
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError(
            f"{path} is not a ranker of this version.",
            f'Its "format" must be "{FORMAT}"; rankers of version 0.1 had no checksum. Train it again.',
        )
    del document["format"]
    expected = document.pop("checksum", None)
    try:
        intact = expected == checksum(document)
    except (ValueError, RecursionError):
        intact = False
    if not intact:
        raise FileError(f"{path} is a damaged ranker: its checksum does not hold.", "Train it again.")
    return document
