"""How users move on a result page: a Markov chain on ranks, fitted to clicks.

    p̂_ij = moves from rank i to rank j / departures from rank i

Departures, not visits: a page's last click leads nowhere, and rows must sum to 1. Ranks that were never visited stay
out of the stationary distribution. A chain that cannot come back from some rank is *reducible*: it has no single
stationary distribution, which is then reported, not invented (Ferrante, Ferro & Maistro 2014; Teodorescu 2009 for the
estimator).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text
from dissensus.io.files import PathLike
from dissensus.measures.user_models import UserModel, Walk, dead_ends, stationary_distribution
from dissensus.results import Result, Table
from dissensus.tables.clicks import Clicks
from dissensus.tables.topic_groups import read_groups
from dissensus.wording import counted

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MarkovUser(Result):
    """A user's walk on ranks 1…n, and what it rests on.

    - `transition`: p̂_ij, zero rows for ranks that were never left;
    - `stationary`: π = πP, zero on unvisited ranks; refused with the reason if the chain is reducible;
    - `holding`: rates μ = (n−1)/n / mean dwell per rank, NaN below two dwell times;
    - `moves`: counts v_ij; `visits`: clicks per rank; `dwells`: dwell times per rank;
    - `backward`, `forward`, `again`: shares of the moves that go up the page, down, or to the same rank;
    - `classes`: one MarkovUser per query class, where classes were given.

    >>> user = MarkovUser.fit([[1, 2, 1], [1, 2], [2, 1, 1]])
    >>> user.transition.round(3).tolist(), user.stationary.round(3).tolist(), user.backward
    ([[0.333, 0.667], [1.0, 0.0]], [0.6, 0.4], 0.4)
    """

    moves: Floats
    visits: Counts
    holding: Floats
    dwells: Counts
    pages: int
    single: int  # pages with one click: visits, but no move
    notes: tuple[str, ...] = ()
    classes: Mapping[str, MarkovUser] = field(default_factory=dict)
    smoothing: float = 0.0
    ends: bool = False  # page starts and ends are part of the walk
    pairs: Counts = field(default_factory=lambda: np.empty(0, np.int64), repr=False)  # every move as i·n + j,
    page_of_move: Counts = field(default_factory=lambda: np.empty(0, np.int64), repr=False)  # its page,
    query_of_move: Counts = field(default_factory=lambda: np.empty(0, np.int64), repr=False)  # and its query
    first: Counts = field(default_factory=lambda: np.empty(0, np.int64), repr=False)  # first and last rank of every
    last: Counts = field(default_factory=lambda: np.empty(0, np.int64), repr=False)  # page with a click,
    several: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool), repr=False)  # has it two clicks?
    query_of_page: Counts = field(default_factory=lambda: np.empty(0, np.int64), repr=False)  # and its query

    # ── fitting ──
    @classmethod
    def fit(
        cls,
        clicks: Clicks | Iterable[Sequence[int]],
        classes: Mapping[str, str] | PathLike | None = None,
        *,
        ranks: int | None = None,
        smoothing: float = 0.0,
        ends: bool = False,
    ) -> MarkovUser:
        """Fit to a click log, or to sequences of visited ranks (from 1), one per result page.

        `classes` maps queries to class names, such as `query_classes(judgments)`, or is a file that does (columns topic
        and class, as for `nMCG(classes=…)`); queries without a class count in the whole only. `ranks` leaves out clicks
        below that rank. `smoothing` adds so many moves between every two visited ranks, which makes a reducible chain
        irreducible at the price of moves that were not made. `ends` makes page starts and ends part of the walk: a user
        who leaves comes back at the first click of some page, so that pages with one click count, and the stationary
        distribution is the share of clicks by rank.
        """
        log = clicks if isinstance(clicks, Clicks) else _from_sequences(clicks)
        if smoothing < 0 or not np.isfinite(smoothing):
            raise InputError(Text(Option("smoothing", smoothing), ": a number of moves must be at least 0."))
        if ranks is not None and ranks < 1:
            raise InputError(Text(Option("ranks", ranks), ": the number of ranks to keep must be at least 1."))
        whole = _fit(log, None, ranks, smoothing, ends)
        if classes is None:
            return whole
        if not isinstance(classes, Mapping):
            classes = read_groups(classes)
        of_query = np.array([classes.get(q, "") for q in log.queries], dtype=object)
        names = sorted({c for c in of_query if c})
        if not names:
            raise InputError(
                f"none of the {len(log.queries):,} queries of the log has a class: the log has "
                f"{', '.join(log.queries[:3])} …, the classes are for {', '.join(list(classes)[:3])} …",
                "Check that both use the same query ids.",
            )
        of_page = of_query[log.page_query]
        lost = int((of_page == "").sum())
        note = (f"{lost:,} of {log.n_pages:,} pages belong to queries without a class",) if lost else ()
        parts = {name: _fit(log, of_page == name, ranks or len(whole.visits), smoothing, ends) for name in names}
        return _replaced(whole, notes=whole.notes + note, classes=parts)

    # ── results ──
    @property
    def transition(self) -> Floats:
        moves = with_ends(self.moves, self.first, self.last) if self.ends else self.moves
        if self.smoothing:
            seen = self.visited
            moves = moves + self.smoothing * np.outer(seen, seen)
        left = moves.sum(axis=1, keepdims=True)
        probabilities: Floats = np.divide(moves, left, out=np.zeros_like(moves), where=left > 0)
        return probabilities

    @property
    def visited(self) -> NDArray[np.bool_]:
        """Which ranks take part in moves; without `ends` a rank clicked only as a page's single click does not."""
        if self.ends:
            return np.asarray(self.visits > 0)
        return np.asarray((self.moves.sum(0) > 0) | (self.moves.sum(1) > 0))

    @property
    def reducible(self) -> str | None:
        """Why there is no single stationary distribution, in words; None if there is one."""
        if not self.moves.any() and not self.ends:
            return "no page has two clicks, so there are no moves"
        return dead_ends(self.transition)

    @property
    def stationary(self) -> Floats:
        if not self.moves.any() and not self.ends:
            raise InputError(
                f"none of {counted(self.pages, 'page')} has two clicks: there are no moves, and no chain.",
                "Use a log of pages with several clicks each.",
            )
        reason = self.reducible
        if reason is not None:
            raise InputError(
                f"the chain of {counted(int(self.moves.sum()), 'move')} is reducible: {reason}.",
                "It has no single stationary distribution. Use more clicks.",
                Fix(
                    "Or use fewer ranks with ",
                    Option("ranks"),
                    ", or pseudo-counts with ",
                    Option("smoothing", 0.5),
                    ".",
                ),
                Fix("Or make page starts and ends part of the walk with ", Option("ends", True), "."),
            )
        return stationary_distribution(self.transition)

    @property
    def backward(self) -> float:
        return self._share(np.tril(self.moves, -1))

    @property
    def forward(self) -> float:
        return self._share(np.triu(self.moves, 1))

    @property
    def again(self) -> float:
        return self._share(np.diag(self.moves))

    def _share(self, part: Floats) -> float:
        total = self.moves.sum()
        return float(part.sum() / total) if total else float("nan")

    # ── showing ──
    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"ranks": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """One row per class and rank: visits, departures, stationary probability, holding rate, dwell times."""
        frames = []
        for name, user in {"all": self, **self.classes}.items():
            pi = None if user.reducible else user.stationary
            frames.append(
                pl.DataFrame(
                    {
                        "class": [name] * len(user.visits),
                        "rank": np.arange(1, len(user.visits) + 1),
                        "visits": user.visits,
                        "departures": user.moves.sum(axis=1).astype(np.int64),
                        "stationary": pl.Series([None] * len(user.visits) if pi is None else pi, dtype=pl.Float64),
                        "holding": pl.Series(user.holding).fill_nan(None),
                        "dwells": user.dwells,
                    }
                )
            )
        return pl.concat(frames)

    def transition_frame(self) -> pl.DataFrame:
        """One row per class and pair of ranks: moves and probability."""
        frames = []
        for name, user in {"all": self, **self.classes}.items():
            i, j = np.indices(user.moves.shape)
            frames.append(
                pl.DataFrame(
                    {
                        "class": [name] * i.size,
                        "from": i.ravel() + 1,
                        "to": j.ravel() + 1,
                        "moves": user.moves.ravel().astype(np.int64),
                        "probability": user.transition.ravel(),
                    }
                )
            )
        return pl.concat(frames)

    def to_model(self) -> UserModel:
        """The walk as a user model; refused with the reason if the chain is reducible."""
        _ = self.stationary
        rates = None if np.isnan(self.holding).all() else self.holding
        return UserModel(walk=Walk(self.transition, rates), notes=self.sentences())

    def to_json(self) -> str:
        """The text of the file that `MP(walk=…)` reads, with holding rates where the log had times."""
        return self.to_model().to_json()

    def sentences(self) -> tuple[str, ...]:
        """What the fit rests on, in sentences."""
        total = int(self.moves.sum())
        out = [
            f"{counted(int(self.visits.sum()), 'click')} on {counted(self.pages, 'page')}, {counted(total, 'move')} "
            f"between ranks ({counted(self.single, 'page')} with one click and no move)"
        ]
        if total:
            out.append(
                f"moves: {self.backward:.1%} backward, {self.forward:.1%} forward, {self.again:.1%} to the same rank "
                f"({self.backward / max(self.backward + self.forward, 1e-12):.1%} of moves to another rank go back)"
            )
        missing = [str(r + 1) for r in np.flatnonzero(~self.visited)]
        if missing and total:
            out.append(f"no move to or from rank {', '.join(missing)}: left out of the stationary distribution")
        if self.ends:
            out.append("page starts and ends are part of the walk: its stationary distribution is the share of clicks")
            alone = _replaced(self, ends=False).reducible
            if alone:
                out.append(f"without them {'it would be reducible' if total else 'there would be none'}: {alone}")
        if self.reducible:
            out.append(f"{'reducible: ' if total else ''}{self.reducible}; no stationary distribution")
        if self.smoothing:
            out.append(f"{self.smoothing:g} moves added between every two visited ranks")
        thin = [str(r + 1) for r in np.flatnonzero((self.visits > 0) & np.isnan(self.holding))]
        if thin and not np.isnan(self.holding).all():
            out.append(f"no holding rate for rank {', '.join(thin)}: fewer than two dwell times, or all of them 0")
        return (*out, *self.notes)

    def __str__(self) -> str:
        lines = [*self.sentences()]
        for name, user in self.classes.items():
            lines.append(f"{name}: {user.sentences()[0]}")
        return "\n".join(lines)


def with_ends(moves: Floats, first: Counts, last: Counts, times: Floats | None = None) -> Floats:
    """Moves, and from every page's last rank to the first ranks of all pages in their shares; pages count `times`.

    >>> with_ends(np.zeros((2, 2)), np.array([0, 0, 1]), np.array([0, 0, 1])).round(2).tolist()
    [[1.33, 0.67], [0.67, 0.33]]
    """
    n = len(moves)
    starts = np.bincount(first, times, n).astype(np.float64)
    stops = np.bincount(last, times, n).astype(np.float64)
    total = starts.sum()
    return np.asarray(moves + np.outer(stops, starts / total), np.float64) if total > 0 else moves


def _fit(log: Clicks, pages: NDArray[np.bool_] | None, ranks: int | None, smoothing: float, ends: bool) -> MarkovUser:
    """Counts on the chosen pages."""
    keep = np.ones(len(log), bool) if pages is None else pages[log.page]
    notes = list(log.notes) if pages is None else []
    longest = int(max(log.rank.max(initial=0), log.page_length.max(initial=0)))
    n = longest if ranks is None else min(ranks, max(longest, 1))
    low = keep & (log.rank > n)
    if low.any() and pages is None:
        notes.append(f"{counted(int(low.sum()), 'click')} below rank {n} left out: moves join the clicks around them")
    keep &= ~low
    page, rank, dwell = (c if keep.all() else c[keep] for c in (log.page, log.rank.astype(np.int64) - 1, log.dwell))
    if not len(rank):
        raise InputError("there are no clicks to fit a user to.", "Check the log's format, or the classes.")
    same = page[1:] == page[:-1]
    begins, ends_page, moved = np.append(True, ~same), np.append(~same, True), page[1:][same]
    pairs = rank[:-1][same] * n + rank[1:][same]
    moves = np.bincount(pairs, minlength=n * n).reshape(n, n)
    timed = np.isfinite(dwell)
    stayed = rank[timed]
    dwells = np.bincount(stayed, minlength=n)
    total = np.bincount(stayed, weights=dwell[timed], minlength=n)
    holding = np.full(n, np.nan)
    enough = (dwells > 1) & (total > 0)
    holding[enough] = (dwells[enough] - 1) / total[enough]  # inverse mean dwell × (n−1)/n
    per_page = np.bincount(page) if len(page) else np.zeros(0, np.int64)
    return MarkovUser(
        moves=moves.astype(np.float64),
        visits=np.bincount(rank, minlength=n),
        holding=holding,
        dwells=dwells,
        pages=log.n_pages if pages is None else int(pages.sum()),
        single=int((per_page == 1).sum()),
        notes=tuple(notes),
        smoothing=smoothing,
        pairs=pairs,
        page_of_move=np.cumsum(np.diff(moved, prepend=moved[:1]) > 0),  # pages ascend
        ends=ends,
        query_of_move=log.page_query[moved].astype(np.int64),
        first=rank[begins],
        last=rank[ends_page],
        several=per_page[per_page > 0] > 1,
        query_of_page=log.page_query[page[begins]].astype(np.int64),
    )


def _from_sequences(sequences: Iterable[Sequence[int]]) -> Clicks:
    rank: list[int] = []
    page: list[int] = []
    count = 0
    if not isinstance(sequences, Iterable):
        raise InputError(
            f"clicks are {sequences!r}; a log (read_clicks) or sequences of visited ranks, one per page, are fitted.",
            "Write [[1, 2, 1], [3, 1]] for two pages.",
        )
    for count, sequence in enumerate(sequences, start=1):
        if not isinstance(sequence, Iterable):
            raise InputError(
                f"sequence {count} is {sequence!r}; it holds the ranks visited on one page.",
                "Write [[1, 2, 1], [3, 1]] for two pages.",
            )
        for r in sequence:
            if isinstance(r, bool) or not isinstance(r, int | np.integer) or r < 1:
                raise InputError(f"sequence {count} holds {r!r}; visited ranks must be whole numbers, at least 1.")
        rank.extend(int(r) for r in sequence)
        page.extend([count - 1] * len(sequence))
    return Clicks(
        queries=("all",),
        page=np.array(page, np.int64),
        rank=np.array(rank, np.int32),
        dwell=np.full(len(rank), np.nan),
        page_query=np.zeros(count, np.int32),
        page_length=np.zeros(count, np.int32),
    )


def _replaced(user: MarkovUser, **changes: object) -> MarkovUser:
    return MarkovUser(**{**{f: getattr(user, f) for f in user.__dataclass_fields__}, **changes})
