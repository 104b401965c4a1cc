"""Refusals and warnings by class, values and options, never by their words: those are in `test_wording.py`.

    with refused(InputError, "replicates=3", 99):
        agreement(judgments, replicates=3)

A value is data inside the sentence (a number, a file, an option, the name of an assessor), found as a whole word. A
sentence may be reworded, and the place where it is raised may move, without any of this failing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dissensus.errors import DissensusError, Option, Text


@contextmanager
def refused(
    error: type[BaseException] | tuple[type[BaseException], ...],
    *values: object,
    options: Iterable[Option | str] = (),
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """An error of this class with these values in its text, that names these options."""
    with pytest.raises(error) as caught:
        yield caught
    text = str(caught.value)
    assert not missing(text, values), f"{missing(text, values)} not in: {text}"
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


def options_of(error: BaseException) -> list[Option]:
    """The options that an error names, in what it says and in its fixes."""
    texts = (error.what, *error.fixes) if isinstance(error, DissensusError) else ()
    return [option for text in texts if isinstance(text, Text) for option in text.options]
