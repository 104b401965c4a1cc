"""Putting data and JavaScript into a page so that text from data can never become markup.

Inside a `<script>` element a browser looks for `</script` and `<!--` before it looks at JSON's quotes; a system named
`</script><script>alert(1)</script>` would end the element. Escaping `<`, `>` and `&` as `\\u003c` and so on keeps the
JSON the same and the element whole.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

from dissensus.work.atomic import atomic

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def script_json(value: object) -> str:
    r"""JSON that may stand inside a script element; NaN and infinities become null.

    >>> script_json({"name": "</script>", "score": float("nan")})
    '{"name":"\\u003c/script\\u003e","score":null}'
    """
    try:  # most values are plain and finite: looking at each takes longer than writing them
        text = _written(value)
    except (TypeError, ValueError):
        text = _written(_finite(value))
    for raw, escaped in _ESCAPES.items():
        text = text.replace(raw, escaped)
    return text


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that needs no network (about 0.9 MB).

    Bundling takes seconds, so the script is kept in the user's cache folder, one file per version.
    """
    import vl_convert

    kept = _cache_folder() / f"vega-{version('vl-convert-python')}.js"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return kept.read_text(encoding="utf-8")
    script = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed; window.vega = vega;"))
    # the only place where a script's own text could end its element
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with atomic(kept) as file:
            file.write(script)
    return script


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "dissensus"


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if hasattr(value, "tolist"):
        return _finite(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
