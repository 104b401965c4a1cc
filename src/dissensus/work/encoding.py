"""Results as bytes, and back, to the last bit and without pickle.

Plain values go into JSON; numpy arrays (any dtype but object) follow it as raw bytes. Tuples stay tuples, float32 stays
float32, NaN stays NaN: a result read back from a workspace is the result that was written.

    >>> decode(encode({"tau": (0.1, float("inf")), "scores": np.arange(3, dtype=np.int8)}))
    {'tau': (0.1, inf), 'scores': array([0, 1, 2], dtype=int8)}

Not for objects with classes of their own: turn them into dicts and arrays first.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import WorkspaceError

_LENGTH = struct.Struct("<Q")


def encode(value: Any) -> bytes:
    """Bytes that `decode` turns back into an equal value."""
    arrays: list[NDArray[Any]] = []
    tree = json.dumps(_pack(value, arrays), ensure_ascii=False, separators=(",", ":")).encode()
    blocks = [tree, *(np.ascontiguousarray(a).tobytes() for a in arrays)]
    return b"".join(_LENGTH.pack(len(b)) + b for b in blocks)


def decode(data: bytes) -> Any:
    """The value that was encoded."""
    blocks: list[bytes] = []
    at = 0
    while at < len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        blocks.append(data[at : at + length])
        at += length
    return _unpack(json.loads(blocks[0]), blocks[1:])


def _pack(value: Any, arrays: list[NDArray[Any]]) -> Any:
    # lists and dicts carry a tag as their first element or key, so that no value can be mistaken for another
    if value is None or isinstance(value, bool | str) or type(value) in (int, float):
        return value
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.hasobject or array.dtype.fields is not None:
            raise WorkspaceError(f"a result holds a numpy array of {array.dtype}; only plain numbers can be recorded.")
        arrays.append(array)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return {kind: len(arrays) - 1, "dtype": array.dtype.str, "shape": list(array.shape)}
    if isinstance(value, tuple) and type(value) is tuple:
        return ["tuple", *(_pack(v, arrays) for v in value)]
    if isinstance(value, list):
        return ["list", *(_pack(v, arrays) for v in value)]
    if isinstance(value, dict) and all(isinstance(k, str) for k in value):
        return {"dict": {k: _pack(v, arrays) for k, v in value.items()}}
    raise WorkspaceError(
        f"a result of type {type(value).__name__} cannot be recorded in a workspace.",
        "Return numbers, strings, lists, tuples, dicts with string keys, and numpy arrays.",
    )


def _unpack(tree: Any, blocks: list[bytes]) -> Any:
    if isinstance(tree, list):
        items = [_unpack(t, blocks) for t in tree[1:]]
        return tuple(items) if tree[0] == "tuple" else items
    if isinstance(tree, dict):
        if "dict" in tree:
            return {k: _unpack(v, blocks) for k, v in tree["dict"].items()}
        which = tree["array"] if "array" in tree else tree["scalar"]
        array = np.frombuffer(blocks[which], np.dtype(tree["dtype"])).reshape(tree["shape"])
        return array.copy() if "array" in tree else array[()]
    return tree
