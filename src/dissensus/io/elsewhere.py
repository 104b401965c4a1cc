"""Files that are elsewhere: standard input (`-`) and addresses (`https://…`, `s3://…`, `gs://…`, `file://…`).

Whatever names a file may name one of these. `fetched` copies it to a temporary folder, and it is read from there as
every file is, so that nothing else needs to know. Messages show the address, not the copy. A folder of a store is known
by its listing. An empty folder here stands for it (`folder_at`), and a file of it is copied when it is opened.

    >>> [is_elsewhere(t) for t in ("-", "https://a.org/x.run", "runs/x.run", "C:/runs/x.run")]
    [True, True, False, False]

`http` and `https` need nothing. Other stores go through fsspec where it is installed with the file system of the
store. Without it Polars brings Parquet files, because it knows the usual stores itself.
"""

from __future__ import annotations

import contextlib
import glob
import importlib.util
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import polars as pl

from dissensus.errors import FileError
from dissensus.io.contents import GZIP, ZSTD, contents
from dissensus.work.progress import Progress

STANDARD_INPUT = "-"
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
KEPT = 60.0  # seconds for which a copy serves: one command looks at a file several times
ANSWER = 60.0  # seconds that a server may take
_STEP = 1 << 20
#: what fsspec needs for a store; the stores that Polars knows
STORES = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "abfss": "adlfs"}
NO_FOLDERS = ("http:", "https:", "file:")  # web servers list none, and those of this machine are paths
POLARS = ("s3", "gs", "gcs", "az", "abfs", "abfss")

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # PosixPath or WindowsPath: until Python 3.12 only these can be inherited from


class Fetched(_Path):
    """A copy of a file that is elsewhere: made when it is first opened, opened as the copy, shown as its address."""

    address = ""

    @classmethod
    def of(cls, copy: str, address: str) -> Fetched:
        """The copy of what stands at an address."""
        path = cls(copy)
        path.address = address
        return path

    def __str__(self) -> str:
        return self.address or super().__str__()

    def __fspath__(self) -> str:
        copy = str(super().__str__())
        if ADDRESS.match(self.address) and not self.address.startswith("http") and not os.path.exists(copy):
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with _store(self.address) as (files, inside):
                files.get_file(inside, copy)
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        return Fetched.of, (str(super().__str__()), self.address)


def is_elsewhere(text: str) -> bool:
    """Does a text name standard input or an address, rather than a file here?"""
    return text == STANDARD_INPUT or (ADDRESS.match(text) is not None and not text.lower().startswith("file:"))


def fetched(text: str, reader: str = "read_runs") -> list[Path]:
    """The files at an address, or standard input, copied here; `reader` is who asks."""
    if text == STANDARD_INPUT:
        return [_standard_input({"read_runs": "runs", "read_scores": "scores"}.get(reader, "judgments"))]
    when, copies = _copies.get(text, (0.0, []))
    if not copies or time.monotonic() - when > KEPT:
        store = text.partition("://")[0].lower()
        copies = [_over_http(text)] if store in ("http", "https") else _from_store(text, store)
        _copies[text] = time.monotonic(), copies
    return copies


_copies: dict[str, tuple[float, list[Path]]] = {}
_folders: list[tempfile.TemporaryDirectory[str]] = []  # they go when the process ends


def _place_for(name: str) -> Path:
    """A new file of a name, in a folder of its own."""
    _folders.append(tempfile.TemporaryDirectory(prefix="dissensus-"))
    return Path(_folders[-1].name) / (re.sub(r"[^\w.=+-]", "_", name) or "file")


def local_path(address: str) -> str:
    """The path that a `file://` address names.

    >>> local_path("file:///tmp/my%20labels.csv")
    '/tmp/my labels.csv'
    """
    parts = urlsplit(address)
    if parts.netloc not in ("", "localhost"):
        raise FileError(f"{address} names the computer {parts.netloc!r}.", "Write file:///path for a file of this one.")
    from urllib.request import url2pathname  # see _over_http

    return url2pathname(parts.path)


# ── standard input ──
_taken: list[tuple[object, Path, str]] = []  # the stream that was read, its copy, and what it was read as


def _standard_input(what: str) -> Path:
    """A copy of standard input, which is read once; a second input that wants it is refused."""
    if not _taken or _taken[0][0] is not sys.stdin:
        _taken[:] = [(sys.stdin, _copy_of_standard_input(), what)]
    _, path, as_what = _taken[0]
    if as_what != what:
        raise FileError(
            f"standard input was read as {as_what}, so it cannot be the {what}, too.", "Name a file for one of them."
        )
    return path


def _copy_of_standard_input() -> Path:
    if sys.stdin is None or sys.stdin.isatty():
        raise FileError("nothing is piped into standard input.", "Pipe a file in: cat labels.csv | dissensus …")
    stream = getattr(sys.stdin, "buffer", None)
    path = _place_for("stdin")
    path.write_bytes(sys.stdin.read().encode() if stream is None else stream.read())
    return _with_ending(path, "standard input")


def _with_ending(path: Path, address: str) -> Path:
    """A copy without a telling name, named after what it holds."""
    with path.open("rb") as file:
        start = file.read(1 << 16)
    packed = ".gz" if start.startswith(GZIP) else ".zst" if start.startswith(ZSTD) else ""
    if packed:
        start = contents(Fetched.of(str(path), address))
    named = path.with_name(f"{path.name}{ending_of(start)}{packed}")
    path.rename(named)
    return Fetched.of(str(named), address)


def ending_of(start: bytes) -> str:
    r"""The ending of a file that has none, by how the file begins; TREC files and JSON are known without one.

    >>> ending_of(b"topic,doc,grade\n"), ending_of(b"topic\tdoc\n"), ending_of(b"301 0 FT-7 1\n"), ending_of(b"PAR1")
    ('.csv', '.tsv', '', '.parquet')
    """
    for magic, ending in ((b"PAR1", ".parquet"), (b"ARROW1", ".arrow"), (b"PK\x03\x04", ".xlsx")):
        if start.startswith(magic):
            return ending
    text = start[:65536].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    line = next((one for one in text.splitlines() if one and not one.startswith("#")), "")
    if line[:1] in ("{", "[") or len(line.split()) in (4, 6):
        return ".tsv" if "\t" in line and line[:1] not in "{[" else ""
    return ".tsv" if "\t" in line else ".csv" if re.search("[,;]", line) else ""


# ── addresses ──
def _over_http(address: str) -> Path:
    """A copy of what a web server answers."""
    from http.client import HTTPException  # with ssl and email, 50 ms that no file on this machine needs
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    from dissensus import __version__

    name = unquote(PurePosixPath(urlsplit(address).path).name)
    path = _place_for(name)
    try:
        request = Request(address, headers={"User-Agent": f"dissensus/{__version__}"})
        with urlopen(request, timeout=ANSWER) as answer, path.open("wb") as file:
            size = answer.headers.get("Content-Length", "")
            whole = int(size) if size.isdigit() else None
            with Progress(f"MB of {name}", None if whole is None else whole >> 20) as bar:
                while part := answer.read(_STEP):
                    file.write(part)
                    bar.advance()
    except HTTPError as error:
        error.close()
        raise FileError(f"{address} answers {error.code} {error.reason}.", *_ways_out(address)) from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise FileError(f"{address} cannot be reached: {why}.", *_ways_out(address)) from error
    if whole is not None and path.stat().st_size != whole:
        raise FileError(f"{address} broke off after {path.stat().st_size:,} of {whole:,} bytes.", "Try again.")
    return _refuse_page(path, address) if "." in name else _with_ending(_refuse_page(path, address), address)


def _ways_out(address: str) -> tuple[str, ...]:
    if any(mark in address.partition("?")[0] for mark in "*["):
        return ("Web servers do not list files, so name each address.",)
    return ("Try the address in a browser, or download the file and name it.",)


def _refuse_page(path: Path, address: str) -> Path:
    with path.open("rb") as file:
        start = file.read(512).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        raise FileError(
            f"{address} answers with a web page, not with a file of data.",
            "Name the address of the file itself. On GitHub it is the one behind 'Raw'.",
        )
    return Fetched.of(str(path), address)


@contextlib.contextmanager
def _store(address: str) -> Iterator[tuple[Any, str]]:
    """(the file system of a store, the path in it); whatever goes wrong names the address."""
    try:
        files, inside = importlib.import_module("fsspec.core").url_to_fs(address)
        yield files, str(inside)
    except (ImportError, ValueError) as error:
        raise _no_way_to(address, address.partition("://")[0].lower(), error) from error
    except FileError:
        raise
    except Exception as error:  # every store has exceptions of its own
        raise _unreadable(address, error) from error


def _from_store(address: str, store: str) -> list[Path]:
    """Copies of what stands in an object store, or wherever fsspec gets at; a glob may name several."""
    try:
        with _store(address) as (files, inside):
            found = sorted(files.glob(inside)) if glob.has_magic(inside) else [inside]
            found = [one for one in found if len(found) == 1 or not files.isdir(one)]
            return _copied(files, found, address, store)
    except FileError as error:
        if store in POLARS and address.endswith(".parquet") and isinstance(error.__cause__, ImportError):
            return [_through_polars(address)]
        raise


def _copied(files: Any, found: list[str], address: str, store: str) -> list[Path]:
    copies: list[Path] = []
    for one in found:
        path = _place_for(PurePosixPath(one).name)
        files.get_file(one, str(path))
        copies.append(Fetched.of(str(path), address if len(found) == 1 else f"{store}://{one}"))
    if not copies:
        raise FileError(f"nothing matches {address!r}.", "Are the address and your access to it right?")
    return copies


# ── folders of a store ──
@dataclass(frozen=True)
class Listing:
    """The files of a folder that is elsewhere, with their sizes, and the folder here that stands for it."""

    address: str
    sizes: dict[str, int]  # by the path inside
    here: Path

    def file(self, inside: str) -> Fetched:
        """A file of it, copied when it is opened."""
        return Fetched.of(str(self.here / inside), f"{self.address}/{inside}")


_listings: dict[Path, Listing] = {}  # by the folder that stands for it
_listed: dict[str, tuple[float, Path | None]] = {}


def folder_at(address: str, whole: str = "") -> Path | None:
    """The folder here that stands for one of a store; None for a file, a glob, and what a web server holds.

    Only the file `whole` is there, where the folder has one.
    """
    address = address.rstrip("/")
    if not ADDRESS.match(address) or address.lower().startswith(NO_FOLDERS) or glob.has_magic(address):
        return None
    when, here = _listed.get(address, (0.0, None))
    if not when or time.monotonic() - when > KEPT:
        here = _look_at(address, whole)
        _listed[address] = time.monotonic(), here
    return here


def _look_at(address: str, whole: str) -> Path | None:
    try:
        with _store(address) as (files, inside):
            if not files.isdir(inside):
                return None
            found = files.find(inside, detail=True)
    except FileError as error:
        if isinstance(error.__cause__, ImportError):
            return None  # whoever reads the file says what is missing
        raise
    start = inside.strip("/") + "/"
    sizes = {name.strip("/").removeprefix(start): int(about.get("size") or 0) for name, about in found.items()}
    here = _place_for(PurePosixPath(address).name)
    here.mkdir()
    listing = _listings[here] = Listing(address, sizes, here)
    if whole in sizes:
        os.fspath(listing.file(whole))
    return here


def listing_of(folder: Path) -> Listing | None:
    """What is known of the folder that a folder here stands for; None for folders that are what they are."""
    return _listings.get(folder)


def bytes_at(address: str) -> bytes:
    """What a file of a store holds, without a copy."""
    with _store(address) as (files, inside):
        return bytes(files.cat_file(inside))


def _unreadable(address: str, error: Exception) -> FileError:
    said = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
    return FileError(f"{address} cannot be read: {said[:300]}.", "Are the address and your access to it right?")


def _through_polars(address: str) -> Path:
    path = _place_for(PurePosixPath(address).name)
    try:
        pl.scan_parquet(address).sink_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _unreadable(address, error) from error
    return Fetched.of(str(path), address)


def _no_way_to(address: str, store: str, error: Exception) -> FileError:
    if isinstance(error, ValueError):
        return FileError(f"{address} names no store that fsspec knows: {store}://.", "Copy the file here and name it.")
    missing = [name for name in ("fsspec", STORES.get(store, "")) if name and importlib.util.find_spec(name) is None]
    return FileError(
        f"{address} cannot be read without {' and '.join(missing) or str(error)}.",
        f"Install it: pip install {' '.join(missing)}" if missing else "See what fsspec says about this store.",
        "Or copy the file here and name it.",
    )


def neighbour(path: Path, name: str) -> Path:
    """The file of a name that stands next to a file, fetched where that one was."""
    if isinstance(path, Fetched) and path.address.count("/") > 2:
        try:
            return fetched(f"{path.address.rpartition('/')[0]}/{name}")[0]
        except FileError:
            pass  # there is none, as beside any file
    return path.with_name(name)
