"""Files packed with zstd, read as a stream that knows where its last frame ends.

The library's own reader takes a file that is cut off for one that is over; this one says so.
"""

from __future__ import annotations

import io
from typing import IO, Any

MAGIC = b"\x28\xb5\x2f\xfd"
_STEP = 1 << 17  # packed bytes read at a time


class Damaged(Exception):
    """What the library says of bytes that are not zstd."""


class ZstdFile(io.RawIOBase):
    """The unpacked bytes of one or more frames; EOFError where the last one is not whole, else Damaged."""

    def __init__(self, packed: IO[bytes]) -> None:
        import zstandard

        self._packed = packed
        self._library = zstandard
        self._frame: Any = None
        self._ahead = memoryview(b"")
        self._rest = b""  # packed bytes behind the end of a frame

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
        if self._frame is None:
            self._frame = self._library.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
        try:
            self._ahead = memoryview(self._frame.decompress(packed))
        except self._library.ZstdError as error:
            raise Damaged(str(error)) from None
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
        return True
