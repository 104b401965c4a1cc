"""Features: documents of queries as vectors, with the labels a ranker learns from.

>>> import numpy as np
>>> Features.from_arrays(np.eye(3), [1, 0, 2], group=[2, 1])
Features(3 documents, 2 topics, 3 features, labels 0…2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from dissensus.aliases import described
from dissensus.errors import InputError, ScaleError
from dissensus.io.files import refuse_table
from dissensus.io.letor import read_letor
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import Scale
from dissensus.windows.notebook import summary_html


@dataclass(frozen=True, eq=False)
class Features:
    """Row r is document `docs[r]` of topic `topics[topic[r]]`, with features X[r] and label y[r].

    Rows of a topic stand together. Labels are grades, or fractions of grades where several judges were merged.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    topic: NDArray[np.int32]
    topics: tuple[str, ...]
    docs: tuple[str, ...]
    first: int = 1  # the number of column 0 in the file
    notes: tuple[str, ...] = ()

    @classmethod
    def from_arrays(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        group: ArrayLike,
        *,
        topics: Sequence[str] | None = None,
        docs: Sequence[str] | None = None,
    ) -> Features:
        """From a matrix, labels, and the number of documents of each topic in turn (as LightGBM's `group`)."""
        matrix = np.ascontiguousarray(X, np.float64)
        labels = np.asarray(y, np.float64)
        sizes = np.asarray(group, np.int64)
        if matrix.ndim != 2 or labels.shape != (len(matrix),):
            raise InputError(
                f"X has shape {matrix.shape} and y {labels.shape}; X is documents × features, y documents."
            )
        if sizes.ndim != 1 or sizes.sum() != len(labels) or (sizes < 1).any():
            raise InputError(
                f"group sums to {sizes.sum():,} and X has {len(labels):,} rows; each topic has at least one."
            )
        if not np.isfinite(matrix).all() or not np.isfinite(labels).all() or (labels < 0).any():
            raise InputError("X and y must be finite numbers, and labels 0 or above.")
        names = tuple(topics) if topics is not None else tuple(str(i + 1) for i in range(len(sizes)))
        topic = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        if len(names) != len(sizes) or len(set(names)) < len(names):
            raise InputError(f"topics has {len(set(names)):,} different names, group {len(sizes):,} topics.")
        place = np.arange(len(topic)) - (np.cumsum(sizes) - sizes)[topic]
        made = tuple(f"{names[t]}.{p + 1}" for t, p in zip(topic, place, strict=True))
        if docs is not None and len(docs) != len(topic):
            raise InputError(f"docs has {len(docs):,} names, X {len(topic):,} rows.")
        return cls(matrix, labels, topic, names, made if docs is None else tuple(docs))

    # ── sizes ──
    def __len__(self) -> int:
        return len(self.y)

    @property
    def group(self) -> NDArray[np.int64]:
        """Number of documents of each topic, in order: what `fit(X, y, group)` wants."""
        return np.bincount(self.topic, minlength=len(self.topics)).astype(np.int64)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Rows of topic t are `bounds[t]:bounds[t + 1]`."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.group)])

    @property
    def graded(self) -> bool:
        """True if all labels are whole numbers."""
        return bool((self.y == np.floor(self.y)).all())

    def __repr__(self) -> str:
        kind = f"labels 0…{self.y.max():g}" if len(self) else "no labels"
        return f"Features({len(self):,} documents, {len(self.topics):,} topics, {self.X.shape[1]:,} features, {kind})"

    def _repr_html_(self) -> str:
        facts = [("documents", len(self)), ("topics", len(self.topics)), ("features", self.X.shape[1])]
        return summary_html("Features", facts)

    def proportions(self) -> NDArray[np.float64]:
        """Share of documents of each grade, lowest first."""
        return np.bincount(self.grades(), minlength=2) / max(len(self), 1)

    def grades(self) -> NDArray[np.int64]:
        """The labels as whole numbers; labels that are none are an error."""
        if not self.graded:
            row = int(np.flatnonzero(self.y != np.floor(self.y))[0])
            raise ScaleError(
                f"the label {self.y[row]:g} of document {self.docs[row]} (topic {self.topics[self.topic[row]]}) "
                "is not a whole number.",
                "Grades are whole numbers; only LambdaMART and NMCGMART learn from labels in between.",
            )
        return self.y.astype(np.int64)

    # ── choosing and changing ──
    def select(self, topics: Iterable[str]) -> Features:
        """The rows of some topics, in the order they stand here."""
        wanted = set(topics)
        unknown = sorted(wanted - set(self.topics))
        if unknown:
            raise InputError(f"no topic is called {', '.join(map(repr, unknown[:5]))}.")
        kept = np.array([t in wanted for t in self.topics], bool)
        rows = np.flatnonzero(kept[self.topic])
        code = np.cumsum(kept, dtype=np.int32) - 1
        names = tuple(t for t in self.topics if t in wanted)
        return replace(
            self,
            X=np.ascontiguousarray(self.X[rows]),
            y=self.y[rows],
            topic=code[self.topic[rows]].astype(np.int32),
            topics=names,
            docs=tuple(self.docs[r] for r in rows),
        )

    def rows(self, keep: NDArray[np.integer]) -> Features:
        """Some rows, ascending; topics that lose all their rows go."""
        return replace(
            self,
            X=np.ascontiguousarray(self.X[keep]),
            y=self.y[keep],
            topic=self.topic[keep],
            docs=tuple(self.docs[int(r)] for r in keep),
        ).select([self.topics[t] for t in np.unique(self.topic[keep])])

    def with_labels(self, y: ArrayLike) -> Features:
        """The same documents with other labels (noise injected, grades merged, posterior means)."""
        labels = np.asarray(y, np.float64)
        if labels.shape != self.y.shape or not np.isfinite(labels).all() or (labels < 0).any():
            raise InputError(f"y must be {len(self):,} finite labels, 0 or above.")
        return replace(self, y=labels)

    # ── going to ──
    def judgments(self, assessor: str = "labels") -> Judgments:
        """The labels as Judgments of one assessor."""
        grades = self.grades()
        scale = Scale.range(0, max(int(grades.max(initial=0)), 1), declared=False)
        frame = pl.DataFrame({"topic": self._topic_names(), "doc": self.docs, "grade": grades})
        return Judgments.from_frame(frame, assessor=assessor, scale=scale)

    def runs(self, scores: ArrayLike, system: str = "ranker") -> Runs:
        """Predicted scores as Runs of one system."""
        values = np.asarray(scores, np.float64)
        if values.shape != self.y.shape:
            raise InputError(f"scores has shape {values.shape}; there are {len(self):,} documents.")
        frame = pl.DataFrame({"topic": self._topic_names(), "doc": self.docs, "score": values})
        return Runs.from_frame(frame, system=system)

    def _topic_names(self) -> list[str]:
        return [self.topics[t] for t in self.topic.tolist()]


@described
def read_features(path: str | Path, *, queries: str | Path | None = None, n_features: int | None = None) -> Features:
    r"""Read a LETOR / SVMlight file: `label qid:7 1:0.5 3:0.2 #docid = D1` per document, plain or compressed.

    Feature numbers begin at 1, or at 0 if the file has a feature 0.

    Parameters
    ----------
    path
        The file.
    queries
        A file with the number of documents of each query, where rows have no qid. `<path>.query` without it
        (LightGBM's style).
    n_features
        Widen the matrix to so many columns: a test file may lack the last features of its training file.

    Returns
    -------
    Features
        `.X`, `.y`, `.docs`, `.topics`.

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.txt"
    >>> _ = path.write_text("2 qid:7 1:0.5 3:0.2 #docid = D1\n0 qid:7 2:1 #docid = D2\n")
    >>> ds.read_features(path).docs
    ('D1', 'D2')
    """
    refuse_table(path, "read_features")
    rows = read_letor(Path(path), queries=Path(queries) if queries else None, n_features=n_features)
    topics = tuple(dict.fromkeys(rows.topic))
    position = {name: i for i, name in enumerate(topics)}
    topic = np.array([position[name] for name in rows.topic], np.int32)
    return Features(rows.X, rows.y, topic, topics, tuple(rows.doc), rows.first, rows.notes)
