"""How the server is: for the owner's page, and for nobody else."""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from dissensus.arrays import Values


@dataclass
class Health:
    """Answers by kind, and the last trouble; counted by every thread."""

    since: float = field(default_factory=time.time)
    answers: Counter[int] = field(default_factory=Counter)
    last_trouble: tuple[float, str] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answered(self, status: int) -> None:
        with self._lock:
            self.answers[status // 100] += 1

    def trouble(self, what: str) -> None:
        """Something that the owner should know: the disk is full, the database is away, an error of ours."""
        with self._lock:
            self.last_trouble = (time.time(), what)

    def report(self, place: Path | None) -> Values:
        """What the owner's page shows; `place` is the study's file."""
        with self._lock:
            answers, last = dict(self.answers), self.last_trouble
        free = None
        if place is not None and place.exists():
            free = shutil.disk_usage(place.absolute().parent).free
        return {
            "up": time.time() - self.since,
            "answers": sum(answers.values()),
            "refused": answers.get(4, 0),
            "failed": answers.get(5, 0),
            "free_bytes": free,
            "trouble": None if last is None else {"ago": time.time() - last[0], "what": last[1]},
        }
