"""A generated collection whose truth is known: eight systems, six judges, one expert audit.

Real collections never say which system is really better. Here every document has a true grade (0 to 3), so one can see
who is fooled and who is not:

- systems score documents by their true grade times their quality, plus noise they share with their family (lexical,
  neural, generative), so that systems of one family retrieve the same mistakes;
- the crowd sees the true grade blurred: *ann* well, *ben* fairly, *cyd* leniently, *dee* harshly, *eve* not at all;
- the *llm* judge also likes documents that read like generated prose, which the generative systems rank high: its error
  depends on the system, the kind that a single confusion matrix cannot undo;
- experts audit a known random sample: each document with the probability in the column `inclusion`;
- every topic and document has a text (`io.sample_texts`); long ones, and those that repeat the query, are those that
  the llm judge overrates.

    >>> sample = generated_collection(topics=5)
    >>> sample.runs
    Runs(8 systems, 5 topics, 2,000 rows)
    >>> sample.judgments.assessors
    ('ann', 'ben', 'cyd', 'dee', 'eve', 'llm')

For demonstrations and tests. Its judges err more tidily than people do; nothing learnt here replaces an audit of yours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.io.sample_texts import document_text, topic_text
from dissensus.tables.audit import Audit
from dissensus.tables.design import Frame, frame_path
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.work.atomic import atomic, atomic_path
from dissensus.work.seeds import generator

SCALE = Scale.range(0, 3)
TOP_GRADE = 3
CANDIDATES, DEPTH, POOL_DEPTH, AUDIT_DEPTH = 90, 50, 20, 10
SHARES = (0.70, 0.15, 0.10, 0.05)  # of the grades among candidates
# system: how strongly it feels the true grade, and whose taste it shares
SYSTEMS = {
    "bm25": (0.80, "lexical"),
    "rm3": (0.88, "lexical"),
    "splade": (1.05, "lexical"),
    "dense": (0.86, "neural"),
    "colbert": (1.12, "neural"),
    "crossenc": (1.50, "neural"),
    "llm-rerank": (0.95, "generative"),
    "llm-rewrite": (0.75, "generative"),
}
FAMILIES = ("lexical", "neural", "generative")
# crowd assessor: shift and blur of the true grade, share of grades given without looking
CROWD = {
    "ann": (0.0, 0.35, 0.0),
    "ben": (0.0, 0.60, 0.05),
    "cyd": (0.5, 0.60, 0.05),
    "dee": (-0.5, 0.60, 0.05),
    "eve": (0.0, 0.80, 1.0),
}
COVERAGE = 0.9  # share of the pool that each crowd assessor labels
LLM_SHIFT, LLM_BLUR, LLM_TASTE = 0.10, 0.45, 0.95
INCLUSION_TOP, INCLUSION_REST = 0.38, 0.05  # audit probability: documents in some top ten, the others


@dataclass(frozen=True)
class Sample:
    """What a user would have (runs, judgments, audit) and what no user has (truth)."""

    runs: Runs
    judgments: Judgments
    audit: Audit
    truth: Judgments
    drawn: tuple[_Topic, ...] = field(default=(), repr=False)
    seed: int = 0

    @cached_property
    def topic_texts(self) -> pl.DataFrame:
        """Polars frame topic, query, description, narrative."""
        rows = [(t.name, topic_text(i)) for i, t in enumerate(self.drawn)]
        return pl.DataFrame(
            [(name, x.query, x.description, x.narrative) for name, x in rows],
            schema=["topic", "query", "description", "narrative"], orient="row",
        )  # fmt: skip

    @cached_property
    def documents(self) -> pl.DataFrame:
        """Polars frame doc, title, text of every retrieved document."""
        rows = []
        for i, topic in enumerate(self.drawn):
            rng, about = generator(self.seed, 3, i), topic_text(i)
            for d in range(CANDIDATES):
                text = document_text(about, int(topic.truth[d]), float(topic.prose[d]), rng)
                rows.append((f"{topic.name}-d{d:02d}", text["title"], text["text"]))
        return pl.DataFrame(rows, schema=["doc", "title", "text"], orient="row")

    def write(self, folder: str | Path) -> list[Path]:
        """Write runs, labels, the audit with its frame, the truth and the texts into `folder`; returns the files."""
        place = Path(folder)
        (place / "runs").mkdir(parents=True, exist_ok=True)
        written = []
        for (system,), frame in self.runs.to_frame().partition_by("system", as_dict=True, maintain_order=True).items():
            path = place / "runs" / f"{system}.run"
            with atomic(path) as file:
                file.writelines(_trec_lines(frame, str(system)))
            written.append(path)
        frame_of_all = self.audit.frame
        assert frame_of_all is not None
        audit = self.audit.to_frame().with_columns(design=pl.lit(frame_of_all.design))
        tables = {"labels": self.judgments.to_frame(), "audit": audit, "truth": self.truth.to_frame()}
        for name, frame in tables.items():
            path = place / f"{name}.csv"
            with atomic_path(path) as temporary:
                frame.write_csv(temporary)
            written.append(path)
        with atomic_path(frame_path(place / "audit.csv")) as temporary:
            frame_of_all.table.write_parquet(temporary)
        for path in (place / "documents.jsonl", place / "topics.tsv"):
            with atomic_path(path) as temporary:
                if path.suffix == ".tsv":
                    self.topic_texts.write_csv(temporary, separator="\t")
                else:
                    self.documents.write_ndjson(temporary)
            written.append(path)
        return written


@dataclass(frozen=True)
class _Topic:
    """One topic: of every candidate its true grade, the llm judge's, its scores by systems, how generated it reads."""

    name: str
    truth: NDArray[np.int64]
    llm: NDArray[np.int64]
    scores: NDArray[np.float64]
    prose: NDArray[np.float64]

    @cached_property
    def rankings(self) -> NDArray[np.int64]:
        """Candidates by system and rank."""
        return np.argsort(-self.scores, axis=1)[:, :DEPTH]

    @cached_property
    def pool(self) -> NDArray[np.int64]:
        """The candidates that are judged: those near the top of some ranking."""
        return np.unique(self.rankings[:, :POOL_DEPTH])


def generated_collection(seed: int = 0, topics: int = 50) -> Sample:
    """The collection of `seed`; topics are drawn one by one, so more topics leave the first ones as they are."""
    if topics < 1:
        raise InputError(Text(Option("topics", topics), ": a collection has at least one topic."))
    drawn = [_draw_topic(t, generator(seed, 0, t)) for t in range(topics)]
    audited = [_audit_rows(t, generator(seed, 2, i)) for i, t in enumerate(drawn)]
    frame = Frame(pl.concat([rows.select("topic", "doc", "inclusion") for rows in audited]), "demo")
    return Sample(
        runs=Runs.from_frame(pl.concat([_run_rows(t) for t in drawn])),
        judgments=Judgments.from_frame(
            pl.concat([f for i, t in enumerate(drawn) for f in _label_rows(t, generator(seed, 1, i))]), scale=SCALE
        ),
        audit=replace(
            Audit.from_frame(
                pl.concat([rows.filter("chosen").drop("chosen") for rows in audited]), scale=SCALE, assessor="expert"
            ),
            frame=frame,
        ),
        truth=Judgments.from_frame(
            pl.concat([_frame(t, t.pool, t.truth[t.pool], "truth") for t in drawn]), scale=SCALE
        ),
        drawn=tuple(drawn),
        seed=seed,
    )


def _draw_topic(number: int, rng: np.random.Generator) -> _Topic:
    share = np.array(SHARES)
    share[1:] *= np.exp(rng.normal(0, 0.4))  # topics differ in how much is relevant
    share[0] = 1 - share[1:].sum()
    truth = rng.choice(len(share), CANDIDATES, p=share)
    tastes = dict(zip(FAMILIES, rng.normal(0, 1, (len(FAMILIES), CANDIDATES)), strict=True))
    ease = np.exp(rng.normal(0, 0.12))
    own = rng.normal(0, 0.9, (len(SYSTEMS), CANDIDATES))
    quality = np.array([q for q, _ in SYSTEMS.values()])
    scores = quality[:, None] * ease * truth + np.stack([tastes[f] for _, f in SYSTEMS.values()]) + own
    prose = np.maximum(tastes["generative"], 0)
    seen = truth + LLM_SHIFT + LLM_TASTE * prose + rng.normal(0, LLM_BLUR, CANDIDATES)
    return _Topic(f"q{number + 1:02d}", truth, _grade(seen), scores, prose)


def _grade(seen: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.clip(np.rint(seen), 0, TOP_GRADE).astype(np.int64)


def _doc_names(topic: _Topic, docs: NDArray[np.int64]) -> list[str]:
    return [f"{topic.name}-d{d:02d}" for d in docs.tolist()]


def _frame(topic: _Topic, docs: NDArray[np.int64], grades: NDArray[np.int64], assessor: str) -> pl.DataFrame:
    names = _doc_names(topic, docs)
    return pl.DataFrame({"topic": topic.name, "doc": names, "assessor": assessor, "grade": grades})


def _run_rows(topic: _Topic) -> pl.DataFrame:
    return pl.concat(
        [
            pl.DataFrame(
                {
                    "system": system,
                    "topic": topic.name,
                    "doc": _doc_names(topic, topic.rankings[s]),
                    "score": np.round(topic.scores[s, topic.rankings[s]], 4),
                }
            )
            for s, system in enumerate(SYSTEMS)
        ]
    )


def _label_rows(topic: _Topic, rng: np.random.Generator) -> Iterator[pl.DataFrame]:
    for name, (shift, blur, careless) in CROWD.items():
        grades = _grade(topic.truth + shift + rng.normal(0, blur, CANDIDATES))
        guess = rng.random(CANDIDATES) < careless
        grades[guess] = rng.integers(0, TOP_GRADE + 1, int(guess.sum()))
        docs = topic.pool[rng.random(len(topic.pool)) < COVERAGE]
        yield _frame(topic, docs, grades[docs], name)
    yield _frame(topic, topic.pool, topic.llm[topic.pool], "llm")


def _audit_rows(topic: _Topic, rng: np.random.Generator) -> pl.DataFrame:
    """The pool with the probability of each document, and which were chosen."""
    in_a_top_ten = np.isin(topic.pool, topic.rankings[:, :AUDIT_DEPTH])
    inclusion = np.where(in_a_top_ten, INCLUSION_TOP, INCLUSION_REST)
    return pl.DataFrame(
        {
            "topic": topic.name,
            "doc": pl.Series(_doc_names(topic, topic.pool), dtype=pl.String),
            "grade": topic.truth[topic.pool],
            "inclusion": inclusion,
            "chosen": rng.random(len(topic.pool)) < inclusion,
        }
    )


def _trec_lines(frame: pl.DataFrame, system: str) -> Iterator[str]:
    """TREC run lines; ranks count from 1 in each topic, rows being in rank order."""
    last, rank = None, 0
    for topic, doc, score in frame.select("topic", "doc", "score").iter_rows():
        rank = rank + 1 if topic == last else 1
        last = topic
        yield f"{topic} Q0 {doc} {rank} {score:.4f} {system}\n"
