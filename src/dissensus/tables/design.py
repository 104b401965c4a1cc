"""How the sample of an audit was drawn: what it can answer, and with which probability each document could be chosen.

A plan for differences never draws documents that weigh equally for all systems, and a plan for two systems never draws
what only others show. The sample says so in the columns `covers` (scores, differences or pairs) and, for pairs, `pairs`
(a JSON list of two names each).

    >>> Coverage.of_pairs(("A", "B")).with_other(Coverage.of_pairs(("C", "D"))).columns()
    {'covers': 'pairs', 'pairs': '[["A", "B"], ["C", "D"]]'}

The *frame* holds the probabilities of all documents, not only of those that were chosen. The variance of rectified
scores depends on all of them: guessed from the audited ones, they cost 7 to 47 % of the width of score intervals, and
the same audit has another standard error with other runs. So a sample's file says in the column `design` how it was
drawn, and its frame lies beside it: `NAME.frame.parquet` for `NAME.csv`. The design is the command that rebuilds the
frame, and a checksum of it:

    plan -m P@10 --for scores --budget 200 --seed 0 #200 #5f0c1d2e9a3b

A number before the checksum says how many documents were drawn. #200/10 are 200 documents in 10 topics, drawn first.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from dissensus.errors import FileError, InputError
from dissensus.tables.columns import id_strings, numbers_of, placed

Pair = tuple[str, str]
OLD = re.compile(r"difference of (.+?) and (.+)")  # how 0.1.0 wrote a pair


@dataclass(frozen=True)
class Coverage:
    """`scores`: single scores can be estimated. `pairs`: the pairs whose differences can be; None for every pair."""

    scores: bool = True
    pairs: tuple[Pair, ...] | None = None

    @classmethod
    def differences(cls) -> Coverage:
        """Every difference, no single score."""
        return cls(scores=False)

    @classmethod
    def of_pairs(cls, *pairs: Pair) -> Coverage:
        """The differences of these pairs only."""
        return cls(False, pairs)

    @property
    def every_pair(self) -> bool:
        return self.scores or self.pairs is None

    def covers(self, a: str, b: str) -> bool:
        """Can the difference of a and b be estimated?"""
        return self.every_pair or any({a, b} == set(pair) for pair in self.pairs or ())

    def with_other(self, other: Coverage) -> Coverage:
        """What two samples together can answer: what either of them could."""
        if self.scores or other.scores:
            return Coverage()
        if self.pairs is None or other.pairs is None:
            return Coverage.differences()
        return Coverage.of_pairs(*dict.fromkeys((*self.pairs, *other.pairs)))

    def columns(self) -> dict[str, str]:
        """The columns that a sample has, the same in every row."""
        if self.every_pair:
            return {"covers": "scores" if self.scores else "differences"}
        return {"covers": "pairs", "pairs": json.dumps([list(p) for p in self.pairs or ()], ensure_ascii=False)}

    def __str__(self) -> str:
        if self.every_pair:
            return "scores" if self.scores else "differences"
        return "; ".join(f"difference of {a} and {b}" for a, b in self.pairs or ())

    @classmethod
    def from_columns(cls, covers: Iterable[str], pairs: Iterable[str], source: str) -> Coverage:
        """From the distinct values of both columns; rows of several plans add up. Also reads what 0.1.0 wrote."""
        found: list[Coverage] = []
        named = tuple(pair for text in pairs for pair in _pairs(text, source))
        for word in covers:
            if word == "pairs":
                found.append(cls.of_pairs(*named))
            elif word in ("scores", "differences"):
                found.append(cls(scores=word == "scores"))
            else:
                old = [OLD.fullmatch(part) for part in word.split("; ")]
                if not all(old):
                    raise InputError(
                        f"{source}: covers {word!r} is not a valid coverage.",
                        "It is scores, differences or pairs, as plan wrote it.",
                    )
                found.append(cls.of_pairs(*((m[1], m[2]) for m in old if m)))
        # rows of a plan for scores are among those of a narrower one that was added to it, and the file says both
        narrow = [c for c in found if not c.scores] or found or [cls()]
        out = narrow[0]
        for other in narrow[1:]:
            out = out.with_other(other)
        return out


EVERYTHING = Coverage()


def _pairs(text: str, source: str) -> list[Pair]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if isinstance(read, list) and all(isinstance(p, list) and len(p) == 2 and all(map(str, p)) for p in read):
        return [(str(a), str(b)) for a, b in read]
    raise InputError(
        f"{source}: pairs {text!r} is not a valid list of pairs.",
        'It is a JSON list such as [["A", "B"]], as plan wrote it.',
    )


ROLES = ("topic", "doc", "inclusion")
SUFFIX = ".frame.parquet"


@dataclass(frozen=True, eq=False)
class Frame:
    """`table`: topic, doc and inclusion of every document that could be chosen; `command` rebuilds it.

    `drawn` is how many were drawn, where a plan draws exactly so many. 0.2.0 drew about as many, and wrote no number.
    `topics` is how many topics were drawn first, where documents were drawn within them.
    """

    table: pl.DataFrame
    command: str = ""
    drawn: int | None = None
    topics: int | None = None

    @property
    def design(self) -> str:
        """The command, how many were drawn, and a checksum of the probabilities: "plan … #60 #5efcb630a81f"."""
        within = "" if self.topics is None else f"/{self.topics}"
        number = "" if self.drawn is None else f"#{self.drawn}{within} "
        return f"{self.command} {number}#{self.checksum}".strip()

    @property
    def stage(self) -> float | None:
        """A topic's chance to be drawn, where topics were drawn first."""
        return None if self.topics is None else self.topics / self.table["topic"].n_unique()

    @property
    def checksum(self) -> str:
        ordered = self.table.select(ROLES).sort("topic", "doc")
        digest = hashlib.sha256()
        for topic, doc, inclusion in ordered.iter_rows():
            digest.update(f"{topic}\t{doc}\t{inclusion!r}\n".encode())
        return digest.hexdigest()[:12]

    def scaled(self, share: float) -> Frame:
        """The same where only a share of the chosen documents was graded."""
        return Frame(self.table.with_columns(pl.col("inclusion") * share), self.command, self.drawn, self.topics)

    def of(self, topics: pl.Series, docs: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """π of these documents; 0 where a document is not in the frame: it could not be chosen."""
        asked = pl.DataFrame({"topic": topics.cast(pl.String), "doc": docs.cast(pl.String)})
        found = asked.join(self.table.select(ROLES), on=["topic", "doc"], how="left", maintain_order="left")
        return np.asarray(found["inclusion"].fill_null(0.0).to_numpy(), np.float64)


def frame_path(sample: Path) -> Path:
    """Where the frame of a sample lies.

    >>> frame_path(Path("to-audit.csv.gz")).name
    'to-audit.frame.parquet'
    """
    name = sample.name
    while Path(name).suffix.lower() in (".gz", ".zst", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".xlsx"):
        name = Path(name).stem
    return sample.with_name(name + SUFFIX)


def matching(table: pl.DataFrame, design: str, source: str) -> Frame:
    """The frame in a table, if it is the one that `design` names; any, where that is empty."""
    lost = [role for role in ROLES if role not in table.columns]
    if lost:
        raise FileError(f"{source} has no column {lost[0]!r}; a frame has {', '.join(ROLES)}.", rebuild(design, source))
    ids = {role: id_strings(table[role], role, placed(source)) for role in ("topic", "doc")}
    frame = Frame(pl.DataFrame({**ids, "inclusion": numbers_of(table["inclusion"])}))
    bad = frame.table.filter(~pl.col("inclusion").is_between(0.0, 1.0) | pl.col("inclusion").is_nan())
    if bad.height:
        raise InputError(
            f"{source}: topic {bad['topic'][0]}, document {bad['doc'][0]} has the inclusion probability "
            f"{bad['inclusion'][0]}; it must be at least 0 and at most 1.", rebuild(design, source)
        )  # fmt: skip
    _, _, checksum = design.rpartition("#")
    if design and frame.checksum != checksum:
        raise InputError(
            f"{source} is not the frame of design {design}: its checksum is {frame.checksum}.",
            rebuild(design, source),
        )
    return Frame(frame.table, *_command(design))


def _command(design: str) -> tuple[str, int | None, int | None]:
    """The command of a design, how many documents were drawn, and in how many topics.

    >>> _command("plan --budget 60 #60 #5efcb630a81f"), _command("plan --budget 60 #5efcb630a81f")
    (('plan --budget 60', 60, None), ('plan --budget 60', None, None))
    >>> _command("plan --unit topic,document #60/5 #5efcb630a81f")
    ('plan --unit topic,document', 60, 5)
    """
    words = design.rpartition("#")[0].strip()
    command, sign, number = words.rpartition("#")
    documents, _, topics = number.partition("/")
    if not (sign and documents.isdigit() and (topics or "0").isdigit()):
        return words, None, None
    return command.strip(), int(documents), int(topics) if topics else None


def rebuild(design: str, frame: str) -> str:
    """The command that rebuilds a frame, from the runs and labels that the audit was planned with."""
    command = _command(design)[0] or "plan"
    if not command.startswith("plan"):  # the demo writes its files itself
        return f"Write the files again: dissensus {command}"
    return f"Rebuild it: dissensus {command} RUNS -j LABELS --frame {frame}"
