"""What measures there are: `ds.list_measures()`, `dissensus measures`.

>>> import polars as pl
>>> list_measures().filter(pl.col("name") == "RBP").select("formula", "aggregate").row(0)
('(1 − p) Σ_r p^(r−1)·v(g_r)', 'mean')
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, replace

import polars as pl

from dissensus.measures.catalog import measure_class, names, ours
from dissensus.measures.measure import Measure
from dissensus.results import Result, Table

EVERYTHING = "ceiling (exact), correction and residual (exact), plan"
GIVEN_POOL = "ceiling (exact), correction (imputed), plan (linearised)"
GENERAL = "ceiling (simulated), correction (imputed), plan (linearised)"


def list_measures() -> pl.DataFrame:
    """All measures: formula, parameters, user, and what each inherits.

    Returns
    -------
    polars.DataFrame
        A row per measure with name, formula, parameters, user, kind, aggregate, needs, inherits and reference.
        `inherits` is what follows from the kind without further code.

    Examples
    --------
    >>> import dissensus as ds
    >>> "nDCG" in ds.list_measures()["name"].to_list()
    True
    """
    rows = [describe(measure_class(name)) for name in names()]
    return pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))


MEANINGS = {
    "name": "name of the measure",
    "formula": "what is computed from the labels by rank",
    "parameters": "each parameter with its default and its rule",
    "user": "the user whom the measure models",
    "kind": "linear, ratio, or not linear in the labels",
    "aggregate": "how scores of topics are put together",
    "needs": "what it cannot be computed without",
    "inherits": "what follows from its kind without further code",
    "reference": "who proposed it",
    "fact": "what is described",
    "value": "the description",
}
FIRST = ("name", "kind", "aggregate", "needs", "formula")  # columns for a screen


@dataclass(frozen=True)
class MeasureList(Result):
    """Measures and what is known of them; of one measure, a line per fact."""

    frame: pl.DataFrame
    title: str
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"measures": Table.of(self.frame, MEANINGS)}

    def screen(self, whole: bool = False) -> MeasureList:
        """The same for people: the columns that fit a screen."""
        return replace(self, frame=self.frame.select(FIRST)) if set(FIRST) <= set(self.frame.columns) else self


def measures_of(kind: str | None = None) -> MeasureList:
    """All measures, or those of a kind."""
    table = list_measures()
    if kind is not None:
        table = table.filter(table["kind"] == kind.replace("-", " "))
    more = "dissensus measures NAME shows its parameters, its user, its reference and what it inherits."
    return MeasureList(table, f"{table.height} measures", (more,))


def one_measure(name: str, *, upright: bool = False) -> MeasureList:
    """One measure by any of its names, with or without parameters and cut-off; `upright` has a line per fact."""
    cls = measure_class(ours(name).split("(")[0].split("@")[0].strip(), name)
    if not upright:
        found = list_measures()
        return MeasureList(found.filter(found["name"] == cls.name), cls.name)
    facts = {fact: text for fact, text in describe(cls).items() if text and fact not in ("name", "parameters")}
    facts["user"] = f"the user {facts['user']}"
    rows = [*facts.items(), *(("parameter", text) for text in parameters(cls))]
    return MeasureList(pl.DataFrame(rows, schema=["fact", "value"], orient="row"), cls.name)


def describe(cls: type[Measure]) -> dict[str, str]:
    """The facts of a measure in words."""
    return {
        "name": cls.name,
        "formula": cls.formula,
        "parameters": "; ".join(parameters(cls)),
        "user": cls.user,
        "kind": cls.shape,
        "aggregate": cls.aggregate,
        "needs": ", ".join(needs(cls)),
        "inherits": inherits(cls),
        "reference": cls.reference,
    }


def parameters(cls: type[Measure]) -> list[str]:
    """Each parameter with its default, its text and its rule."""
    defaults = {f.name: f.default for f in fields(cls) if f.default is not MISSING}
    return [f"{name}={defaults.get(name)!r}: {p.text} ({p.rule()})" for name, p in cls.declared().items()]


def needs(cls: type[Measure]) -> list[str]:
    """What a measure cannot be computed without."""
    wanted = ["a cut-off"] if cls.needs_cutoff else []
    if cls.written_after != "cutoff":
        wanted.append(f"a {cls.written_after} after the @")
    return [*wanted, *(name for name, p in cls.declared().items() if p.required), *cls.further_input]


def inherits(cls: type[Measure]) -> str:
    """What the algebra of its kind gives a measure without a line of its own."""
    if cls.further_input:
        return "bounds (exact)" if getattr(cls, "mean_of_intents", False) else "scores only"
    if cls.shape == "linear":
        return EVERYTHING
    exact = cls.shape == "ratio" or cls.linear_form is not Measure.linear_form
    return GIVEN_POOL if exact else GENERAL
