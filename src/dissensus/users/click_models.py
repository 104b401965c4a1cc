"""How well does a user model predict clicks it has not seen? Perplexity beside the usual click models.

A quarter of every query's pages is held out (drawn by the seed); all models are fitted on the rest. With q_r the
probability that rank r of a held-out page is clicked, by the model and before anything of the page is seen,

    perplexity = 2^(−mean over pages and ranks of log₂ q_r if clicked, log₂(1 − q_r) if not)

1 is perfect, 2 a coin. Models: one *constant*; c/rank; the *chain* (the walk's stationary distribution times the mean
number of clicked ranks); *position* click-through; and with an attraction a for every query and rank, the log having no
document ids: *PBM* (γ_r a), *cascade* (down to the first click), *DCM* (goes on after a click with λ_r), *UBM* (γ by
rank and last clicked rank). Attractions have a Beta(1, 1) prior. Craswell et al. 2008; Guo, Liu & Wang 2009; Dupret &
Piwowarski 2008; Chuklin, Markov & de Rijke 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.results import Result, Table
from dissensus.tables.clicks import Clicks
from dissensus.users.chain import MarkovUser
from dissensus.work.seeds import generator

HELD_OUT = 0.25
ROUNDS = 40
EDGE = 1e-4  # no model is surer than this of a click
DEEPEST = 20


@dataclass(frozen=True, eq=False)
class ClickPrediction(Result):
    """`table`: model, perplexity, parameters; the best first. `pages` were held out of `all_pages`."""

    table: pl.DataFrame
    pages: int
    all_pages: int
    ranks: int
    notes: tuple[str, ...] = ()

    def perplexity(self, model: str) -> float:
        """Of one model by name; NaN where it could not be fitted."""
        row = self.table.filter(self.table["model"] == model)
        return float(row["perplexity"][0]) if row.height and row["perplexity"][0] is not None else float("nan")

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"perplexity": Table.of(self.table)}

    def sentences(self) -> list[str]:
        """Where the walk stands among the others."""
        chain, constant = self.perplexity("chain"), self.perplexity("constant")
        text = f"held-out perplexity on {self.pages:,} of {self.all_pages:,} pages: chain {chain:.3f}"
        lines = [f"{text}, constant {constant:.3f}, best {self.table['model'][0]} {self.table['perplexity'][0]:.3f}"]
        if chain > constant:
            lines.append(
                "the chain predicts clicks worse than a constant: do not use it as a model of this log's users"
            )
        return lines

    def __str__(self) -> str:
        return "\n".join((str(self.table), *self.sentences(), *self.notes))


@dataclass(frozen=True, eq=False)
class Pages:
    """`clicked[p, r]` on pages × ranks, `shown` where the page has that rank, `query` of each page."""

    clicked: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    query: NDArray[np.int64]

    def some(self, which: NDArray[np.bool_]) -> Pages:
        return Pages(self.clicked[which], self.shown[which], self.query[which])


def pages_of(log: Clicks, ranks: int | None = None) -> Pages:
    """Which ranks of each page were clicked; pages of unknown length are as long as the deepest click of the log."""
    deepest = int(max(log.rank.max(initial=0), log.page_length.max(initial=0)))
    n = min(ranks or deepest, deepest, DEEPEST)
    if n < 1:
        raise InputError("there are no clicks to predict.", "Check the log's format.")
    clicked = np.zeros((log.n_pages, n), bool)
    keep = log.rank <= n
    clicked[log.page[keep], log.rank[keep] - 1] = True
    length = np.where(log.page_length > 0, log.page_length, deepest)
    return Pages(clicked, np.arange(n)[None, :] < length[:, None], log.page_query.astype(np.int64))


def predict_clicks(log: Clicks, *, ranks: int | None = None, ends: bool = True, seed: int = 0) -> ClickPrediction:
    """Held-out perplexity of the walk and of the usual click models, all fitted on the same pages."""
    pages = pages_of(log, ranks)
    held = _held_out(pages.query, seed)
    if not held.any() or held.all():
        raise InputError(f"{len(held):,} pages are too few to hold some out.", "Use a log with more pages per query.")
    train, test = pages.some(~held), pages.some(held)
    n_queries = len(log.queries)
    fits: dict[str, tuple[Floats, int]] = {
        "constant": (np.full(test.clicked.shape[1], train.clicked[train.shown].mean()), 1),
        "1/rank": (_scaled(1 / np.arange(1, test.clicked.shape[1] + 1), train), 1),
        "position": (_rates(train), test.clicked.shape[1]),
    }
    chain = _chain(log, ~held, test.clicked.shape[1], ends)
    if chain is not None:
        fits["chain"] = (_scaled(chain, train), int((chain > 0).sum()))
    n = test.clicked.shape[1]
    for name, by_query in (("PBM", pbm(train, n_queries)), ("cascade", cascade(train, n_queries)),
                           ("DCM", dcm(train, n_queries)), ("UBM", ubm(train, n_queries))):  # fmt: skip
        extra = {"PBM": n, "cascade": 0, "DCM": n, "UBM": n * (n + 1) // 2}[name]
        fits[name] = (by_query[test.query], len(np.unique(train.query)) * n + extra)
    rows = [(name, perplexity(q, test), k) for name, (q, k) in fits.items()]
    if chain is None:
        rows.append(("chain", None, 0))  # type: ignore[arg-type]
    table = pl.DataFrame(
        rows, schema={"model": pl.String, "perplexity": pl.Float64, "parameters": pl.Int64}, orient="row"
    ).sort("perplexity", nulls_last=True)
    return ClickPrediction(table, int(held.sum()), len(held), test.clicked.shape[1], log.notes)


def perplexity(q: Floats, pages: Pages) -> float:
    """2 to the mean of minus log₂ of the probability of what happened.

    >>> one = Pages(np.array([[True, False]]), np.ones((1, 2), bool), np.zeros(1, np.int64))
    >>> perplexity(np.array([0.5, 0.5]), one)
    2.0
    """
    safe = np.clip(np.broadcast_to(q, pages.clicked.shape), EDGE, 1 - EDGE)
    log = np.where(pages.clicked, np.log2(safe), np.log2(1 - safe))
    return float(2 ** -log[pages.shown].mean())


def _held_out(query: NDArray[np.int64], seed: int) -> NDArray[np.bool_]:
    """A quarter of the pages of every query with four or more."""
    draw = generator(seed).random(len(query))
    order = np.lexsort((draw, query))
    size = np.bincount(query)
    start = np.cumsum(size) - size
    place = np.empty(len(query), np.int64)
    place[order] = np.arange(len(query)) - start[query[order]]
    return np.asarray(place < (HELD_OUT * size).astype(np.int64)[query], bool)


def _rates(pages: Pages) -> Floats:
    """Share of pages clicked at each rank, a click and a miss added."""
    return np.asarray((pages.clicked.sum(axis=0) + 1) / (pages.shown.sum(axis=0) + 2), np.float64)


def _scaled(shape: Floats, pages: Pages) -> Floats:
    """A distribution over ranks times the number that fits the mean number of clicked ranks."""
    total = float((pages.shown.mean(axis=0) * shape).sum())
    return np.asarray(shape * float(pages.clicked.sum() / len(pages.clicked)) / max(total, 1e-12), np.float64)


def _chain(log: Clicks, keep: NDArray[np.bool_], n: int, ends: bool) -> Floats | None:
    """Stationary distribution of the walk on the pages to learn from; None where it has none."""
    chosen = keep[log.page]
    if not chosen.any():
        return None
    part = Clicks(log.queries, log.page[chosen], log.rank[chosen], log.dwell[chosen], log.page_query, log.page_length)
    user = MarkovUser.fit(part, ranks=n, ends=ends)
    if user.reducible is not None:
        return None
    out = np.zeros(n)
    out[: len(user.stationary)] = user.stationary[:n]
    return out


# ── click models: attraction of every query and rank ──
def _cells(pages: Pages, values: Floats, n_queries: int) -> Floats:
    """Sum of values (pages × ranks) by query."""
    columns = [np.bincount(pages.query, values[:, r], n_queries) for r in range(values.shape[1])]
    return np.stack(columns, axis=1).astype(np.float64)


def pbm(pages: Pages, n_queries: int) -> Floats:
    """Position-based model by EM: P(click) = γ_r a_qr. Returns P(click) by query and rank."""
    clicked, shown = pages.clicked.astype(np.float64), pages.shown.astype(np.float64)
    hits, seen = _cells(pages, clicked, n_queries), _cells(pages, shown, n_queries)
    gamma, a = np.linspace(1, 0.5, clicked.shape[1]), np.full((n_queries, clicked.shape[1]), 0.5)
    for _ in range(ROUNDS):
        both = np.clip(gamma * a, 1e-9, 1 - 1e-9)
        missed = seen - hits
        examined = hits + missed * gamma * (1 - a) / (1 - both)
        attracted = hits + missed * a * (1 - gamma) / (1 - both)
        gamma = (examined.sum(axis=0) + 1) / (seen.sum(axis=0) + 2)
        a = (attracted + 1) / (seen + 2)
    return np.asarray(gamma * a, np.float64)


def cascade(pages: Pages, n_queries: int) -> Floats:
    """Cascade model: everything down to the first click is examined, nothing below."""
    before: NDArray[np.int64] = np.cumsum(pages.clicked, axis=1) - pages.clicked
    examined = pages.shown & (before == 0)
    a = (_cells(pages, (pages.clicked & examined).astype(float), n_queries) + 1) / (
        _cells(pages, examined.astype(float), n_queries) + 2
    )
    examination = np.cumprod(np.column_stack([np.ones(len(a)), 1 - a[:, :-1]]), axis=1)
    return np.asarray(a * examination, np.float64)


def dcm(pages: Pages, n_queries: int) -> Floats:
    """Dependent click model: after a click at rank r the user goes on with λ_r; all down to the last click examined."""
    n = pages.clicked.shape[1]
    any_click = pages.clicked.any(axis=1)
    last = np.where(any_click, n - 1 - pages.clicked[:, ::-1].argmax(axis=1), n)
    examined = pages.shown & (np.arange(n)[None, :] <= last[:, None])
    a = (_cells(pages, (pages.clicked & examined).astype(float), n_queries) + 1) / (
        _cells(pages, examined.astype(float), n_queries) + 2
    )
    clicks = pages.clicked.sum(axis=0)
    ended = np.bincount(last[any_click], minlength=n)[:n]
    go_on = (clicks - ended + 1) / (clicks + 2)
    examination = np.ones(len(a))
    out = np.empty_like(a)
    for r in range(n):
        out[:, r] = examination * a[:, r]
        examination = examination * (a[:, r] * go_on[r] + 1 - a[:, r])
    return out


def ubm(pages: Pages, n_queries: int) -> Floats:
    """User browsing model by EM: P(click at r | last click at l) = γ_rl a_qr; then the mean over what came before."""
    n = pages.clicked.shape[1]
    rank = np.arange(n)
    # the last clicked rank above each rank, n where there is none
    last = np.full(pages.clicked.shape, n)
    for r in range(1, n):
        last[:, r] = np.where(pages.clicked[:, r - 1], r - 1, last[:, r - 1])
    code = (pages.query[:, None] * n + rank[None, :]) * (n + 1) + last
    size = n_queries * n * (n + 1)
    shape = (n_queries, n, n + 1)
    seen = np.bincount(code[pages.shown], minlength=size).reshape(shape).astype(np.float64)
    hits = np.bincount(code[pages.shown & pages.clicked], minlength=size).reshape(shape).astype(np.float64)
    gamma, a = np.full((n, n + 1), 0.5), np.full((n_queries, n), 0.5)
    missed = seen - hits
    for _ in range(ROUNDS):
        both = np.clip(gamma[None] * a[:, :, None], 1e-9, 1 - 1e-9)
        examined = hits + missed * gamma[None] * (1 - a[:, :, None]) / (1 - both)
        attracted = hits + missed * a[:, :, None] * (1 - gamma[None]) / (1 - both)
        gamma = (examined.sum(axis=0) + 1) / (seen.sum(axis=0) + 2)
        a = (attracted.sum(axis=2) + 1) / (seen.sum(axis=2) + 2)
    state = np.zeros((n_queries, n + 1))
    state[:, n] = 1.0
    out = np.empty((n_queries, n))
    for r in range(n):
        click = gamma[r][None, :] * a[:, r : r + 1]
        out[:, r] = (state * click).sum(axis=1)
        state = state * (1 - click)
        state[:, r] += out[:, r]
    return out
