"""The bytes and the text in a file, unpacked if it is packed with gzip or zstd; UTF-8, or an error that names the line.

A file that cannot be read is one error that says why and what to do: empty, compressed in another way, cut off in the
middle, damaged, not text. zstd's own reader takes a file that is cut off for one that is over. This one says so.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from dissensus.errors import FileError
from dissensus.work.limits import limit, way_to_raise

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
GROWTH = 200  # runs and judgments unpack to five to twenty times their size
_STEP = 1 << 24  # unpacked bytes taken at a time
_PACKED = 1 << 17  # packed bytes read at a time
_OTHER_PACKERS = (
    (b"PK\x03\x04", "a zip archive", "unzip it"),
    (b"BZh", "compressed with bzip2", "bunzip2 it"),  # and, six bytes on, the digits of π
    (b"\xfd7zXZ\x00", "compressed with xz", "unxz it"),
)
_WIDE = ((codecs.BOM_UTF32_LE, "UTF-32"), (codecs.BOM_UTF32_BE, "UTF-32"), (codecs.BOM_UTF16_LE, "UTF-16"),
         (codecs.BOM_UTF16_BE, "UTF-16"))  # fmt: skip
_BINARY = (b"PAR1", b"ARROW1")  # these may hold any bytes, and are checked where they are read
BLOCK = 1 << 20  # bytes looked at in one go: what is computed of them stays in the processor's cache
_LINE_END = re.compile(r"\r\n|\n|\r")
# everything below the space that is neither a tab nor a line end
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


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
            if len(part) == _STEP and part.count(b"\0") * 2 > _STEP and not parts[0].startswith(_BINARY):
                raise FileError(
                    f"{path} unpacks to megabytes of NUL bytes; it is no text.", "Copy or download it again."
                )
    return b"".join(parts)


@contextmanager
def unpacking(file: IO[bytes], start: bytes, path: Path) -> Iterator[IO[bytes]]:
    """An open file as its unpacked bytes; `start` is how it begins, which says how it is packed."""
    if start[:2] == GZIP:
        if start[3:4] and start[3] & 0xE0:  # RFC 1952 asks for an error, which Python's gzip does not raise
            raise broken(path, "gzip", ValueError("reserved flags are set"))
        try:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=file))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise broken(path, "gzip", error) from error
        return
    if start[:4] != ZSTD:
        yield file
        return
    import zstandard

    try:
        yield cast("IO[bytes]", io.BufferedReader(ZstdFile(file), 1 << 17))
    except (EOFError, zstandard.ZstdError) as error:
        raise broken(path, "zstd", error) from error


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


def decode(data: bytes, path: Path | str, first: int = 1) -> str:
    """The text of a file, or of its lines from `first` on, without its byte order mark.

    Anything but UTF-8 is an error with a line number.
    """
    for mark, name in _WIDE:
        if data.startswith(mark):
            raise FileError(f"{path} is written in {name}; files are read as UTF-8.", _convert(name, path))
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_at(data, error.start) + first - 1
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
            f"{path}:{line_at(data, len(text[: odd.start()].encode())) + first - 1} holds {what}.",
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


class ZstdFile(io.RawIOBase):
    """The unpacked bytes of one or more frames of zstd; EOFError where the last one is not whole."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._frame: Any = None
        self._ahead = memoryview(b"")
        self._rest = b""  # packed bytes behind a frame

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill `target` as far as the next unpacked bytes go; 0 at the end."""
        import zstandard

        while not self._ahead:
            packed = self._rest or self._packed.read(_PACKED)
            if not packed and self._frame is not None:
                raise EOFError("the last frame is not whole")
            if not packed:
                return 0
            self._frame = self._frame or zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
            self._ahead, self._rest = memoryview(self._frame.decompress(packed)), b""
            if self._frame.eof:
                self._rest, self._frame = self._frame.unused_data, None
        room = memoryview(target).cast("B")
        n = min(len(room), len(self._ahead))
        room[:n], self._ahead = self._ahead[:n], self._ahead[n:]
        return n
