"""Which commands a set of files supports, written out to be copied, and what the other commands would need."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from pathlib import Path

from dissensus.io.check.recognise import Recognised

MACHINES = ("llm", "gpt", "llama", "claude", "gemini", "umbrela", "judge", "bronze")  # names that judges often have
LISTED = 4  # files that are listed one by one; more become a glob where one matches exactly these


@dataclass(frozen=True)
class Prescription:
    """A command, what it is for, and what is missing for it (empty: it can be run)."""

    command: str
    why: str
    line: str = ""
    missing: str = ""


@dataclass(frozen=True)
class Cabinet:
    """The files by what they are, with what follows from them."""

    files: tuple[Recognised, ...]

    def of(self, what: str) -> list[Recognised]:
        """The files of a kind; of labels, those on the scale that most of them have."""
        files = [f for f in self.files if f.what == what]
        return [f for f in files if f not in self.other_scales] if what == "labels" else files

    @cached_property
    def other_scales(self) -> list[Recognised]:
        """Label files on another scale than most: commands refuse to mix scales until somebody maps them."""
        files = [f for f in self.files if f.what == "labels"]
        tops = [f.top for f in files]
        usual = max(set(tops), key=lambda top: (tops.count(top), top), default=0)
        return [f for f in files if f.top != usual]

    @property
    def systems(self) -> list[str]:
        return [s for f in self.of("runs") for s in f.systems]

    @property
    def assessors(self) -> list[str]:
        return list(dict.fromkeys(a for f in self.of("labels") for a in f.assessors))

    @property
    def shared_topics(self) -> int:
        runs = {t for f in self.of("runs") for t in f.topics}
        return len(runs & {t for f in self.of("labels") for t in f.topics})

    def words(self, what: str) -> str:
        """The files of a kind as words of a command."""
        paths = [f.path for f in self.of(what)]
        return " ".join(map(shlex.quote, paths)) if len(paths) <= LISTED else globbed(paths)

    def labels(self) -> str:
        """The label files, each behind its own -j."""
        paths = [f.path for f in self.of("labels")]
        if len(paths) > LISTED and " " not in globbed(paths):
            return f"-j {globbed(paths)}"
        return " ".join(f"-j {shlex.quote(p)}" for p in paths)

    def one(self) -> str:
        """--assessor NAME where several assessors are there and a command takes one."""
        if len(self.assessors) < 2:
            return ""
        likely = [a for a in self.assessors if any(word in a.lower() for word in MACHINES)]
        return f" --assessor {shlex.quote((likely or self.assessors)[-1])}"

    def measure(self) -> str:
        """A measure that the labels can answer: the grade 2 counts where there are more than two grades."""
        top = max((f.top for f in self.of("labels")), default=1)
        return ' -m "P(rel=2)@10"' if top >= 2 else " -m P@10"


def globbed(paths: Sequence[str]) -> str:
    """A quoted glob that matches exactly these files, or all of them listed."""
    folders = {str(Path(p).parent) for p in paths}
    if len(folders) == 1:
        folder = folders.pop()
        endings = sorted({"*" + "".join(Path(p).suffixes[-2:]) for p in paths})
        for pattern in ("*", *endings, f"{_shared_start(paths)}*"):
            full = str(Path(folder) / pattern)
            if sorted(glob(full)) == sorted(paths):
                return f'"{full}"'
    return " ".join(map(shlex.quote, paths))


def _shared_start(paths: Sequence[str]) -> str:
    """The letters with which all names begin."""
    names = [Path(p).name for p in paths]
    same = [len(set(letters)) == 1 for letters in zip(*names, strict=False)]
    return names[0][: same.index(False) if False in same else len(same)]


def prescribe(cabinet: Cabinet) -> list[Prescription]:
    """Every command that these files could be for, in the order in which people need them."""
    out = []
    for command, why, need, write in RULES:
        missing = need(cabinet)
        out.append(Prescription(command, why, "" if missing else f"dissensus {write(cabinet)}", missing))
    return out


# ── what a command needs: empty where it is there ────────────────────────────────────────────────────────────────────
def _scored(c: Cabinet) -> str:
    if not c.of("runs"):
        return "runs: what the systems retrieved (TREC runs, or tables with topic, doc, score)"
    if not c.of("labels"):
        return "labels: who graded what (qrels, or tables with topic, doc, assessor, grade)"
    return "" if c.shared_topics else "labels of the runs' topics: not one topic is in both"


def _compared(c: Cabinet) -> str:
    return _scored(c) or ("" if len(c.systems) > 1 else "runs of a second system")


def _audited(c: Cabinet) -> str:
    if missing := _scored(c):
        return missing
    if c.of("audit"):
        return ""
    if c.of("sample"):
        return f"grades in {c.of('sample')[0].path}: experts fill the column grade"
    return "an audit: expert grades of some documents; plan says which"


def _followed(c: Cabinet) -> str:
    if missing := _compared(c):
        return missing
    if any(f.ordered for f in c.of("audit")):
        return ""
    return "an audit in a committed order: plan --order writes one"


def _gated(c: Cabinet) -> str:
    tables = [f for f in c.of("scores") if len(f.systems) > 1]
    runs = len(c.of("runs")) > 1 and not _scored(c)
    return "" if runs or tables else "two run files with labels, or a table of two systems' scores"


def _gate(c: Cabinet) -> str:
    if len(c.of("runs")) > 1 and not _scored(c):
        base, new = (shlex.quote(f.path) for f in c.of("runs")[:2])
        return f"gate {base} {new} {c.labels()}{c.one()}{c.measure()} --tolerance 0.01"
    table = next(f for f in c.of("scores") if len(f.systems) > 1)
    base, new = map(shlex.quote, table.systems[:2])
    words = f"--score-table {shlex.quote(table.path)} -m {shlex.quote(table.measures[0])}"
    return f"gate {base} {new} {words} --tolerance 0.01"


def _planned(c: Cabinet) -> str:
    return _compared(c)


def _several(n: int) -> Callable[[Cabinet], str]:
    def need(c: Cabinet) -> str:
        have = len(c.assessors)
        return "" if have >= n else f"labels of {n} assessors for the same documents; there are {have}"

    return need


def _weighed(c: Cabinet) -> str:
    return _scored(c) or _several(2)(c)


def _holds(what: str, words: str) -> Callable[[Cabinet], str]:
    def need(c: Cabinet) -> str:
        return "" if c.of(what) else words

    return need


def _base(c: Cabinet) -> str:
    return f"{c.words('runs')} {c.labels()}"


def _gold(c: Cabinet) -> str:
    return f" --audit {shlex.quote(c.of('audit')[0].path)}" if c.of("audit") else ""


Rule = tuple[str, str, Callable[[Cabinet], str], Callable[[Cabinet], str]]
RULES: tuple[Rule, ...] = (
    ("evaluate", "scores of every system", _scored, lambda c: f"evaluate {_base(c)} -m nDCG@10 -m AP"),
    ("compare", "which systems differ", _compared,
     lambda c: f"compare {_base(c)}{c.one()}{c.measure()}{_gold(c)}"),
    ("plan", "which documents experts should grade", _planned,
     lambda c: f"plan {_base(c)}{c.one()}{c.measure()} --budget 200 --sample to-audit.csv"),
    ("correct", "scores corrected for the judge's errors", _audited,
     lambda c: f"correct {_base(c)}{c.one()}{c.measure()}{_gold(c)}"),
    ("compare --anytime", "what is decided, after every label", _followed,
     lambda c: f"compare {_base(c)}{c.one()}{c.measure()}{_gold(c)} --anytime"),
    ("report", "one page with all of it", _scored,
     lambda c: f"report {_base(c)}{c.one()}{c.measure()}{_gold(c)} -o report.html"),
    ("gate", "may the second system replace the first", _gated, _gate),
    ("agree", "how far assessors agree", _several(2), lambda c: f"agree {c.words('labels')}"),
    ("agree on preferences", "who prefers what, and how far they agree",
     _holds("preferences", "preferences: topic, two documents, winner"),
     lambda c: f"agree {c.words('preferences')}"),
    ("merge", "one set of labels from several assessors", _several(3),
     lambda c: f"merge {c.words('labels')} -o merged.qrels"),
    ("aware", "scores merged over assessors", _weighed, lambda c: f"aware {_base(c)} -m AP"),
    ("weights", "gains from how users disagree", _several(2), lambda c: f"weights {c.words('labels')}"),
    ("train", "a ranker", _holds("features", "a feature file (LETOR, SVMlight)"),
     lambda c: f"train {shlex.quote(c.of('features')[0].path)} --model ranker.json"),
    ("clicks", "a user model", _holds("clicks", "a click log"),
     lambda c: f"clicks {shlex.quote(c.of('clicks')[0].path)}"),
)  # fmt: skip
