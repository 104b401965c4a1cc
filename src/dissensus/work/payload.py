"""Results as bytes, and back, to the last bit and without pickle: JSON, with numpy arrays in base64.

Tuples stay tuples, float32 stays float32, NaN stays NaN: a result read back from a workspace equals the one written.

    >>> decode(encode({"tau": (0.1, float("inf")), "scores": np.arange(3, dtype=np.int8)}))
    {'tau': (0.1, inf), 'scores': array([0, 1, 2], dtype=int8)}

Not for objects of other classes: turn them into dicts and arrays first.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from dissensus.errors import WorkspaceError

_MARK = "~"  # the first character of a key that says what kind of value follows


def encode(value: Any) -> bytes:
    """Bytes that `decode` turns back into an equal value."""
    return json.dumps(_pack(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Any:
    """The value that was encoded."""
    return _unpack(json.loads(data.decode("utf-8", "surrogatepass")))


def _pack(value: Any) -> Any:
    if value is None or isinstance(value, bool | str) or type(value) in (int, float):
        return value
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.hasobject or array.dtype.fields is not None:
            raise WorkspaceError(f"a result holds a numpy array of {array.dtype}; only plain numbers can be recorded.")
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
        return {_MARK + kind: data, "dtype": array.dtype.str, "shape": array.shape}
    if type(value) is tuple:
        return {_MARK + "tuple": [_pack(v) for v in value]}
    if isinstance(value, list):
        return [_pack(v) for v in value]
    if isinstance(value, dict) and all(isinstance(k, str) for k in value):
        packed = {k: _pack(v) for k, v in value.items()}
        return {_MARK + "dict": packed} if any(k.startswith(_MARK) for k in packed) else packed
    if isinstance(value, dict) and all(type(k) in (int, tuple, str) for k in value):
        return {_MARK + "items": [[_pack(k), _pack(v)] for k, v in value.items()]}
    raise WorkspaceError(
        f"a result of type {type(value).__name__} cannot be recorded in a workspace.",
        "Return numbers, strings, lists, tuples, dicts of such keys, and numpy arrays.",
    )


def _unpack(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_unpack(t) for t in tree]
    if not isinstance(tree, dict):
        return tree
    kind = next((k for k in tree if k.startswith(_MARK)), None)
    if kind is None:
        return {k: _unpack(v) for k, v in tree.items()}
    inner = tree[kind]
    if kind == _MARK + "tuple":
        return tuple(_unpack(t) for t in inner)
    if kind == _MARK + "dict":
        return {k: _unpack(v) for k, v in inner.items()}
    if kind == _MARK + "items":
        return {_unpack(k): _unpack(v) for k, v in inner}
    array = np.frombuffer(base64.b64decode(inner), np.dtype(tree["dtype"])).reshape(tree["shape"])
    return array.copy() if kind == _MARK + "array" else array[()]
