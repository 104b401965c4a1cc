"""The figure of each method page, drawn from our own results on `examples/` or from `docs/evidence`.

python tools/method_figures.py          all, into docs/understand/figures, and the picture of the home page
python tools/method_figures.py aware    one

The charts have no colour that the dark mode could not turn, and every series differs by shape or dash, too.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

import dissensus as ds

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "understand" / "figures"
RUNS, LABELS, TRUTH, AUDIT = (f"examples/{n}" for n in ("runs/*", "labels.csv", "truth.csv", "audit.csv"))
MEASURE = "P(rel=2)@10"
BLUE, ORANGE = "#1d4ed8", "#c2410c"
COLOURS = [BLUE, ORANGE, "#047857", "#7c3aed", "#64748b", "#be185d"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 1]]
Rows = list[dict[str, Any]]


# ── kinds of charts ──
def bars(rows: Rows, number: str, name: str, *, low: str = "", high: str = "", zero: bool = True) -> Any:
    """A point (or bar) per name, with an interval where there is one."""
    order = [r[name] for r in rows]
    y = alt.Y(f"{name}:N", sort=order, title=None)
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    x = alt.X(f"{number}:Q", title=number, scale=alt.Scale(zero=zero))
    if low:
        rule = base.mark_rule(strokeWidth=2, color=BLUE).encode(x=alt.X(f"{low}:Q", title=number), x2=f"{high}:Q")
        chart = rule + base.mark_point(filled=True, size=80, opacity=1, color=BLUE).encode(x=x)
    else:
        chart = base.mark_bar(color=BLUE, height=14).encode(x=x)
    return chart.properties(width=440, height=24 * len(rows) + 10)


def lines(rows: Rows, x: str, y: str, series: str, *, log: bool = False, step: bool = False) -> Any:
    """Curves that differ by colour and dash."""
    names = list(dict.fromkeys(r[series] for r in rows))
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(strokeWidth=2, interpolate="step-after" if step else "linear")
        .encode(
            x=alt.X(f"{x}:Q", title=x, scale=alt.Scale(type="log" if log else "linear", nice=True)),
            y=alt.Y(f"{y}:Q", title=y),
            color=alt.Color(f"{series}:N", title=None, scale=alt.Scale(domain=names, range=COLOURS[: len(names)])),
            strokeDash=alt.StrokeDash(f"{series}:N", title=None,
                                      scale=alt.Scale(domain=names, range=DASHES[: len(names)])),
        )
        .properties(width=440, height=240)
    )  # fmt: skip


@functools.cache
def corrected() -> Any:
    return ds.correct(RUNS, LABELS, AUDIT, MEASURE, assessor="llm")


def evidence(part: str, table: str) -> Rows:
    found: Rows = json.loads((ROOT / "docs" / "evidence" / f"{part}.json").read_text(encoding="utf-8"))["tables"][table]
    return found


# ── one figure for each page ──
def agreement() -> Any:
    return ds.agree(LABELS).plot()


def aware() -> Any:
    weights = ds.aware(RUNS, LABELS, "nDCG@10")["weight"].mean("topic")
    names = [str(a) for a in weights["assessor"].values if str(a) != "aware"]
    rows = [{"assessor": a, "weight": float(weights.sel(assessor=a))} for a in names]
    return bars(sorted(rows, key=lambda r: -float(r["weight"])), "weight", "assessor")


def ceiling() -> Any:
    rows: Rows = []
    table = ds.ceiling(LABELS, measures="nDCG@10").to_frame()
    for (name,), part in table.partition_by("assessor", as_dict=True, maintain_order=True).items():
        values = part["ceiling"].to_numpy()
        half = 2.064 * values.std(ddof=1) / np.sqrt(len(values))  # t with 24 degrees of freedom: 25 topics
        mean = float(values.mean())
        rows.append({"judge": name, "nDCG@10": mean, "low": mean - half, "high": mean + half})
    rows.sort(key=lambda r: -float(r["nDCG@10"]))
    return bars(rows, "nDCG@10", "judge", low="low", high="high", zero=False)


def clicks() -> Any:
    return ds.MarkovUser.fit([[1, 2], [1, 3, 2], [2, 1], [1, 2, 3]]).plot()


def comparison() -> Any:
    three = ds.read_runs(RUNS).select(systems=["crossenc", "splade", "bm25"])
    return ds.compare(ds.evaluate(three, TRUTH, "nDCG@10"), "nDCG@10").plot()


def correction() -> Any:
    return corrected().plot()


def correlation() -> Any:
    """Two neighbours swapped at one place of twenty systems."""
    size, rows = 20, []
    reference = [float(size - i) for i in range(size)]
    for place in range(1, size):
        other = list(reference)
        other[place - 1], other[place] = other[place], other[place - 1]
        ids = [f"s{i:02}" for i in range(size)]
        swapped = sorted(ids, key=lambda s: -other[int(s[1:])])
        found = {"Kendall's τ": ds.kendall_tau(reference, other), "τ_AP": ds.tau_ap(reference, other),
                 "RBO(0.9)": ds.rbo(ids, swapped)}  # fmt: skip
        rows += [{"rank of the swap": place, "likeness": float(v), "measure": k} for k, v in found.items()]
    return lines(rows, "rank of the swap", "likeness", "measure").encode(
        y=alt.Y("likeness:Q", title="likeness", scale=alt.Scale(zero=False))
    )


def disagreement() -> Any:
    rows = [
        {"grade": str(r["grade"]), "weight": r["weight"], "low": r["weight.low"], "high": r["weight.high"]}
        for r in ds.weights(LABELS).to_frame().iter_rows(named=True)
    ]
    return bars(rows, "weight", "grade", low="low", high="high")


def judges() -> Any:
    """The judge's grade minus the experts', by system: the documents in the system's first ten that were audited."""
    runs, audit = ds.read_runs(RUNS), ds.read_audit(AUDIT)
    gold = {(t, d): float(str(g)) for t, d, _, g in audit.judgments.to_frame().iter_rows()}
    llm = {(t, d): float(str(g)) for t, d, a, g in ds.read_judgments(LABELS).to_frame().iter_rows() if a == "llm"}
    rows: Rows = []
    top = runs.to_frame().sort("score", descending=True).group_by("system", "topic", maintain_order=True).head(10)
    for (system,), part in top.partition_by("system", as_dict=True).items():
        errors = [llm[key] - gold[key] for key in part.select("topic", "doc").iter_rows() if key in gold and key in llm]
        half = 1.96 * np.std(errors, ddof=1) / np.sqrt(len(errors))
        mean = float(np.mean(errors))
        rows.append({"system": system, "judge minus experts, grades": mean, "low": mean - half, "high": mean + half})
    rows.sort(key=lambda r: -float(r["judge minus experts, grades"]))
    return bars(rows, "judge minus experts, grades", "system", low="low", high="high")


def labelling() -> Any:
    rows = [
        {"blur of the asker": r["blur"], "share of pairs wrong": r["pnoise"], "method": r["method"]}
        for r in evidence("labelling", "table")
    ]
    return lines(rows, "blur of the asker", "share of pairs wrong", "method")


def learning() -> Any:
    """How much a ranker loses when its training labels are wrong."""
    rows = [
        {"share of training labels changed": r["dnoise"], "loss, 1 − measure": r["loss"], "data": r["set"]}
        for r in evidence("noise-prank", "Fig. 3")
        if r["profile"] == "uniform"
    ]
    return lines(rows, "share of training labels changed", "loss, 1 − measure", "data")


def markov() -> Any:
    """How much a relevant document counts at each rank, for users who move in three ways."""
    rows: Rows = []
    users = {
        "reads down and stops": [[1, 2, 3], [1, 2], [1], [1, 2, 3, 4], [1, 2, 3, 4, 5]],
        "jumps back to the top": [[1, 2, 1], [1, 3, 1, 2, 1], [1, 4, 1, 5, 1], [2, 1]],
    }
    for name, log in users.items():
        share = np.asarray(ds.MarkovUser.fit(log, smoothing=0.5).stationary, float)
        rows += [{"rank": i, "share of looks": float(p), "user": name} for i, p in enumerate(share, 1)]
    return lines(rows, "rank", "share of looks", "user")


def measurement() -> Any:
    rows = [
        {"length of the ranking": n, "balancing index": b, "measure": m}
        for m in ("AP", "RBP(p=0.5)", "RBP(p=0.8)")
        for n in range(2, 13)
        if (b := ds.balancing_index(m, n)) is not None
    ]
    return lines(rows, "length of the ranking", "balancing index", "measure", step=True)


def measures() -> Any:
    """What one relevant document adds at each rank, next to what it adds at rank 1."""
    rows: Rows = []
    for name in ("P@10", "DCG@20", "RBP(p=0.8)", "RR"):
        first = None
        for rank in range(1, 21):
            runs = {"A": {"q": {f"d{i:02}": float(99 - i) for i in range(1, 21)}}}
            labels = {"j": {"q": {f"d{i:02}": int(i == rank) for i in range(1, 21)}}}
            value = float(ds.evaluate(runs, labels, name)[name].mean())
            first = first or value
            rows.append({"rank of the document": rank, "what it adds": value / first, "measure": name})
    return lines(rows, "rank of the document", "what it adds", "measure")


def merging() -> Any:
    """Labels that equal the truth, by method."""
    truth = {(t, d): str(g) for t, d, _, g in ds.read_judgments(TRUTH).to_frame().iter_rows()}
    rows: Rows = []
    for method in ("majority", "wawa", "one-coin", "glad", "em-mv", "em-neu", "ordinal"):
        merged = ds.merge(LABELS, method).judgments.to_frame()
        right = [str(g) == truth[t, d] for t, d, _, g in merged.iter_rows() if (t, d) in truth]
        rows.append({"method": method, "share of labels that are right": float(np.mean(right))})
    rows.sort(key=lambda r: -float(r["share of labels that are right"]))
    return bars(rows, "share of labels that are right", "method")


def noise() -> Any:
    """Labels flipped at random, and the pairs of documents that this turns around."""
    found = ds.noise(LABELS, levels=[0.05, 0.1, 0.2, 0.3, 0.4, 0.5], assessor="ann", replicates=5).to_frame()
    kinds = {"as they are": "four grades", "merged 0+1+2 | 3": "two grades: 3 against the rest"}
    rows = [
        {"share of labels changed": r["dnoise"], "share of pairs wrong": r["expected"], "labels": kinds[r["labels"]]}
        for r in found.iter_rows(named=True)
        if r["labels"] in kinds
    ]
    return lines(rows, "share of labels changed", "share of pairs wrong", "labels")


def planning() -> Any:
    three = ds.read_runs(RUNS).select(systems=["crossenc", "splade", "bm25"])
    return ds.plan(three, LABELS, budget=200, measures=MEASURE, assessor="llm").plot()


def preferences() -> Any:
    """How alike two orders of 63 runs are, by whose preferences and which measure."""
    rows = [
        {"orders": f"{r['a']}, {r['b']}", "Kendall τ": r["tau"], "low": r["tau_low"], "high": r["tau_high"]}
        for r in evidence("preferences-dl21", "orders of runs")
    ]
    rows.sort(key=lambda r: -float(r["Kendall τ"]))
    return bars(rows, "Kendall τ", "orders", low="low", high="high", zero=False)


def scale() -> Any:
    """Seconds of each command on a small study, from the page that measures them."""
    page = (ROOT / "docs" / "evidence" / "speed.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `dissensus (\S+)`[^|]*\| ([\d.]+) \|", page, re.M)
    return bars([{"command": name, "seconds": float(seconds)} for name, seconds in found], "seconds", "command")


def sequential() -> Any:
    """The interval of one difference after every label."""
    import polars as pl

    runs, labels, pair = ds.read_runs(RUNS), ds.read_judgments(LABELS), ("crossenc", "llm-rewrite")
    plan = ds.plan(runs, labels, measures=MEASURE, systems=pair, assessor="llm", order=True, seed=7)
    truth = ds.read_judgments(TRUTH).to_frame().select("topic", "doc", pl.col("grade").alias("answer"))
    graded = plan.sample.join(truth, on=["topic", "doc"], how="left", maintain_order="left")
    graded = graded.with_columns(grade=pl.when(pl.col("draw") <= 120).then("answer")).drop("answer")
    return ds.sequential(runs, labels, graded, MEASURE, systems=pair, assessor="llm").plot()


def statistics() -> Any:
    """How many standard errors an interval needs, for one pair and for 28 together."""
    scores = ds.evaluate(RUNS, TRUTH, MEASURE)
    titles = {"none": "one pair alone", "max-t": "28 pairs, max-t", "bonferroni": "28 pairs, Bonferroni"}
    rows: Rows = []
    for name, title in titles.items():
        pairs = ds.compare(scores, MEASURE, correction=name).to_frame("pairs")
        widths = ((pairs["high"] - pairs["low"]) / (2 * pairs["se"])).to_numpy()
        rows.append({"standard errors to each side": float(np.median(widths)), "interval": title})
    return bars(rows, "standard errors to each side", "interval")


def home() -> Any:
    """Judge → experts → decision: the naive order, the audit, the corrected order."""
    table = corrected().to_frame().sort("naive", descending=True)
    by_naive = table["system"].to_list()
    best = corrected().outcome.order
    left = [{"step": "1. The judge says", "place": i, "system": s} for i, s in enumerate(by_naive, 1)]
    right = [{"step": "3. You decide", "place": i, "system": s} for i, s in enumerate(best, 1)]
    rows = [r | {"kind": "the judge's favourite" if r["system"] == by_naive[0] else "the decision"
                 if r["system"] == best[0] else "others"} for r in left + right]  # fmt: skip
    shape = alt.Scale(domain=["the judge's favourite", "the decision", "others"], range=[ORANGE, BLUE, "#8a8f98"])
    top = alt.Axis(labelAngle=0, labelFontSize=14, labelFontWeight="bold", orient="top", domain=False, ticks=False)
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("step:N", title=None, axis=top),
        y=alt.Y("place:O", title=None, axis=None),
        color=alt.Color("kind:N", scale=shape, legend=None),
    )  # fmt: skip
    line = base.mark_line(strokeWidth=2, opacity=0.8).encode(detail="system:N")
    names_left = base.transform_filter("datum.step == '1. The judge says'").mark_text(align="right", dx=-8, fontSize=13)
    names_right = base.transform_filter("datum.step != '1. The judge says'").mark_text(align="left", dx=8, fontSize=13)
    middle = alt.Chart(alt.Data(values=[{"t": f"2. Experts check {len(ds.read_audit(AUDIT))} documents"}])).mark_text(
        fontSize=14, fontWeight="bold", y=-15, x=400).encode(text="t:N")  # fmt: skip
    text = alt.Text("system:N")
    chart = line + base.mark_point(filled=True, size=70, opacity=1) + names_left.encode(text=text)
    return (chart + names_right.encode(text=text) + middle).properties(width=800, height=230)


PAGES: dict[str, Callable[[], Any]] = {
    f.__name__: f for f in (
        agreement, aware, ceiling, clicks, comparison, correction, correlation, disagreement, judges, labelling,
        learning, markov, measurement, measures, merging, noise, planning, preferences, scale, sequential, statistics,
    )
}  # fmt: skip


def draw(name: str) -> Path:
    place = ROOT / "docs" / "figures" / "home.svg" if name == "home" else FIGURES / f"{name}.svg"
    chart = home() if name == "home" else PAGES[name]()
    place.parent.mkdir(exist_ok=True)
    chart.save(str(place))
    return place


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    os.chdir(ROOT)
    for one in sys.argv[1:] or [*PAGES, "home"]:
        sys.stdout.write(f"{draw(one)}\n")
