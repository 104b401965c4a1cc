"""Refusals and warnings by class, origin and values, never by their words: those are in `test_wording.py`.

    with refused(InputError, "resamples=3", 99, by="agreement"):
        agreement(judgments, resamples=3)

A value is data inside the sentence (a number, a file, an option, the name of an assessor), found as a whole word; `by`
is where in `src/dissensus` the error was raised: a room, a module or a function, by its dotted name or a part of it
("agreement", "agreement.api"). A sentence may be reworded without any of this failing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import pytest

from dissensus.errors import DissensusError, Option, Text


@contextmanager
def refused(
    error: type[BaseException] | tuple[type[BaseException], ...],
    *values: object,
    by: str = "",
    options: Iterable[Option | str] = (),
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """An error of this class with these values in its text, raised `by` this place, that names these options."""
    with pytest.raises(error) as caught:
        yield caught
    text = str(caught.value)
    assert not missing(text, values), f"{missing(text, values)} not in: {text}"
    place = origin(caught.tb)
    assert f".{by}." in f".{place}." or not by, f"raised by {place}, not by {by}: {text}"
    named = options_of(caught.value)
    for option in options:
        assert option in named or option in [o.name for o in named], f"{option} is not an option in: {text}"


@contextmanager
def warned(category: type[Warning], *values: object) -> Iterator[pytest.WarningsRecorder]:
    """A warning of this class with these values in its text; any other warning goes on to the test."""
    with pytest.warns(category, match="(?s)" + "".join(f"(?=.*{_whole(value)})" for value in values)) as caught:
        yield caught


def states(text: object, *values: object) -> bool:
    """True where each value is in the text as a whole word: 3 is not in "13", "3.5" or "3,000".

    >>> states("crowd.csv:14 gives 2 grades", "crowd.csv", 14, 2), states("0.25 of 1,200", 25), states("of 1,200", 1200)
    (True, False, True)
    """
    return not missing(text, values)


def stated(texts: str | Iterable[object], *values: object) -> bool:
    """True where one of the texts (notes, sentences; of one text its lines) states all of the values."""
    return any(states(text, *values) for text in (texts.splitlines() if isinstance(texts, str) else texts))


def missing(text: object, values: Iterable[object]) -> list[object]:
    """The values that are not in the text."""
    return [value for value in values if not re.search(_whole(value), str(text))]


def _whole(value: object) -> str:
    """The value as a pattern; a whole number also matches with commas for thousands."""
    form = re.escape(str(value))
    if isinstance(value, int) and abs(value) >= 1000:
        form = f"(?:{form}|{value:,})"
    before = r"(?<!\w)(?<!\d[.,])" if re.match(r"\w", str(value)) else ""
    after = r"(?!\w)(?![.,]\d)" if re.search(r"\w\Z", str(value)) else ""
    return before + form + after


def origin(traceback: TracebackType | None) -> str:
    """The place in the library where an error was raised, as module and function with dots; "" for other code."""
    place = ""
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        if name.partition(".")[0] == "dissensus":
            place = f"{name}.{traceback.tb_frame.f_code.co_qualname}"
        traceback = traceback.tb_next
    return place


def options_of(error: BaseException) -> list[Option]:
    """The options that an error names, in what it says and in its fixes."""
    texts = (error.what, *error.fixes) if isinstance(error, DissensusError) else ()
    return [option for text in texts if isinstance(text, Text) for option in text.options]
