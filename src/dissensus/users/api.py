"""`clicks`: from a click log to a user model, with standard errors and a test on clicks held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.io.click_files import clicks_from_files
from dissensus.io.options import ReadOptions, RoleOptions, TableKeywords, spelled_out
from dissensus.io.table import TextTable
from dissensus.results import Result, Table
from dissensus.tables.click_columns import click_fields
from dissensus.tables.clicks import Clicks
from dissensus.tables.coercion import is_paths
from dissensus.tables.columns import as_polars
from dissensus.tables.topic_groups import read_groups
from dissensus.users.bootstrap import UserErrors, bootstrap_user
from dissensus.users.chain import MarkovUser
from dissensus.users.click_models import ClickPrediction, predict_clicks
from dissensus.users.dynamic import UserDynamic, fit_dynamics
from dissensus.wording import counted

MEANINGS = {"from": "rank that the move leaves", "class": "class of queries", "alpha": "parameter of the curve"}


@dataclass(frozen=True, eq=False)
class UserFit(Result):
    """A walk over the ranks, its curves by query class, their standard errors, and how well it predicts clicks."""

    user: MarkovUser = field(repr=False)
    dynamics: Mapping[str, UserDynamic] = field(repr=False)
    errors: Mapping[str, UserErrors] = field(repr=False)
    prediction: ClickPrediction | None = field(repr=False)
    remarks: tuple[str, ...] = ()
    title = "How users move on the page"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        user, errors = self.user, dict(self.errors)
        found = {"ranks": Table.of(_ranks(user, errors)),
                 "moves": Table.of(_matrix(user), MEANINGS, rest="share of the moves that go {name}")}  # fmt: skip
        if self.dynamics:
            found["dynamics"] = Table.of(_curves(dict(self.dynamics), errors), MEANINGS)
        if self.prediction is not None:
            found["prediction"] = Table.of(self.prediction.table)
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """The walk in words, what is missing, what errors rest on, how well clicks are predicted."""
        said = () if self.prediction is None else self.prediction.sentences()
        return (*str(self.user).splitlines(), *self.remarks, *_about(dict(self.errors)), *said)

    @property
    def facts(self) -> Values:
        """The single values of the result."""
        user = self.user
        shares = {"backward": user.backward, "forward": user.forward, "again": user.again}
        if self.errors:
            shares["backward_se"] = self.errors["all"].backward
        return {**shares, "reducible": user.reducible}


@spelled_out
def clicks(
    logs: object,
    classes: Mapping[str, str] | str | Path | None = None,
    *,
    ranks: int | None = None,
    smoothing: float = 0.0,
    replicates: int = 100,
    by_page: bool = False,
    ends: bool = True,
    seed: int = 0,
    **reading: Unpack[TableKeywords],
) -> UserFit:
    r"""Fit a user model to a click log.

    The walk is p(i→j), the moves from i to j as a share of the departures from i. The dynamic is the curve α/i + βi + γ
    of each query class.

    Parameters
    ----------
    logs
        Clicks, click logs (tables with session, query, rank, time, and the formats of `read_clicks`), or a frame.
    classes
        {query: class}, or a file topic,class. Without it there is one class.
    ranks
        Leave out clicks below this rank.
    smoothing
        Moves added between every two visited ranks.
    replicates
        Bootstrap replicates for standard errors. 0 gives none.
    by_page
        Bootstrap pages instead of queries. Errors come out too small.
    ends
        Page starts and ends are part of the walk, or moves alone.

    Returns
    -------
    UserFit
        `.user` is a MarkovUser. Its tables, where the columns of ranks are →1, →2 …:

        - `ranks`: class, rank, visits, departures, stationary, stationary_se, holding, dwells
        - `moves`: class, from, a column for each rank
        - `dynamics`: class, alpha, alpha_se, beta, beta_se, gamma, gamma_se, ranks, rmse
        - `prediction`: model, perplexity, parameters

    Examples
    --------
    >>> import dissensus as ds, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "clicks.csv"
    >>> rows = [f"s{s},q{s % 5},{rank},{step}" for s in range(30) for step, rank in enumerate((1, 2, 1 + s % 3))]
    >>> _ = path.write_text("\n".join(["session,query,rank,time", *rows]))
    >>> ds.clicks(path, replicates=0).tables["ranks"].frame["rank"].to_list()
    [1, 2, 3]
    """
    options = ReadOptions.of(**reading)
    log = _log(logs, options.clicks)
    options.refuse_unused()
    groups = read_groups(classes) if isinstance(classes, str | Path) else classes
    user = MarkovUser.fit(log, groups, ranks=ranks, smoothing=smoothing, ends=ends)
    dynamics, missing = fit_dynamics(user)
    errors = bootstrap_user(user, replicates, seed, "page" if by_page else "query") if replicates > 1 else {}
    prediction = _prediction(log, ranks, ends, seed)
    if isinstance(prediction, str):
        return UserFit(user, dynamics, errors, None, (*missing, prediction))
    return UserFit(user, dynamics, errors, prediction, missing)


def _log(given: Any, options: RoleOptions) -> Clicks:
    if isinstance(given, Clicks):
        return given
    if is_paths(given):
        return clicks_from_files([given], options)
    table = TextTable.of_frame(as_polars(given), options)
    return Clicks(**click_fields(table.frame, "the frame", table.place, table.named))


def _prediction(log: Clicks, ranks: int | None, ends: bool, seed: int) -> ClickPrediction | str:
    """Held-out perplexity of the walk beside click models, or why there is none."""
    try:
        return predict_clicks(log, ranks=ranks, ends=ends, seed=seed)
    except InputError as error:
        return f"no held-out perplexity: {error.what}"


def _matrix(user: MarkovUser) -> pl.DataFrame:
    """Transition probabilities, one row per class and rank, one column per rank."""
    frames = []
    for name, part in {"all": user, **user.classes}.items():
        matrix = part.transition
        columns = {f"→{j + 1}": matrix[:, j] for j in range(matrix.shape[1])}
        frames.append(pl.DataFrame({"class": [name] * len(matrix), "from": range(1, len(matrix) + 1), **columns}))
    return pl.concat(frames)


def _ranks(user: MarkovUser, errors: dict[str, UserErrors]) -> pl.DataFrame:
    """One row per class and rank, with the stationary probability's standard error beside it."""
    frame = user.to_frame()
    if not errors:
        return frame
    se = pl.Series("stationary_se", np.concatenate([e.stationary for e in errors.values()])).fill_nan(None)
    return frame.insert_column(frame.columns.index("stationary") + 1, se)


def _curves(dynamics: dict[str, UserDynamic], errors: dict[str, UserErrors]) -> pl.DataFrame:
    frames = []
    for name, dynamic in dynamics.items():
        frame = dynamic.to_frame().insert_column(0, pl.Series("class", [name]))
        for parameter in ("alpha", "beta", "gamma") if errors else ():
            se = pl.Series(f"{parameter}_se", [getattr(errors[name], parameter)]).fill_nan(None)
            frame.insert_column(frame.columns.index(parameter) + 1, se)
        frames.append(frame)
    return pl.concat(frames)


def _about(errors: dict[str, UserErrors]) -> list[str]:
    if not errors:
        return []
    whole = errors["all"]
    lost = sum(e.reducible for e in errors.values())
    units = f"{whole.n_units:,} {'queries' if whole.unit == 'query' else 'pages'}"
    words = [f"standard errors: {whole.replicates} bootstrap samples of {units}, taken as independent"]
    if whole.backward == whole.backward:  # not NaN
        words.append(f"backward moves {whole.backward:.2%}")
    if lost:
        words.append(f"{counted(lost, 'sample')} without a stationary distribution left out")
    return ["; ".join(words)]
