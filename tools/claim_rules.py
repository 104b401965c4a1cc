"""The rules that judge claims by the tables of docs/evidence: a verdict, the estimate behind it, and its power.

A rule was fixed before its numbers were seen. It answers *confirmed* where the estimate, with its interval where there
is one, lies on the claim's side, *refuted* where it lies on the other, and *cannot tell* between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from dissensus.stats.intervals import wilson

CONFIRMED, REFUTED, OPEN, UNTESTED = "confirmed", "refuted", "cannot tell", "not testable here"
Rows = list[dict[str, Any]]
Tables = dict[str, Rows]


@dataclass(frozen=True)
class Judged:
    """What a rule says of a claim. `power` is the chance to confirm the paper's own effect, where it can be said."""

    verdict: str
    estimate: str
    power: str = "–"


Rule = Callable[[Tables, dict[str, Any]], Judged]


def side(low: float, high: float, threshold: float = 0.0) -> str:
    """Confirmed where an interval lies above the threshold, refuted below it, and between them it cannot tell."""
    return CONFIRMED if low > threshold else REFUTED if high < threshold else OPEN


def settled(shown: bool) -> str:
    """An exact claim, or one that a single counterexample ends."""
    return CONFIRMED if shown else REFUTED


def power(effect: float, se: float) -> str:
    """The chance that an effect of this size would have been shown, given the standard error seen here."""
    return f"{NormalDist().cdf(abs(effect) / se - 1.96):.2f}" if se > 0 else "–"


def number(value: float, form: str = ".3f") -> str:
    """A number with a minus sign that is one."""
    return f"{value:{form}}".replace("-", "−")


def span(row: dict[str, Any], name: str, form: str = ".3f") -> str:
    """A number with its interval."""
    low, high = (number(row[f"{name}_{end}"], form) for end in ("low", "high"))
    return f"{number(row[name], form)} [{low}, {high}]"


def dotted(row: dict[str, Any], name: str) -> str:
    return f"{row[name]:.3f} [{row[f'{name}.low']:.3f}, {row[f'{name}.high']:.3f}]"


def share(value: float, n: int) -> str:
    """A share of `n` with Wilson's interval."""
    one = wilson(value * n, n)
    return f"{value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def about(value: float, se: float) -> str:
    """A number with the interval of 1.96 standard errors."""
    return f"{number(value)} [{number(value - 1.96 * se)}, {number(value + 1.96 * se)}]"


def where(rows: Rows, **wanted: Any) -> Rows:
    return [row for row in rows if all(row[k] == v for k, v in wanted.items())]


# ── the ceiling paper ────────────────────────────────────────────────────────────────────────────────────────────────
def ceiling_predicts(tables: Tables, claim: dict[str, Any]) -> Judged:
    [row] = where(tables["summary"], matrix="own pair, topic left out")
    near = row["bias_low"] > -0.05 and row["bias_high"] < 0.05
    related = side(row["correlation_low"], row["correlation_high"], 0.5)
    text = f"mean error {span(row, 'bias', '+.3f')}, RMSE {span(row, 'rmse')}, r = {span(row, 'correlation', '.2f')}"
    far = row["bias_high"] < -0.05 or row["bias_low"] > 0.05
    verdict = REFUTED if far or related == REFUTED else CONFIRMED if near and related == CONFIRMED else OPEN
    return Judged(verdict, f"{text}, {row['points']} points, intervals over topics")


def own_matrix_is_better(tables: Tables, claim: dict[str, Any]) -> Judged:
    [own] = where(tables["summary"], matrix="own pair, topic left out")
    [pooled] = where(tables["summary"], matrix="all pairs pooled")
    text = f"RMSE {span(own, 'rmse')} with the pair's own matrix, {span(pooled, 'rmse')} with one for all pairs"
    better = own["rmse"] < pooled["rmse"] / 1.1
    return Judged(CONFIRMED if better else REFUTED if own["rmse"] > pooled["rmse"] else OPEN, text)


# ── the user disagreement model ──────────────────────────────────────────────────────────────────────────────────────
def p_falls(tables: Tables, claim: dict[str, Any]) -> Judged:
    by = {r["grade"]: r for r in tables["weights"]}
    high, middle, low = by["HRel"], by["Rel"], by["Non"]
    apart = high["p.low"] > middle["p.high"] and middle["p.low"] > low["p.high"]
    ordered = high["p"] > middle["p"] > low["p"]
    text = f"p(top given HRel, Rel, Non) = {dotted(high, 'p')}, {dotted(middle, 'p')}, {dotted(low, 'p')}"
    return Judged(CONFIRMED if apart else OPEN if ordered else REFUTED, text)


def weights_follow_p(tables: Tables, claim: dict[str, Any]) -> Judged:
    rows = [r for r in tables["Table 1"] if r["counted"] is not None]
    worst = max(rows, key=lambda r: abs(r["counted"] - r["predicted"]))
    off = abs(worst["counted"] - worst["predicted"])
    text = (
        f"furthest apart, {worst['grade']} with {worst['users']} users: counted {about(worst['counted'], worst['sd'])},"
    )
    text += f" predicted {worst['predicted']:.3f}"
    return Judged(CONFIRMED if off <= 0.02 else REFUTED if off > 0.02 + 1.96 * worst["sd"] else OPEN, text)


# ── correction for judge error ───────────────────────────────────────────────────────────────────────────────────────
def corrected_covers(tables: Tables, claim: dict[str, Any]) -> Judged:
    by = {r["method"]: r["coverage"] for r in tables["section 5"]}
    held = by["naive"] < 0.10 and 0.93 < by["corrected"] < 0.97
    return Judged(settled(held), f"naive {share(by['naive'], 10_000)}, corrected {share(by['corrected'], 10_000)}")


def variances_add(tables: Tables, claim: dict[str, Any]) -> Judged:
    by = {r["quantity"]: r["computed"] for r in tables["section 6"]}
    added, joint = by["se of the difference, variances added"], by["se of the difference, one judge"]
    p_added, p_joint = by["p, variances added (eq. 11)"], by["p, one judge"]
    text = (
        f"standard error {joint:.4f} and p = {p_joint:.2g} for one judge; {added:.4f} and p = {p_added:.2g} by eq. 10"
    )
    return Judged(settled(p_joint > 0.05), text)


def table_2(tables: Tables, claim: dict[str, Any]) -> Judged:
    rows = tables["Table 2"]
    text = ", ".join(
        f"{r['run']} observed {r['observed']:.3f}, possible {r['lowest possible']:.3f} to {r['highest possible']:.3f}"
        for r in rows
    )
    return Judged(CONFIRMED if all(r["admissible"] for r in rows) else OPEN, text)


# ── label noise ──────────────────────────────────────────────────────────────────────────────────────────────────────
def same_grades_have_no_order(tables: Tables, claim: dict[str, Any]) -> Judged:
    values = [v for row in where(tables["same grade"], whose="ours") for v in row.values() if isinstance(v, float)]
    return Judged(settled(all(0.4 < v < 0.6 for v in values)), f"shares from {min(values):.2f} to {max(values):.2f}")


def curves_fall_together(tables: Tables, claim: dict[str, Any]) -> Judged:
    rows = tables["claim"]
    better = sum(r["between_pnoise"] < r["between_dnoise"] for r in rows)
    gone = sorted(r["shared_gone"] for r in rows if r["shared_gone"] is not None)
    middle = gone[len(gone) // 2] if gone else 0.0
    text = (
        f"pair noise is the better axis in {better} of {len(rows)} cases, and where sets share it, {middle:.0%} of the"
    )
    text += " variation is gone in the median"
    held, lost = better > 0.9 * len(rows), better < 0.5 * len(rows)
    return Judged(REFUTED if lost else CONFIRMED if held and middle > 0.5 else OPEN, text)


def loss_rises(tables: Tables, claim: dict[str, Any]) -> Judged:
    most = max(r["dnoise"] for r in tables["Fig. 3"])
    rises = [r["rise"] for r in tables["Fig. 3"] if r["dnoise"] > most - 0.02]
    text = f"rises by {min(rises):.3f} to {max(rises):.3f} at the highest noise"
    return Judged(settled(all(r > 0 for r in rises)), text)


def falls(figure: str) -> Rule:
    """Whether pair noise falls with every step of a figure."""

    def rule(tables: Tables, claim: dict[str, Any]) -> Judged:
        rows = where(tables["more grades, better balance"], figure=figure)
        ends = [(r["last level without a fall"], r) for r in rows]
        broken = [(end, r) for end, r in ends if end is not None and end < 0.5]
        if not broken:
            return Judged(
                CONFIRMED, f"pair noise falls at every level of label noise below 0.5 in all {len(rows)} steps"
            )
        end, worst = max(broken, key=lambda pair: pair[0])
        text = f"{len(broken)} of {len(rows)} steps do not lower pair noise at some label noise, as "
        return Judged(REFUTED, f"{text}{worst['set']}, {worst['step']}, {worst['profile']}, up to {end:g}")

    return rule


more_grades, better_balance = falls("Fig. 7"), falls("Fig. 11")


def labelled(method: str, other: str) -> Rule:
    """Whether one way of labelling leaves less pair noise than another, at each level of blur."""

    def rule(tables: Tables, claim: dict[str, Any]) -> Judged:
        verdicts, texts, widest = [], [], 0.0
        for blur in dict.fromkeys(r["blur"] for r in tables["table"]):
            one, two = (where(tables["table"], blur=blur, method=m)[0] for m in (method, other))
            gain, se = two["pnoise"] - one["pnoise"], (one["se"] ** 2 + two["se"] ** 2) ** 0.5
            verdicts.append(side(gain - 2 * se, gain + 2 * se))
            texts.append(f"{about(gain, se)} less (blur {blur:g})")
            widest = max(widest, se)
        same = set(verdicts) == {verdicts[0]}
        return Judged(verdicts[0] if same else OPEN, ", ".join(texts), power(claim.get("size", 0.0), widest))

    return rule


five_grades, top_k = labelled("five grades", "three grades"), labelled("top 10", "three grades")


# ── the thesis: AWARE ────────────────────────────────────────────────────────────────────────────────────────────────
LABELS = ("mv", "emmv", "emneu")


def approaches(tables: Tables) -> tuple[dict[str, dict[str, Any]], list[str], float]:
    """Rows by approach, AWARE's estimators, and Tukey's distance for τ_ap."""
    value = {r["approach"]: r for r in tables["approaches"]}
    return value, [a for a in value if a not in ("uni", *LABELS)], tables["approaches"][0]["tukey"]


def aware_best(tables: Tables, claim: dict[str, Any]) -> Judged:
    value, ours, tukey = approaches(tables)
    best = max(ours, key=lambda a: value[a]["tau_ap"])
    gain = value[best]["tau_ap"] - max(value[o]["tau_ap"] for o in LABELS)
    shown = ", ".join(f"{o} {value[o]['tau_ap']:.3f}" for o in LABELS)
    text = f"τ_ap {value[best]['tau_ap']:.3f} ({best}), {shown}, apart from {tukey:.3f} on (Tukey)"
    return Judged(side(gain - tukey, gain + tukey), text)


def vote_is_best_of_labels(tables: Tables, claim: dict[str, Any]) -> Judged:
    value, _, tukey = approaches(tables)
    gain = value["mv"]["tau_ap"] - max(value["emmv"]["tau_ap"], value["emneu"]["tau_ap"])
    shown = ", ".join(f"{o} {value[o]['tau_ap']:.3f}" for o in LABELS)
    return Judged(side(gain - tukey, gain + tukey), f"τ_ap of {shown}, apart from {tukey:.3f} on (Tukey)")


def em_under_dependence(tables: Tables, claim: dict[str, Any]) -> Judged:
    value, _, tukey = approaches(tables)
    gain = min(value["emmv"]["tau_ap"], value["emneu"]["tau_ap"]) - value["mv"]["tau_ap"]
    shown = ", ".join(f"{o} {value[o]['tau_ap']:.3f}" for o in LABELS)
    return Judged(side(gain - tukey, gain + tukey), f"τ_ap of {shown}, apart from {tukey:.3f} on (Tukey)")


def aware_predicts(tables: Tables, claim: dict[str, Any]) -> Judged:
    value, ours, _ = approaches(tables)
    best = min(ours, key=lambda a: value[a]["rmse"])
    shown = ", ".join(f"{o} {value[o]['rmse']:.3f}" for o in LABELS)
    [row] = where(tables["top groups"], factor="Approach")
    top = set(row["rmse"].split(", "))
    merged = not top.isdisjoint(LABELS)
    verdict = OPEN if merged and not top.isdisjoint(ours) else REFUTED if merged else CONFIRMED
    return Judged(
        verdict, f"RMSE {value[best]['rmse']:.3f} ({best}), {shown}, Tukey's top group has {len(top)} of {len(value)}"
    )


def effect_of_approach(table: str) -> Rule:
    """Whether ω² of the way of merging is large."""

    def rule(tables: Tables, claim: dict[str, Any]) -> Judged:
        [row] = where(tables[table], source="Approach")
        return Judged(settled(row["omega2"] >= 0.14), f"ω² = {row['omega2']:.3f}")

    return rule


approach_matters, approach_matters_rmse = effect_of_approach("ANOVA tau_ap"), effect_of_approach("ANOVA rmse")


# ── the thesis: measurement and Markov users ─────────────────────────────────────────────────────────────────────────
def rbp_saturates(tables: Tables, claim: dict[str, Any]) -> Judged:
    index = {r["measure"]: r["index"] for r in tables["indices"]}
    eight, sixty = index["RBP(p=0.8)"], index["RBP(p=0.95)"]
    return Judged(settled(eight == 8 and 55 <= sixty <= 60), f"RBP(0.8) at {eight}, RBP(0.95) at {sixty}")


def test_goes_blind(tables: Tables, claim: dict[str, Any]) -> Judged:
    by = {r["rank"]: r for r in where(tables["separation"], measure="RBP(p=0.8)")}
    text = ", ".join(f"{about(by[rank]['share'], by[rank]['se'])} at rank {rank}" for rank in (4, 8, 12))
    return Judged(settled(by[4]["share"] > 0.95 and by[12]["share"] < 0.2), f"significant in {text}")


def markov_rows(tables: Tables) -> tuple[Rows, Rows]:
    """Markov Precisions without and with recall."""
    rows = [r for r in tables["with AP"] if r["measure"].startswith("MP")]
    return ([r for r in rows if ("rec=True" in r["measure"]) == recall] for recall in (False, True))  # type: ignore[return-value]


def recall_makes_mp_ap(tables: Tables, claim: dict[str, Any]) -> Judged:
    plain, times = markov_rows(tables)
    best, other = max(times, key=lambda r: r["tau"]), max(plain, key=lambda r: r["tau"])
    one, two = (f"{r['tau']:.3f} [{r['low']:.3f}, {r['high']:.3f}]" for r in (best, other))
    held = best["low"] > 0.9 and other["high"] < 0.9
    lost = best["high"] < 0.9
    return Judged(
        CONFIRMED if held else REFUTED if lost else OPEN, f"τ with AP {one} times recall, at most {two} without"
    )


def mp_stays_near(tables: Tables, claim: dict[str, Any]) -> Judged:
    plain, _ = markov_rows(tables)
    names = {r["measure"] for r in plain}
    least = min(
        (float(row[other]), other, row["measure"])
        for row in tables["correlations"]
        if row["measure"] in names
        for other in row
        if other.startswith(("AP", "P(", "P@", "Rprec"))
    )
    bounds = {r["measure"]: r for r in plain}[least[2]]
    text = f"least τ {least[0]:.3f}, of {least[2]} with {least[1]}"
    shown = bounds["high"] < 0.70 if least[1].startswith("AP") else least[0] < 0.60
    return Judged(CONFIRMED if least[0] >= 0.70 else REFUTED if shown else OPEN, text)


def bpref_robust(tables: Tables, claim: dict[str, Any]) -> Judged:
    tau = {r["measure"]: r["10"] for r in tables["pool_tau"]}
    spread = {r["measure"]: r["10"] for r in tables["pool_tau_sd"]}
    bpref = next(m for m in tau if m.startswith("Bpref"))
    second = max((m for m in tau if m != bpref), key=lambda m: tau[m])
    se = ((spread[bpref] ** 2 + spread[second] ** 2) / 10) ** 0.5
    gain = tau[bpref] - tau[second]
    one, two = (f"{tau[m]:.3f} (sd over pools {spread[m]:.3f})" for m in (bpref, second))
    return Judged(side(gain - 2 * se, gain + 2 * se), f"τ {one} with 10% of the pool, next {two}, {second}")


def continuous_time(tables: Tables, claim: dict[str, Any]) -> Judged:
    apart = max(abs(r["continuous"] - r["printed"]) for r in tables["holding"])
    return Judged(settled(apart < 5e-4), f"within {apart:.4f} of the printed values")


def mp_is_no_measure(tables: Tables, claim: dict[str, Any]) -> Judged:
    plain = [r for r in tables["axioms"] if r["measure"].startswith("MP") and "rec=True" not in r["measure"]]
    broken = [r for r in plain if r["replacement"] != "holds"]
    return Judged(settled(not broken), f"{len(broken)} of {len(plain)} models break Replacement")


def nmcg_gains(tables: Tables, claim: dict[str, Any]) -> Judged:
    gains = [r["difference"] for r in where(tables["table"], measure="nMCG@10")]
    mean = sum(gains) / len(gains)
    se = (sum((g - mean) ** 2 for g in gains) / (len(gains) - 1) / len(gains)) ** 0.5
    half = 2.306 * se  # t with 8 degrees of freedom; cells share trainings, so this is narrow if anything
    text = f"mean difference {number(mean, '+.4f')} [{number(mean - half, '+.4f')}, {number(mean + half, '+.4f')}] over"
    text += f" {len(gains)} cells, from {number(min(gains), '+.3f')} to {number(max(gains), '+.3f')}"
    verdict = side(mean - half, mean + half)
    return Judged(OPEN if verdict == CONFIRMED and min(gains) < 0 else verdict, text, power(claim["size"], se))


# ── ours ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def corrected_hold(tables: Tables, claim: dict[str, Any]) -> Judged:
    rows = [r for r in tables["coverage"] if r["method"] in ("rectified", "auto")]
    least = min(rows, key=lambda r: r["coverage"])
    naive = min(r["coverage"] for r in tables["coverage"] if r["method"] == "naive")
    text = f"least coverage {about(least['coverage'], least['mc_error'])} ({least['setting']}, {least['method']}),"
    low, high = (least["coverage"] + sign * 1.96 * least["mc_error"] for sign in (-1, 1))
    return Judged(side(low, high, 0.93), f"{text} naive down to {naive:.3f}")


def matrix_breaks(tables: Tables, claim: dict[str, Any]) -> Judged:
    least = min((r for r in tables["coverage"] if r["method"] == "confusion"), key=lambda r: r["coverage"])
    broken = least["coverage"] < 0.9 and "differential" in least["setting"]
    text = f"covers {about(least['coverage'], least['mc_error'])} in the setting '{least['setting']}'"
    return Judged(settled(broken), text)


def power_holds(tables: Tables, claim: dict[str, Any]) -> Judged:
    rows = tables["labels needed"]
    worst = max(rows, key=lambda r: abs(r["power"] - r["asked"]))
    held = abs(worst["power"] - worst["asked"]) <= 0.05 + 2 * worst["mc_error"]
    text = ", ".join(f"{r['power']:.2f} for {r['asked']:.2f}" for r in rows)
    return Judged(settled(held), f"power {text} (Monte Carlo error {worst['mc_error']:.2f})")


def anytime_holds(tables: Tables, claim: dict[str, Any]) -> Judged:
    worst = max(tables["failures"], key=lambda r: r["ruling"])
    bounds = wilson(worst["ruling"] * worst["paths"], worst["paths"])
    text = f"wrong at some look on at most {share(worst['ruling'], worst['paths'])} of the paths"
    return Judged(CONFIRMED if worst["ruling"] <= 0.05 else REFUTED if bounds.low > 0.05 else OPEN, text)
