"""`dissensus clicks`: from a click log to a user model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import draw, write_text
from dissensus.errors import InputError
from dissensus.io.click_files import clicks_from_files
from dissensus.reporting.charts import users as charts
from dissensus.tables.topic_groups import read_groups
from dissensus.users.api import clicks
from dissensus.users.dynamic import dynamic_frame, query_classes, user_model

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dissensus.users.chain import MarkovUser
    from dissensus.users.dynamic import UserDynamic


@dataclass(frozen=True)
class ModelOutput(opt.Saved):
    """Where the user model goes, or tables of it."""

    output: Annotated[
        Path | None,
        opt.output_file("The user model for MP and nMCG (.json), or tables (.csv .parquet .tex)."),
    ] = None


def command(
    logs: Annotated[list[str], argument(metavar="LOGS", help="Click logs or quoted globs, also .gz.")],
    judgments: Annotated[
        list[str] | None,
        option("--judgments", "-j", metavar="FILE", help="Judgments of the log's queries: they give query classes."),
    ] = None,
    classes: Annotated[
        Literal["grade", "count"],
        option("--classes", help="Navigational and informational queries, or by number of relevant documents."),
    ] = "grade",
    class_file: Annotated[
        Path | None,
        option("--class-file", metavar="FILE", help="The queries' classes: topic,class as CSV, TSV or JSON."),
    ] = None,
    assessor: opt.AssessorOption = None,
    scale: opt.ScaleOption = None,
    reading: opt.FileReading = opt.FileReading(),
    ranks: Annotated[int | None, option("--ranks", metavar="N", help="Leave out clicks below rank N.", min=1)] = None,
    smoothing: Annotated[
        float, option("--smoothing", metavar="X", help="Moves added between every two visited ranks.", min=0)
    ] = 0.0,
    replicates: Annotated[
        int,
        option("--replicates", metavar="N", help="Bootstrap replicates for standard errors; 0 for none.", min=0),
    ] = 100,
    by_page: Annotated[
        bool, option("--by-page", help="Bootstrap pages instead of queries: errors come out too small.")
    ] = False,
    ends: Annotated[
        bool, option("--ends/--moves-only", help="Page starts and ends are part of the walk, or moves alone.")
    ] = True,
    seed: opt.SeedOption = 0,
    plot: Annotated[
        Path | None,
        option("--plot", metavar="FILE", help="Charts: FILE with -stationary, -dynamic, -moves before the ending."),
    ] = None,
    shown: ModelOutput = ModelOutput(),
) -> None:
    """Fit a user model to a click log.

    Logs: a table with session, query, rank, time; Yandex's session log; the samples of clickmodels, PyClick and
    TianGong-ST. The walk is p(i→j) = moves from i to j / departures from i; the dynamic α/i + βi + γ per query class.

    Example:
        dissensus clicks log.tsv -o user.json
        dissensus clicks log.tsv --judgments labels.csv --plot clicks.svg
        dissensus evaluate runs/* -j labels.csv -m "MP(walk='user.json')" -m "nMCG(dynamic='user.json')@10"
        dissensus clicks log.tsv --class-file classes.csv -o user.json
        dissensus evaluate runs/* -j labels.csv -m "nMCG(dynamic='user.json', classes='classes.csv')@10"
    """
    shown.check(plot)
    log = clicks_from_files(logs, reading.options.clicks)
    groups = _classes(judgments, classes, class_file, assessor, scale, reading)
    reading.refuse_unused()
    found = clicks(
        log, groups, ranks=ranks, smoothing=smoothing, replicates=replicates, by_page=by_page, ends=ends, seed=seed,
    )  # fmt: skip
    if plot is not None:
        _plot(found.user, dict(found.dynamics), plot)
    if shown.output is not None and shown.output.suffix.lower() == ".json":
        _ = found.user.stationary  # a walk without one is not a user model: refuse with the reason and the ways out
        _write_model(found.user, shown.output)
        shown = replace(shown, output=None)
    shown.show(found)


def _write_model(user: MarkovUser, path: Path) -> None:
    write_text(path, user_model(user).to_json(), f": MP(walk='{path}'), nMCG(dynamic='{path}')@10")


def _classes(
    judgments: list[str] | None,
    rule: Literal["grade", "count"],
    class_file: Path | None,
    assessor: str | None,
    scale: str | None,
    reading: opt.FileReading,
) -> Mapping[str, str] | None:
    if class_file is not None and judgments:
        raise InputError("--judgments and --class-file both say what class a query has.", "Give one of them.")
    if class_file is not None:
        return read_groups(class_file)
    if not judgments:
        return None

    labels = reading.judgments(judgments, scale=scale)
    return query_classes(labels, assessor, rule)


def _plot(user: MarkovUser, dynamics: dict[str, UserDynamic], plot: Path) -> None:
    drawn = {"moves": charts.transition_chart(user.transition_frame())}
    frame = user.to_frame()
    if frame["stationary"].null_count() < frame.height:
        drawn["stationary"] = charts.stationary_chart(frame)
    if dynamics:
        drawn["dynamic"] = charts.dynamic_chart(dynamic_frame(user, dynamics))
    for name, chart in drawn.items():
        draw(chart, plot.with_name(f"{plot.stem}-{name}{plot.suffix}"))
