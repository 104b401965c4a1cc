"""Answers of a person, kept as they are given, so that labelling can stop and go on.

A text file: a first line that says what the answers are about, then one JSON line per answer,
{"topic": …, "better": …, "worse": …} or {"topic": …, "same": [a, b]}. It is plain text on purpose: people look into it
and take answers back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from dissensus.errors import FileError, Fix, Option, OutputError, WorkspaceError
from dissensus.learning.labelling import Answer
from dissensus.work.atomic import atomic
from dissensus.work.units import difference


class Answers:
    """Open with `with`; `asker(topic, ask)` is a `prefer` that asks only what is not known yet."""

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, object]) -> None:
        self.path = Path(path)
        self.asked = 0
        self.given = 0
        self._known: dict[tuple[str, str, str], Answer] = {}
        try:
            text = self.path.read_text("utf-8") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{self.path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
        lines = text.splitlines()
        whole = self._read(lines, dict(about), cut=not text.endswith("\n")) if lines else text
        self.known = len(self._known)
        try:
            if whole != text:  # or the next answer would be written on to the end of the last line
                with atomic(self.path) as file:
                    file.write(whole)
            self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 — closed by close()
        except OSError as error:
            raise OutputError(
                f"{self.path} cannot be written: {error.strerror}.",
                Fix("Choose another file with ", Option("answers", None), ".", reader="command"),
            ) from error
        if not lines:
            self._write(dict(about))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def give(self, topic: str, better: str, worse: str) -> None:
        """Take in a preference that was given elsewhere; an answer in the file stays."""
        if (topic, better, worse) not in self._known and (topic, worse, better) not in self._known:
            self._known[topic, better, worse] = True
            self.given += 1

    def asker(self, topic: str, ask: Callable[[str, str], Answer]) -> Callable[[str, str], Answer]:
        """A `prefer` for one topic: known answers are given again, others asked for and kept at once."""

        def prefer(a: str, b: str) -> Answer:
            for first, second, turned in ((a, b, False), (b, a, True)):
                if (topic, first, second) in self._known:
                    known = self._known[topic, first, second]
                    return "same" if known == "same" else known is not turned
            answer = ask(a, b)
            if answer == "same":
                self._write({"topic": topic, "same": [a, b]})
            else:
                better, worse = (a, b) if answer else (b, a)
                self._write({"topic": topic, "better": better, "worse": worse})
            self._known[topic, a, b] = answer
            self.asked += 1
            return answer

        return prefer

    def _write(self, line: Mapping[str, object]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()

    def _read(self, lines: list[str], about: dict[str, object], *, cut: bool) -> str:
        """Take in what is known, and return the text of all whole lines.

        If the file does not end with a line end, its last line may have been cut off while it was written: that
        question is asked again.
        """
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if number == 1:
                    differs = difference(entry, about, "then")
                    if differs:
                        raise WorkspaceError(
                            f"{self.path} holds answers to other questions:",
                            *differs,
                            Fix("Choose another file with ", Option("answers", None), ".", reader="command"),
                        )
                    continue
                if "same" in entry:
                    first, second = entry["same"]
                    self._known[str(entry["topic"]), str(first), str(second)] = "same"
                else:
                    self._known[str(entry["topic"]), str(entry["better"]), str(entry["worse"])] = True
            except (json.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
                if cut and number == len(lines) > 1:
                    lines = lines[:-1]
                    break
                raise FileError(
                    f"{self.path}:{number}: {line[:60]!r} is not an answer.", "Remove the line to be asked again."
                ) from error
        return "".join(line + "\n" for line in lines)
