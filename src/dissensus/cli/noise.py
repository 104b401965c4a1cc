"""`dissensus noise`: how much label noise reaches document pairs, and what would make labels safer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.terminal.files import draw
from dissensus.cli.terminal.messages import given, say
from dissensus.errors import InputError
from dissensus.io.writers import write_judgments
from dissensus.judging.confusion.api import Confusion
from dissensus.label_noise.api import NoiseForecasts
from dissensus.label_noise.forecast import forecast_noise
from dissensus.label_noise.injection import as_profiles, inject_noise
from dissensus.label_noise.pairs import pair_noise
from dissensus.reporting.charts.noise import forecast_chart

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments


def command(
    judgments: opt.JudgmentsArgument,
    profile: Annotated[
        list[str] | None,
        option(
            "--profile",
            metavar="NAME|FILE",
            help="uniform (default), distance, or a confusion matrix (C.json); repeatable.",
        ),
    ] = None,
    levels: Annotated[
        str | None,
        option(
            "--levels",
            metavar="FROM:TO:STEP",
            help="dNoise (0:0.5:0.05 if not given), or shares of a matrix's noise (0:1:0.1); or a list: 0.1,0.3",
        ),
    ] = None,
    replicates: Annotated[
        int, option("--replicates", metavar="N", help="Draws behind each sampled value.", min=1)
    ] = 20,
    against: Annotated[
        str | None,
        option("--against", metavar="FILE", help="Measure the pNoise of these labels against JUDGMENTS instead."),
    ] = None,
    inject: Annotated[
        Path | None,
        option("--inject", metavar="FILE", help="Write JUDGMENTS with noise of one level put in, or of a matrix."),
    ] = None,
    plot: Annotated[
        Path | None, option("--plot", metavar="FILE", help="Draw pNoise against dNoise: .svg .png .pdf .html")
    ] = None,
    assessor: opt.AssessorOption = None,
    reading: opt.Reading = opt.Reading(),
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
    work: LongWork = LongWork(),
) -> None:
    """Put noise into labels, and measure how much of it reaches document pairs.

    For rising noise in single labels (dNoise), the share of document pairs that end up in the wrong order (pNoise): for
    the labels as they are, for every merging of neighbouring grades, and for labellings one could ask for instead.

    Examples:
        dissensus noise labels.csv --profile uniform --profile distance --levels 0:0.5:0.05 --plot noise.svg
        dissensus noise gold.csv --against crowd.csv
        dissensus noise gold.csv --levels 0.2 --inject noisy.csv
        dissensus noise gold.csv --profile C.json
    """
    shown.check(plot)
    _refuse_idle_options(against, {"--profile": profile, "--levels": levels, "--inject": inject, "--plot": plot})
    steps = None if levels is None else read_levels(levels)
    labels = reading.judgments(judgments)
    other = None if against is None else reading.judgments([against])
    reading.refuse_unused()
    if assessor is not None:
        labels = labels.select(assessors=[assessor])
    if other is not None and against is not None:
        if assessor is not None:
            raise InputError("--against compares the same assessors in two files.", "Leave out --assessor.")
        shown.show(pair_noise(labels, other))
        return
    profiles = {name: _profile(name) for name in profile or ["uniform"]}
    if inject is not None:
        if plot is not None:
            raise InputError("--inject and --plot: one writes labels, the other draws a forecast.", "Give one of them.")
        _inject(labels, *_one_noise(profiles, steps), inject, seed)
        return

    found = {
        name: forecast_noise(labels, p, steps or _default_levels(p), replicates=replicates, seed=seed)
        for name, p in profiles.items()
    }
    if plot is not None:
        for name, forecast in found.items():
            more = f"-{Path(name).stem}" if len(found) > 1 else ""
            draw(forecast_chart(forecast.table), plot.with_name(f"{plot.stem}{more}{plot.suffix}"))
    shown.show(NoiseForecasts(found, labels.notes))


def read_levels(text: str) -> list[float]:
    """Levels from FROM:TO:STEP, both ends included, or from a list with commas.

    >>> read_levels("0:0.2:0.1"), read_levels("0.05,0.3")
    ([0.0, 0.1, 0.2], [0.05, 0.3])
    """
    try:
        if ":" in text:
            first, last, step = (float(part) for part in text.split(":"))
            if step <= 0 or last < first:
                raise ValueError
            found = [round(first + i * step, 10) for i in range(round((last - first) / step) + 1)]
        else:
            found = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--levels {text}: levels are FROM:TO:STEP or a list.", "Write 0:0.5:0.05, or 0.1,0.2."
        ) from None
    if not found or min(found) < 0 or max(found) > 1:
        raise InputError(f"--levels {text}: levels lie between 0 and 1.")
    return found


def _default_levels(profile: str | Confusion) -> list[float]:
    """dNoise up to one half; of a measured matrix, up to the matrix itself."""
    return read_levels("0:0.5:0.05" if isinstance(profile, str) else "0:1:0.1")


def _refuse_idle_options(against: str | None, others: dict[str, object]) -> None:
    """Labels that are there already need no noise of ours: an option that would do nothing is an error."""
    if against is not None and (idle := given(others)):
        raise InputError(
            f"--against measures the noise between two files; {idle} would do nothing.",
            f"Leave out --against, or {idle}.",
        )


def _one_noise(profiles: dict[str, str | Confusion], steps: list[float] | None) -> tuple[str | Confusion, float]:
    """The one profile and level that labels can be given; a matrix is taken as it is unless a level is named."""
    if len(profiles) > 1:
        raise InputError(f"--inject writes one file, with one profile; there are {', '.join(profiles)}.", "Name one.")
    profile = next(iter(profiles.values()))
    if steps is None and not isinstance(profile, str):
        return profile, 1.0
    if steps is None or len(steps) != 1:
        raise InputError("--inject writes one file, with one level of noise.", "Name it: --levels 0.2")
    return profile, steps[0]


def _profile(name: str) -> str | Confusion:
    if name in ("uniform", "distance"):
        return name
    if not Path(name).exists():
        raise InputError(
            f"--profile {name} is neither uniform, distance, nor a file.",
            "dissensus agree labels.csv --confusion GOLD OTHER -o C.json writes a matrix.",
        )
    return Confusion.read(name)


def _inject(labels: Judgments, profile: str | Confusion, level: float, path: Path, seed: int) -> None:
    matrix = next(iter(as_profiles(profile).values()))(len(labels.scale), level)
    noisy = inject_noise(labels, matrix, seed)
    write_judgments(noisy, path)
    say("note", f"wrote {path}")
    say("note", noisy.notes[-1])
