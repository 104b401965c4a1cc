"""Files packed with gzip or zstd as streams of their bytes, which know where the last frame ends, and a reader ahead.

zstd's own reader takes a file that is cut off for one that is over; this one says so. Python's gzip unpacks eight
kilobytes at a time; this one takes more, which is a tenth faster.
"""

from __future__ import annotations

import io
import queue
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import IO, Any

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_STEP = 1 << 17  # packed bytes read at a time
_MOST = 1 << 21  # bytes that gzip unpacks at a time
_AHEAD = 3  # buffers that a reader ahead may fill
_BUFFER = 1 << 19


class Damaged(Exception):
    """What the library says of bytes that are not packed in this way."""


class _Frames(io.RawIOBase):
    """The unpacked bytes of one or more frames; EOFError where the last one is not whole, else Damaged."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._frame: Any = None
        self._ahead = memoryview(b"")
        self._rest = b""  # packed bytes that were read and not unpacked

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill `target` as far as the next unpacked bytes go; 0 at the end."""
        while not self._ahead:
            if not self._unpack():
                return 0
        room = memoryview(target).cast("B")
        n = min(len(room), len(self._ahead))
        room[:n] = self._ahead[:n]
        self._ahead = self._ahead[n:]
        return n

    def _unpack(self) -> bool:
        """Unpack the next packed bytes; False where there are none."""
        packed = self._rest or self._packed.read(_STEP)
        self._rest = b""
        if not packed:
            if self._frame is not None:
                raise EOFError("the last frame is not whole")
            return False
        self._take(packed)
        return True

    def _take(self, packed: bytes) -> None:
        """Unpack some bytes: set `_ahead`, and `_rest` to what is left of them."""
        raise NotImplementedError


class ZstdFile(_Frames):
    """A file packed with zstd."""

    def _take(self, packed: bytes) -> None:
        import zstandard

        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
        try:
            self._ahead = memoryview(self._frame.decompress(packed))
        except zstandard.ZstdError as error:
            raise Damaged(str(error)) from None
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None


class GzipFile(_Frames):
    """A file packed with gzip; zeros behind a member are padding."""

    _first = True

    def _take(self, packed: bytes) -> None:
        if self._frame is None:
            packed = packed if self._first else packed.lstrip(b"\0")
            if not packed:
                return
            self._frame, self._first = zlib.decompressobj(31), False
        try:
            self._ahead = memoryview(self._frame.decompress(packed, _MOST))
        except zlib.error as error:
            raise Damaged(str(error)) from None
        self._rest = self._frame.unconsumed_tail
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None


@contextmanager
def read_ahead(read_into: Callable[[Any], int | None]) -> Iterator[Callable[[Any], int]]:
    """The same reading, done by a thread a few buffers ahead: unpacking and looking at it take two cores."""
    free, ready = queue.SimpleQueue[bytearray | None](), queue.SimpleQueue[Any]()
    for _ in range(_AHEAD):
        free.put(bytearray(_BUFFER))

    def fill() -> None:
        while (buffer := free.get()) is not None:
            try:
                got = read_into(buffer) or 0
            except BaseException as error:  # raised where the bytes are wanted
                ready.put(error)
                return
            ready.put((buffer, got))
            if not got:
                return

    held: list[Any] = [None, 0, 0]  # a buffer, how far it was given out, how far it is filled

    def read(target: Any) -> int:
        buffer, at, end = held
        if at == end:
            if buffer is not None:
                free.put(buffer)
            found = ready.get()
            if isinstance(found, BaseException):
                held[:] = None, 0, 0
                raise found
            (buffer, end), at = found, 0
            if not end:
                ready.put((None, 0))  # the end stays the end
        n = min(len(target), end - at)
        if n:
            target[:n] = memoryview(buffer)[at : at + n]
        held[:] = buffer, at + n, end
        return int(n)

    thread = Thread(target=fill, name="dissensus-unpacking", daemon=True)
    thread.start()
    try:
        yield read
    finally:
        free.put(None)
        thread.join()
