"""Which files, what they are called, and the bytes and text in them: UTF-8, or an error that names the line.

A path that cannot be read is one error that says why and what to do: missing (with similar names), a directory,
nothing matched, empty, compressed in another way, cut off in the middle.
"""

from __future__ import annotations

import codecs
import difflib
import glob
import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np

from dissensus.data.limits import limit, way_to_raise
from dissensus.data.readers.packed import GZIP, ZSTD, Damaged, GzipFile, ZstdFile
from dissensus.data.tables.columns import NUMBER
from dissensus.errors import FileError
from dissensus.work.settings import refuse_after_fork

PathLike = str | os.PathLike[str]
GROWTH = 200  # runs and judgments unpack to five to twenty times their size
_STEP = 1 << 24
PACKED = (".gz", ".zst")
SMALL = 1 << 19  # bytes: ten thousand lines, read in 20 ms

#: endings that do not belong to a system's or an assessor's name
ENDINGS = (".txt", ".run", ".res", ".trec", ".csv", ".tsv", ".jsonl", ".parquet", ".json", ".arrow", ".feather", ".ipc")
QRELS_ENDINGS = (".qrels", ".qrel", ".ndjson")

_FORMATS = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet",
    ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip
#: formats that are tables; those that know the types of their columns, whose rows have no lines
TABLES = ("csv", "tsv", "jsonl", "parquet", "arrow")
TYPED = ("parquet", "arrow")
_OTHER_PACKERS = (
    (b"PK\x03\x04", "a zip archive", "unzip it"),
    (b"BZh", "compressed with bzip2", "bunzip2 it"),  # and, six bytes on, the digits of π
    (b"\xfd7zXZ\x00", "compressed with xz", "unxz it"),
)


def find_files(patterns: Iterable[PathLike | Iterable[PathLike]], reader: str) -> list[Path]:
    """All files that paths and globs name, each once, in the order of their names; `reader` is named in errors."""
    refuse_after_fork()
    found: dict[str, Path] = {}
    flat: list[PathLike] = []
    for p in patterns:
        flat.extend([p] if isinstance(p, str | os.PathLike) or not isinstance(p, Iterable) else p)
    if not flat:
        raise FileError(f"{reader}() was given no file.", f'Name files or a glob: {reader}("folder/*").')
    for pattern in flat:
        for path in _matching(pattern, reader):
            found.setdefault(os.path.realpath(path), path)
    return sorted(found.values(), key=str)


def _matching(pattern: PathLike, reader: str) -> list[Path]:
    if not isinstance(pattern, str | os.PathLike):
        raise FileError(f"{reader}() was given {pattern!r}, which is not a path.", f'Name files: {reader}("folder/*").')
    text = os.path.expanduser(os.fspath(pattern))
    if "\0" in text:
        raise FileError(f"{text!r} is not a file name: it holds a NUL character.")
    if text == "-":
        raise FileError("standard input is not read, because files are read in several places at once.",
                        "Write it to a file first.")  # fmt: skip
    path = Path(text)
    if os.path.isdir(text):
        raise FileError(f"{text} is a directory, not a file.", f'Name the files in it with a glob: "{path / "*"}".')
    if os.path.exists(text):
        return [path]
    if glob.has_magic(text):
        hits = [Path(p) for p in sorted(glob.glob(text, recursive=True))]  # of a file and a link to it the first counts
        files = [p for p in hits if not p.is_dir()]
        if files:
            return files
        only = f" but directories ({hits[0]} …)" if hits else ""
        raise FileError(
            f"nothing{only} matches {text!r}.",
            f"Files are looked for from {os.getcwd()}; quote the glob or name the files.",
        )
    raise FileError(f"{text} does not exist.", _similar(path))


def _similar(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"There is no folder {folder} either; paths are relative to {os.getcwd()}."
    names = sorted(p.name for p in folder.iterdir())
    close = difflib.get_close_matches(path.name, names, n=3, cutoff=0.6)
    if close:
        return f"Did you mean {' or '.join(str(folder / c) for c in close)}?"
    return f"{'The current folder' if str(folder) == '.' else folder} holds {', '.join(names[:5]) or 'nothing'}" + (
        f" … ({len(names):,} files)." if len(names) > 5 else "."
    )


def stem(path: Path, *, qrels: bool = False) -> str:
    """The name a file gives its system or assessor: without `.gz` or `.zst`, then without one usual ending.

    >>> stem(Path("runs/input.bm25.v2.run.gz"))
    'input.bm25.v2'
    """
    name = path.name
    packed = packing(path)
    if packed and len(name) > len(packed):
        name = name[: -len(packed)]
    for ending in ENDINGS + (QRELS_ENDINGS if qrels else ()):
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def kind(path: Path) -> str:
    """The format a file's name announces: csv, tsv, jsonl, json, parquet, arrow, or trec for everything else."""
    name = path.name.lower().removesuffix(packing(path))
    return next((format for ending, format in _FORMATS.items() if name.endswith(ending)), "trec")


def looks_like_json(path: Path) -> bool:
    """Does the file begin as JSON does? A line of a run or of qrels whose topic begins with a bracket does not."""
    if kind(path) in ("json", "jsonl"):
        return True
    if kind(path) != "trec" or not path.is_file():
        return False
    with open(path, "rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] not in (b"{", b"["):
        return False
    words = start.partition(b"\n")[0].decode("utf-8", "replace").split()
    number = {6: 4, 4: 3}.get(len(words))  # where a run has its score, and qrels their grade
    return number is None or NUMBER.fullmatch(words[number]) is None


def is_small(files: Iterable[Path]) -> bool:
    """Are the files together so small that the plain readers are done before a kernel is compiled or loaded?"""
    size = 0
    for path in files:
        try:
            size += path.stat().st_size * (5 if packing(path) else 1)
        except OSError:
            return True  # the reader will say why
    return size < SMALL


def packing(path: Path) -> str:
    """The ending that says how a file is packed: .gz, .zst, or none."""
    return next((ending for ending in PACKED if path.name.lower().endswith(ending)), "")


def contents(path: Path) -> bytes:
    """All bytes of a file, unpacked if it is gzip or zstd (its first bytes decide, not its name)."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if data[:2] == GZIP or data[:4] == ZSTD:
        data = unpacked(path, data)
    refuse_packed(path, data)
    return data


def unpacked(path: Path, packed: bytes) -> bytes:
    """The bytes in a packed file, as long as they stay within the limit."""
    parts: list[bytes] = []
    size = 0
    with unpacking(io.BytesIO(packed), packed[:4], path) as file:
        while part := file.read(_STEP):
            parts.append(part)
            size += len(part)
            refuse_bomb(path, size, len(packed))
    return b"".join(parts)


@contextmanager
def unpacking(file: IO[bytes], start: bytes, path: Path) -> Iterator[IO[bytes]]:
    """An open file as its unpacked bytes; `start` is how it begins, which says how it is packed."""
    unpack, packer = (GzipFile, "gzip") if start[:2] == GZIP else (ZstdFile, "zstd")
    if start[:2] != GZIP and start[:4] != ZSTD:
        yield file
        return
    try:
        yield cast("IO[bytes]", io.BufferedReader(unpack(file), 1 << 17))
    except (EOFError, Damaged) as error:
        raise broken(path, packer, error) from error


def refuse_bomb(path: Path, size: int, packed: int) -> None:
    """Refuse a packed file that unpacks to far more than text can be packed to."""
    if size > GROWTH * packed and size > limit("UNPACKED"):
        raise FileError(
            f"{path} unpacks to more than {size >> 20:,} MB from {packed / (1 << 20):,.1f} MB; "
            f"text grows {GROWTH}-fold at the very most.",
            way_to_raise("UNPACKED", 4 * size),
        )


def refuse_packed(path: Path, start: bytes) -> None:
    """Refuse an empty file and compression other than gzip and zstd; `start` is how the file begins."""
    if not start:
        raise FileError(f"{path} is empty.", "Leave it out, or write it again.")
    for magic, what, way_out in _OTHER_PACKERS:
        if start.startswith(magic) and (magic != b"BZh" or start[4:8] == b"1AY&"):
            raise FileError(f"{path} is {what}.", f"Only gzip and zstd are read directly: {way_out} first.")


def broken(path: Path, packer: str, error: Exception) -> FileError:
    """The error for a packed file that ends too early or is damaged."""
    cut = isinstance(error, EOFError) or "end-of-stream" in str(error)
    return FileError(
        f"{path} is {'a truncated' if cut else 'a damaged'} {packer} file{'' if cut else f' ({error})'}.",
        f"Copy or download it again; {packer} -t tells whether a file is whole.",
    )


def unreadable(path: Path, error: OSError) -> FileError:
    """The error for a file the system does not let us read."""
    why = "you have no permission to read it" if isinstance(error, PermissionError) else (error.strerror or str(error))
    return FileError(f"{path} cannot be read: {why}.")


_WIDE = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"), (codecs.BOM_UTF16_LE, "UTF-16"),
         (codecs.BOM_UTF16_BE, "UTF-16"))  # fmt: skip
BLOCK = 1 << 20  # bytes looked at in one go: what is computed of them stays in the processor's cache
_LINE_END = re.compile(r"\r\n|\n|\r")
# everything below the space that is neither a tab nor a line end
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def decode(data: bytes, path: Path | str) -> str:
    """The text of a file, without its byte order mark; anything but UTF-8 is an error with a line number."""
    for mark, name in _WIDE:
        if data.startswith(mark):
            raise FileError(f"{path} is written in {name}; files are read as UTF-8.", _convert(name, path))
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_at(data, error.start)
        raise FileError(
            f"{path}:{line} is not UTF-8: the byte 0x{data[error.start]:02x} does not belong there.",
            _convert("LATIN1", path),
        ) from error
    if "\0" in text and text.count("\0") * 5 > len(text):
        raise FileError(
            f"{path} looks like UTF-16 without a byte order mark, or is not text.", _convert("UTF-16", path)
        )
    odd = CONTROL.search(text) if _has_control(data) else None
    if odd:
        what = "a NUL byte" if odd[0] == "\0" else f"the control character 0x{ord(odd[0]):02x}"
        raise FileError(
            f"{path}:{line_at(data, len(text[: odd.start()].encode()))} holds {what}.",
            "The file is damaged or no text file: write it again.",
        )
    if not text or text.isspace():
        raise FileError(f"{path} holds nothing but blanks.", "Leave it out, or write it again.")
    return text


def _has_control(data: bytes) -> bool:
    """What `CONTROL` looks for, counted in the bytes, block by block: ten times as quick as looking for it."""
    values = np.frombuffer(data, np.uint8)
    blocks = (values[start : start + BLOCK] for start in range(0, len(values), BLOCK))
    return any(np.count_nonzero(block < 0x20) > np.count_nonzero(block - np.uint8(0x09) < 5) for block in blocks)


def line_at(data: bytes, offset: int) -> int:
    """The number of the line that holds byte `offset`; lines end with \\n, \\r\\n or \\r."""
    before = data[:offset]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text. `str.splitlines` knows more line ends (\\v, \\f, U+2028 …), which may be part of a value."""
    begin = 0
    for end in _LINE_END.finditer(text):
        yield text[begin : end.start()]
        begin = end.end()
    yield text[begin:]


def _convert(encoding: str, path: Path | str) -> str:
    return f"Convert it: iconv -f {encoding} -t UTF-8 {path} > converted"
