"""The claims of the papers, and ours, judged by the evidence: the page docs/claims.md.

    python tools/claims.py          write the page
    python tools/claims.py --show   print it

A claim has a rule that looks at the tables in docs/evidence and gives a verdict with its numbers, so that no verdict
can outlive its evidence: a test compares the page with what the rules say now. A claim whose part has not been run is
marked so.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
EVIDENCE = ROOT / "docs" / "evidence"
PAGE = ROOT / "docs" / "claims.md"
CONFIRMED, NOT_CONFIRMED, REFUTED, PARTLY = "confirmed", "not confirmed", "**refuted**", "partly"
Rows = list[dict[str, Any]]
Tables = dict[str, Rows]


@dataclass(frozen=True)
class Claim:
    """What is claimed, by whom, on which part of the evidence, and the rule that judges it."""

    text: str
    source: str
    part: str
    rule: Callable[[Tables], tuple[str, str]]


def where(rows: Rows, **wanted: Any) -> Rows:
    return [row for row in rows if all(row[k] == v for k, v in wanted.items())]


def ceiling_predicts(tables: Tables) -> tuple[str, str]:
    [row] = where(tables["summary"], matrix="own pair, topic left out")
    held = abs(row["bias"]) < 0.02 and row["correlation"] > 0.7
    numbers = f"bias {row['bias']:+.3f}, RMSE {row['rmse']:.3f}, r = {row['correlation']:.2f}, {row['points']} points"
    return CONFIRMED if held else NOT_CONFIRMED, numbers


def any_matrix_will_do(tables: Tables) -> tuple[str, str]:
    [own] = where(tables["summary"], matrix="own pair, topic left out")
    [pooled] = where(tables["summary"], matrix="all pairs pooled")
    close = pooled["rmse"] < 1.1 * own["rmse"]
    return CONFIRMED if close else NOT_CONFIRMED, f"RMSE {pooled['rmse']:.3f} pooled, {own['rmse']:.3f} the pair's own"


def weights_follow_p(tables: Tables) -> tuple[str, str]:
    rows = where(tables["Table 1"], grade="Rel")
    apart = max(abs(r["counted"] - r["predicted"]) for r in rows)
    printed = max(abs(r["counted"] - r["printed.counted"]) for r in rows)
    return (
        CONFIRMED if apart < 0.02 else NOT_CONFIRMED,
        f"counted and predicted weights differ by at most {apart:.3f}; counted and printed by {printed:.3f}",
    )


def good_lists_have_higher_p(tables: Tables) -> tuple[str, str]:
    good, poor = (where(tables["Table 3"], lists=k, grade="Rel")[0]["p"] for k in ("with a top label", "without"))
    held = good > 2 * poor
    return CONFIRMED if held else NOT_CONFIRMED, f"p(top given Rel) {good:.3f} with a top label, {poor:.3f} without"


def corrected_hold(tables: Tables) -> tuple[str, str]:
    rows = [r for r in tables["coverage"] if r["method"] in ("rectified", "auto")]
    least = min(rows, key=lambda r: r["coverage"])
    naive = min(r["coverage"] for r in tables["coverage"] if r["method"] == "naive")
    held = least["coverage"] > 0.93
    return (
        CONFIRMED if held else PARTLY,
        f"least coverage {least['coverage']:.3f} ({least['setting']}, {least['method']}); naive down to {naive:.3f}",
    )


def matrix_breaks(tables: Tables) -> tuple[str, str]:
    rows = [r for r in tables["coverage"] if r["method"] == "confusion"]
    least = min(rows, key=lambda r: r["coverage"])
    return (
        CONFIRMED if least["coverage"] < 0.9 and "differential" in least["setting"] else NOT_CONFIRMED,
        f"confusion covers {least['coverage']:.3f} in the setting '{least['setting']}'",
    )


def same_grades_have_no_order(tables: Tables) -> tuple[str, str]:
    ours = where(tables["same grade"], whose="ours")
    values = [v for row in ours for k, v in row.items() if isinstance(v, float)]
    held = all(0.4 < v < 0.6 for v in values)
    return CONFIRMED if held else NOT_CONFIRMED, f"shares from {min(values):.2f} to {max(values):.2f}"


def curves_fall_together(tables: Tables) -> tuple[str, str]:
    rows = tables["claim"]
    better = sum(r["between_pnoise"] < r["between_dnoise"] for r in rows)
    shared = sorted(r["shared_gone"] for r in rows if r["shared_gone"] is not None)
    middle = shared[len(shared) // 2] if shared else None
    held = better > 0.9 * len(rows) and middle is not None and middle > 0.5
    text = f"pNoise is the better axis in {better} of {len(rows)} cases"
    if middle is not None:
        text += f"; where the sets share pNoise, {middle:.0%} of the variation is gone in the median"
    return CONFIRMED if held else PARTLY if better > len(rows) / 2 else NOT_CONFIRMED, text


def loss_rises(tables: Tables) -> tuple[str, str]:
    most = max(r["dnoise"] for r in tables["Fig. 3"])
    rises = [r["rise"] for r in tables["Fig. 3"] if r["dnoise"] > most - 0.02]
    held = all(r > 0 for r in rises)
    return CONFIRMED if held else NOT_CONFIRMED, f"rises by {min(rises):.3f} to {max(rises):.3f} at the most noise"


def falls(figure: str) -> Callable[[Tables], tuple[str, str]]:
    def rule(tables: Tables) -> tuple[str, str]:
        rows = where(tables["more grades, better balance"], figure=figure)
        broken = [
            r for r in rows if r["last level without a fall"] is not None and r["last level without a fall"] < 0.5
        ]
        if not broken:
            return CONFIRMED, f"pNoise falls at every level of dNoise below 0.5 in all {len(rows)} steps"
        worst = max(broken, key=lambda r: r["last level without a fall"])
        return REFUTED, (
            f"{len(broken)} of {len(rows)} steps do not lower pNoise at some dNoise: "
            f"{worst['set']}, {worst['step']}, {worst['profile']}, up to {worst['last level without a fall']:g}"
        )

    return rule


def labelled(method: str, other: str) -> Callable[[Tables], tuple[str, str]]:
    def rule(tables: Tables) -> tuple[str, str]:
        pairs = [
            (b, where(tables["table"], blur=b, method=method)[0], where(tables["table"], blur=b, method=other)[0])
            for b in dict.fromkeys(r["blur"] for r in tables["table"])
        ]
        won = [
            b for b, one, two in pairs if one["pnoise"] + 2 * (one["se"] ** 2 + two["se"] ** 2) ** 0.5 < two["pnoise"]
        ]
        text = "; ".join(f"{one['pnoise']:.3f} against {two['pnoise']:.3f} (blur {b:g})" for b, one, two in pairs)
        return CONFIRMED if len(won) == len(pairs) else PARTLY if won else NOT_CONFIRMED, text

    return rule


def aware_beats(*others: str) -> Callable[[Tables], tuple[str, str]]:
    def rule(tables: Tables) -> tuple[str, str]:
        value = {r["approach"]: r for r in tables["approaches"]}
        ours = [a for a in value if a not in ("uni", "mv", "emmv", "emneu")]
        best = max(ours, key=lambda a: value[a]["tau_ap"])
        median = sorted(value[a]["tau_ap"] for a in ours)[len(ours) // 2]
        rivals = max(value[o]["tau_ap"] for o in others)
        verdict = CONFIRMED if median > rivals else PARTLY if value[best]["tau_ap"] > rivals else NOT_CONFIRMED
        shown = ", ".join(f"{o} {value[o]['tau_ap']:.3f}" for o in others)
        return verdict, f"τ_ap: best estimator {value[best]['tau_ap']:.3f} ({best}), median {median:.3f}; {shown}"

    return rule


def rbp_saturates(tables: Tables) -> tuple[str, str]:
    index = {r["measure"]: r["index"] for r in tables["indices"]}
    eight, fiftynine = index["RBP(p=0.8)"], index["RBP(p=0.95)"]
    return CONFIRMED if (eight, fiftynine) == (8, 59) else REFUTED, f"RBP(0.8) at {eight}, RBP(0.95) at {fiftynine}"


def test_goes_blind(tables: Tables) -> tuple[str, str]:
    share = {r["rank"]: r["share"] for r in where(tables["separation"], measure="RBP(p=0.8)")}
    held = share[4] > 0.95 and share[12] < 0.2
    return (
        CONFIRMED if held else NOT_CONFIRMED,
        f"told apart in {share[4]:.0%} of trials at rank 4, {share[8]:.0%} at 8, {share[12]:.0%} at 12",
    )


def recall_makes_mp_ap(tables: Tables) -> tuple[str, str]:
    ap = next(c for c in tables["correlations"][0] if c.startswith("AP"))
    with_recall = [r[ap] for r in tables["correlations"] if "rec=True" in r["measure"]]
    without = [
        r[ap] for r in tables["correlations"] if r["measure"].startswith("MP") and "rec=True" not in r["measure"]
    ]
    text = (
        f"τ with AP {min(with_recall):.3f} to {max(with_recall):.3f} times recall, {max(without):.3f} at most without"
    )
    return CONFIRMED if min(with_recall) > 0.9 > max(without) else PARTLY, text


def bpref_robust(tables: Tables) -> tuple[str, str]:
    tau = {r["measure"]: r["10"] for r in tables["pool_tau"]}
    bpref = next(m for m in tau if m.startswith("Bpref"))
    second = max(v for m, v in tau.items() if m != bpref)
    return CONFIRMED if tau[
        bpref
    ] > second else NOT_CONFIRMED, f"τ {tau[bpref]:.3f} with 10 % of the pool, next {second:.3f}"


def continuous_time(tables: Tables) -> tuple[str, str]:
    apart = max(abs(r["continuous"] - r["printed"]) for r in tables["holding"])
    return CONFIRMED if apart < 5e-4 else REFUTED, f"within {apart:.4f} of the printed values"


def mp_is_no_measure(tables: Tables) -> tuple[str, str]:
    plain = [r for r in tables["axioms"] if r["measure"].startswith("MP") and "rec=True" not in r["measure"]]
    broken = [r for r in plain if r["replacement"] != "holds"]
    return REFUTED if len(broken) == len(plain) else PARTLY, f"{len(broken)} of {len(plain)} models break Replacement"


def nmcg_gains(tables: Tables) -> tuple[str, str]:
    rows = where(tables["table"], measure="nMCG@10")
    better = [r for r in rows if r["difference"] > 0 and r["p_value"] < 0.05]
    worse = [r for r in rows if r["difference"] < 0 and r["p_value"] < 0.05]
    text = f"significantly better in {len(better)} of {len(rows)} set × size cells, worse in {len(worse)}"
    return CONFIRMED if len(better) == len(rows) else PARTLY if len(better) > len(worse) else NOT_CONFIRMED, text


def anytime_holds(tables: Tables) -> tuple[str, str]:
    worst = max(r["ruling set fails"] if "ruling set fails" in r else r["ruling"] for r in tables["failures"])
    return CONFIRMED if worst <= 0.05 else REFUTED, f"fails at some look on at most {worst:.1%} of the paths"


def pooled_orders(tables: Tables) -> tuple[str, str]:
    def mean(method: str, what: str) -> float:
        values = [r[what] for r in tables["audits"] if r["method"] == method and r[what] is not None]
        return sum(values) / len(values)

    taus = {m: mean(m, "tau") for m in ("naive", "rectified", "pooled")}
    held = taus["pooled"] >= max(taus["naive"], taus["rectified"]) - 0.005
    return CONFIRMED if held else PARTLY, ", ".join(f"τ {v:.3f} {m}" for m, v in taus.items())


def variances_add(tables: Tables) -> tuple[str, str]:
    by = {r["quantity"]: r["computed"] for r in tables["section 6"]}
    added, joint = by["se of the difference, variances added"], by["se of the difference, one judge"]
    p_added, p_joint = by["p, variances added (eq. 11)"], by["p, one judge"]
    held = abs(added / joint - 1) < 0.1
    text = f"se {added:.4f} and p = {p_added:.3f} by eq. 10; {joint:.4f} and p = {p_joint:.3f} by the joint covariance"
    return CONFIRMED if held else REFUTED, text


def em_under_dependence(tables: Tables) -> tuple[str, str]:
    value = {r["approach"]: r["tau_ap"] for r in tables["approaches"]}
    held = min(value["emmv"], value["emneu"]) > value["mv"]
    text = f"τ_ap: emmv {value['emmv']:.3f}, emneu {value['emneu']:.3f}, majority {value['mv']:.3f}"
    return CONFIRMED if held else PARTLY if max(value["emmv"], value["emneu"]) > value["mv"] else NOT_CONFIRMED, text


def stable_pools(tables: Tables) -> tuple[str, str]:
    tau = {r["measure"]: r["10"] for r in tables["pool_tau"]}
    bpref = next(m for m in tau if m.startswith("Bpref"))
    best = max(tau, key=lambda m: tau[m])
    second = max(v for m, v in tau.items() if m != bpref)
    return (
        CONFIRMED if best == bpref else NOT_CONFIRMED,
        f"τ {tau[bpref]:.3f} with 10 % of the pool, best other {second:.3f}",
    )


def pooled_gains(tables: Tables) -> tuple[str, str]:
    rows = tables["gain"]
    held = all(
        r["rmse_ratio"] <= 0.65 and r["tau_gain"] >= 0.07 and r["apart_ratio"] >= 1.25 and r["covered"] >= 0.93
        for r in rows
    )
    text = "; ".join(
        f"{r['judge'].removeprefix('qrels.')}: RMSE {r['rmse_ratio']:.2f} of rectified, τ {r['tau_gain']:+.2f}, "
        f"{r['apart_ratio']:.2f} times as many pairs told apart, covered {r['covered']:.3f} ({r['audits']} audits)"
        for r in rows
    )
    return CONFIRMED if held else NOT_CONFIRMED, text


def power_holds(tables: Tables) -> tuple[str, str]:
    rows = tables["labels needed"]
    worst = max(rows, key=lambda r: abs(r["power"] - r["asked"]))
    held = abs(worst["power"] - worst["asked"]) <= 0.05 + 2 * worst["mc_error"]
    text = ", ".join(f"{r['power']:.2f} for {r['asked']:.2f}" for r in rows)
    return CONFIRMED if held else NOT_CONFIRMED, f"power {text} (Monte Carlo error {worst['mc_error']:.2f})"


CLAIMS = [
    Claim("The ceiling predicts what one judge's ranking scores by another judge", "S0, Fig. 1", "ceiling-dl23",
          ceiling_predicts),
    Claim("One confusion matrix for all judges predicts as well as the pair's own", "S0, §4", "ceiling-dl23",
          any_matrix_will_do),
    Claim("Grade weights follow from p(top given grade)", "S1, Table 1", "disagreement-rf10", weights_follow_p),
    Claim("p is far higher in lists with a top document", "S1, Table 3", "disagreement-rf10", good_lists_have_higher_p),
    Claim("Corrected differences keep their level, whatever way the judge errs", "this tool", "correction",
          corrected_hold),
    Claim("Correcting by a confusion matrix fails when errors differ by system or rank", "this tool", "correction",
          matrix_breaks),
    Claim("Variances of two systems that one judge served add up (eq. 10)", "S2, §6", "correction", variances_add),
    Claim("The labels that plan names find a difference as often as asked for", "this tool", "correction", power_holds),
    Claim("Rankers see no order among documents of one grade", "S3, Table 2", "noise", same_grades_have_no_order),
    Claim("Curves of different data sets fall together against pNoise", "S3, Figs. 4, 5", "noise",
          curves_fall_together),
    Claim("PRank's pointwise loss rises with dNoise on every set", "S3, Fig. 3", "noise-prank", loss_rises),
    Claim("More grades lower pNoise", "S3, Fig. 7", "noise-prank", falls("Fig. 7")),
    Claim("Better balance of the grades lowers pNoise", "S3, Fig. 11", "noise-prank", falls("Fig. 11")),
    Claim("Five grades leave less pNoise than three", "S3, Table 3", "labelling",
          labelled("five grades", "three grades")),
    Claim("Top-k preferences leave less pNoise than three grades", "S3, Table 3", "labelling",
          labelled("top 10", "three grades")),
    Claim("AWARE comes closer to gold than EM", "S4, Table 4.1", "aware", aware_beats("emmv", "emneu")),
    Claim("AWARE comes closer to gold than the majority vote", "S4, Fig. 4.4", "aware", aware_beats("mv")),
    Claim("AWARE comes closer than EM where judges share their errors", "this tool", "aware-shared",
          aware_beats("emmv", "emneu")),
    Claim("EM beats the majority vote where judges share their errors", "S4, ch. 4", "aware-shared",
          em_under_dependence),
    Claim("RBP's balancing index saturates", "S4, Fig. 3.3", "balancing", rbp_saturates),
    Claim("A t test on RBP(0.8) stops seeing differences below rank 8", "S4, Fig. 3.5", "balancing", test_goes_blind),
    Claim("Markov Precision times recall ranks systems as AP does, without it it does not", "S4, Table 5.3",
          "markov-dl21", recall_makes_mp_ap),
    Claim("bpref's ranking survives small pools best", "S4, Fig. 5.6", "markov-dl21", bpref_robust),
    Claim("bpref's ranking survives small pools best, ten runs and one assessor", "S4, Fig. 5.6", "markov-robust03",
          stable_pools),
    Claim("Continuous-time Markov Precision of three runs", "S4, Table 5.4", "markov", continuous_time),
    Claim("Markov Precision is a measure of effectiveness", "S4, ch. 5 against ch. 3", "axioms", mp_is_no_measure),
    Claim("nMCG-MART gains at every size", "S4, Table 5.5", "dynamics", nmcg_gains),
    Claim("Sets that hold at every look leave out the truth on at most 5 % of the paths", "this tool", "sequential",
          anytime_holds),
    Claim("Pooling the judge's bias over systems orders them at least as well as any other way", "this tool", "pooled",
          pooled_orders),
    Claim("Pooled nDCG@10 of real runs is nearer to gold than rectified, and its intervals hold", "this tool",
          "pooled-dl21-ndcg", pooled_gains),
]  # fmt: skip


def evidence() -> Any:
    """The tool that knows the parts."""
    spec = importlib.util.spec_from_file_location("evidence", Path(__file__).with_name("evidence.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["evidence"] = module
    spec.loader.exec_module(module)
    return module


def judged(claim: Claim) -> tuple[str, str]:
    """Verdict and numbers, or that the part has not been run."""
    file = EVIDENCE / f"{claim.part}.json"
    if not file.exists():
        return "not run", "–"
    return claim.rule(json.loads(file.read_text("utf-8"))["tables"])


def page() -> str:
    """The page as Markdown."""
    parts = evidence().PARTS
    rows = []
    for claim in CLAIMS:
        verdict, numbers = judged(claim)
        rows.append(f"| {claim.text} | {claim.source} | {verdict} | {numbers} | [{claim.part}](#{claim.part}) |")
    commands = []
    for name in dict.fromkeys(claim.part for claim in CLAIMS):
        file = EVIDENCE / f"{name}.json"
        facts = json.loads(file.read_text("utf-8")) if file.exists() else None
        state = f"seed {facts['seed']}, {facts['seconds']:,} s" if facts else "not run"
        commands.append(f"### {name}\n\n`{parts[name].shown()}` ({state})\n")
    return "\n".join(
        [
            "# Claims",
            "",
            "Each claim of the papers that dissensus builds on, and some of ours, judged by a rule that looks at",
            "the tables in `docs/evidence` and nowhere else. `make evidence` rebuilds the tables,",
            "`python tools/claims.py` this page; a test compares the two. S0 is the ceiling paper, S1 the user",
            "disagreement model, S3 the noise paper, S4 the thesis. Data are real where the command names files,",
            "otherwise generated: a verdict on generated data holds for data like these. 'Not run' is said of parts",
            "that have not been run to their end.",
            "",
            "| claim | whose | verdict | numbers | evidence |",
            "|---|---|---|---|---|",
            *rows,
            "",
            "## The parts",
            "",
            *commands,
        ]
    )


if __name__ == "__main__":
    if "--show" in sys.argv:
        sys.stdout.write(page())
    else:
        PAGE.write_text(page(), encoding="utf-8")
