"""Results as bytes, and back, to the last bit and without pickle: JSON, and behind it each array as numpy saves it.

Tuples stay tuples, float32 stays float32, NaN stays NaN: a result read back from a workspace equals the one written.

    >>> decode(encode({"tau": (0.1, float("inf")), "scores": np.arange(3, dtype=np.int8)}))
    {'tau': (0.1, inf), 'scores': array([0, 1, 2], dtype=int8)}

Not for objects of other classes: turn them into dicts and arrays first.
"""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np

from dissensus.arrays import Array
from dissensus.errors import WorkspaceError

_MARK = "~"  # the first character of a key that says what kind of value follows
_SIZE = 8  # bytes of the number that says how long the JSON is
Arrays = list[Array]


def encode(value: object) -> bytes:
    """Bytes that `decode` turns back into an equal value."""
    arrays: Arrays = []
    plain = json.dumps(_pack(value, arrays), ensure_ascii=False, separators=(",", ":"))
    text = plain.encode("utf-8", "surrogatepass")
    out = io.BytesIO(len(text).to_bytes(_SIZE, "little") + text)
    out.seek(0, io.SEEK_END)
    for array in arrays:
        np.save(out, array, allow_pickle=False)
    return out.getvalue()


def decode(data: bytes) -> Any:
    """The value that was encoded."""
    rest = io.BytesIO(data)
    text = rest.read(int.from_bytes(rest.read(_SIZE), "little"))
    return _unpack(json.loads(text.decode("utf-8", "surrogatepass")), rest)


def _pack(value: object, arrays: Arrays) -> Any:
    if value is None or isinstance(value, bool | str) or type(value) in (int, float):
        return value
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.hasobject or array.dtype.fields is not None:
            raise WorkspaceError(f"a result holds a numpy array of {array.dtype}; only plain numbers can be recorded.")
        arrays.append(array)
        return {_MARK + ("array" if isinstance(value, np.ndarray) else "scalar"): None}
    if type(value) is tuple:
        return {_MARK + "tuple": [_pack(v, arrays) for v in value]}
    if isinstance(value, list):
        return [_pack(v, arrays) for v in value]
    if isinstance(value, dict) and all(isinstance(k, str) for k in value):
        packed = {k: _pack(v, arrays) for k, v in value.items()}
        return {_MARK + "dict": packed} if any(k.startswith(_MARK) for k in packed) else packed
    if isinstance(value, dict) and all(type(k) in (int, tuple, str) for k in value):
        return {_MARK + "items": [[_pack(k, arrays), _pack(v, arrays)] for k, v in value.items()]}
    raise WorkspaceError(
        f"a result of type {type(value).__name__} cannot be recorded in a workspace.",
        "Return numbers, strings, lists, tuples, dicts of such keys, and numpy arrays.",
    )


def _unpack(tree: object, arrays: io.BytesIO) -> Any:
    """The value; its arrays come in the order in which they were met."""
    if isinstance(tree, list):
        return [_unpack(t, arrays) for t in tree]
    if not isinstance(tree, dict):
        return tree
    kind = next((k for k in tree if k.startswith(_MARK)), None)
    if kind is None:
        return {k: _unpack(v, arrays) for k, v in tree.items()}
    inner = tree[kind]
    if kind == _MARK + "tuple":
        return tuple(_unpack(t, arrays) for t in inner)
    if kind == _MARK + "dict":
        return {k: _unpack(v, arrays) for k, v in inner.items()}
    if kind == _MARK + "items":
        return {_unpack(k, arrays): _unpack(v, arrays) for k, v in inner}
    array = np.load(arrays, allow_pickle=False)
    return array if kind == _MARK + "array" else array[()]
