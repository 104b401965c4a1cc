"""Docstring examples (`>>>` paragraphs) become fenced code on the reference pages, not block quotes."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^(?P<indent>[ ]*)>>> .*?(?=\n[ ]*\n|\Z)", re.MULTILINE | re.DOTALL)


def fenced(text: str) -> str:
    """The docstring with every example paragraph in a fence of its own."""

    def fence(match: re.Match[str]) -> str:
        indent = len(match["indent"])
        lines = [line[indent:] if line[:indent].isspace() or not indent else line for line in match[0].splitlines()]
        return "```pycon\n" + "\n".join(lines) + "\n```"

    return EXAMPLE.sub(fence, text)


class Examples(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
