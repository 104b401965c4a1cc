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


def span(row: dict[str, Any], name: str, form: str = ".3f") -> str:
    """A number with its interval."""
    return f"{row[name]:{form}} [{row[f'{name}_low']:{form}}, {row[f'{name}_high']:{form}}]"


def share(value: float, n: int) -> str:
    """A share of `n` with Wilson's interval."""
    from dissensus.stats.intervals import wilson

    one = wilson(value * n, n)
    return f"{value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def about(value: float, se: float) -> str:
    """A number with the interval of 1.96 standard errors."""
    return f"{value:.3f} [{value - 1.96 * se:.3f}, {value + 1.96 * se:.3f}]"


def where(rows: Rows, **wanted: Any) -> Rows:
    return [row for row in rows if all(row[k] == v for k, v in wanted.items())]


def ceiling_predicts(tables: Tables) -> tuple[str, str]:
    [row] = where(tables["summary"], matrix="own pair, topic left out")
    held = abs(row["bias"]) < 0.02 and row["correlation"] > 0.7
    numbers = f"bias {span(row, 'bias', '+.3f')}, RMSE {span(row, 'rmse')}, r = {span(row, 'correlation', '.2f')}"
    numbers += f", {row['points']} points, intervals over topics"
    return CONFIRMED if held else NOT_CONFIRMED, numbers


def own_matrix_is_better(tables: Tables) -> tuple[str, str]:
    [own] = where(tables["summary"], matrix="own pair, topic left out")
    [pooled] = where(tables["summary"], matrix="all pairs pooled")
    better = own["rmse"] < pooled["rmse"] / 1.1
    text = f"RMSE {span(own, 'rmse')} with the pair's own matrix, {span(pooled, 'rmse')} with one for all pairs"
    return CONFIRMED if better else NOT_CONFIRMED, text


def weights_follow_p(tables: Tables) -> tuple[str, str]:
    rows = where(tables["Table 1"], grade="Rel")
    worst = max(rows, key=lambda r: abs(r["counted"] - r["predicted"]))
    printed = max(abs(r["counted"] - r["printed.counted"]) for r in rows)
    return (
        CONFIRMED if abs(worst["counted"] - worst["predicted"]) < 0.02 else NOT_CONFIRMED,
        f"furthest apart: counted {about(worst['counted'], worst['sd'])}, predicted {worst['predicted']:.3f}; "
        f"counted and printed differ by at most {printed:.3f}",
    )


def good_lists_have_higher_p(tables: Tables) -> tuple[str, str]:
    good, poor = (where(tables["Table 3"], lists=k, grade="Rel")[0] for k in ("with a top label", "without"))
    held = good["p"] > 2 * poor["p"]
    one, two = (share(r["p"], r["labels"]) for r in (good, poor))
    return CONFIRMED if held else NOT_CONFIRMED, f"p(top given Rel) {one} with a top label, {two} without"


def corrected_hold(tables: Tables) -> tuple[str, str]:
    rows = [r for r in tables["coverage"] if r["method"] in ("rectified", "auto")]
    least = min(rows, key=lambda r: r["coverage"])
    naive = min(r["coverage"] for r in tables["coverage"] if r["method"] == "naive")
    held = least["coverage"] > 0.93
    return (
        CONFIRMED if held else PARTLY,
        f"least coverage {about(least['coverage'], least['mc_error'])} ({least['setting']}, {least['method']}); "
        f"naive down to {naive:.3f}",
    )


def matrix_breaks(tables: Tables) -> tuple[str, str]:
    rows = [r for r in tables["coverage"] if r["method"] == "confusion"]
    least = min(rows, key=lambda r: r["coverage"])
    return (
        CONFIRMED if least["coverage"] < 0.9 and "differential" in least["setting"] else NOT_CONFIRMED,
        f"confusion covers {about(least['coverage'], least['mc_error'])} in the setting '{least['setting']}'",
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
        text = "; ".join(
            f"{about(one['pnoise'], one['se'])} against {about(two['pnoise'], two['se'])} (blur {b:g})"
            for b, one, two in pairs
        )
        return CONFIRMED if len(won) == len(pairs) else PARTLY if won else NOT_CONFIRMED, text

    return rule


def aware_beats(*others: str) -> Callable[[Tables], tuple[str, str]]:
    def rule(tables: Tables) -> tuple[str, str]:
        value = {r["approach"]: r for r in tables["approaches"]}
        ours = [a for a in value if a not in ("uni", "mv", "emmv", "emneu")]
        best = max(ours, key=lambda a: value[a]["tau_ap"])
        median = sorted(value[a]["tau_ap"] for a in ours)[len(ours) // 2]
        apart = value[best]["tukey"]
        rivals = max(value[o]["tau_ap"] for o in others) + apart
        verdict = CONFIRMED if median > rivals else PARTLY if value[best]["tau_ap"] > rivals else NOT_CONFIRMED
        shown = ", ".join(f"{o} {value[o]['tau_ap']:.3f}" for o in others)
        text = f"τ_ap: best estimator {value[best]['tau_ap']:.3f} ({best}), median {median:.3f}; {shown}"
        return verdict, f"{text}; means differ that are more than {apart:.3f} apart (Tukey)"

    return rule


def rbp_saturates(tables: Tables) -> tuple[str, str]:
    index = {r["measure"]: r["index"] for r in tables["indices"]}
    eight, fiftynine = index["RBP(p=0.8)"], index["RBP(p=0.95)"]
    return CONFIRMED if (eight, fiftynine) == (8, 59) else REFUTED, f"RBP(0.8) at {eight}, RBP(0.95) at {fiftynine}"


def test_goes_blind(tables: Tables) -> tuple[str, str]:
    by = {r["rank"]: r for r in where(tables["separation"], measure="RBP(p=0.8)")}
    held = by[4]["share"] > 0.95 and by[12]["share"] < 0.2
    text = ", ".join(f"{about(by[rank]['share'], by[rank]['se'])} at rank {rank}" for rank in (4, 8, 12))
    return CONFIRMED if held else NOT_CONFIRMED, f"told apart in a share of trials of {text}"


def recall_makes_mp_ap(tables: Tables) -> tuple[str, str]:
    rows = [r for r in tables["with AP"] if r["measure"].startswith("MP")]
    times = min((r for r in rows if "rec=True" in r["measure"]), key=lambda r: r["low"])
    plain = max((r for r in rows if "rec=True" not in r["measure"]), key=lambda r: r["high"])
    one, two = (f"{r['tau']:.3f} [{r['low']:.3f}, {r['high']:.3f}]" for r in (times, plain))
    held = times["tau"] > 0.9 > plain["tau"]
    return CONFIRMED if held else PARTLY, f"τ with AP at least {one} times recall, at most {two} without (over topics)"


def bpref_robust(tables: Tables) -> tuple[str, str]:
    tau = {r["measure"]: r["10"] for r in tables["pool_tau"]}
    spread = {r["measure"]: r["10"] for r in tables["pool_tau_sd"]}
    bpref = next(m for m in tau if m.startswith("Bpref"))
    second = max((m for m in tau if m != bpref), key=lambda m: tau[m])
    one, two = (f"{tau[m]:.3f} (sd over pools {spread[m]:.3f})" for m in (bpref, second))
    held = tau[bpref] > tau[second]
    return CONFIRMED if held else NOT_CONFIRMED, f"τ {one} with 10 % of the pool, next {two}, {second}"


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
    text = f"significantly better in {len(better)} of {len(rows)} set × size cells, worse in {len(worse)}; "
    text += f"differences from {min(r['difference'] for r in rows):+.3f} to {max(r['difference'] for r in rows):+.3f}"
    return CONFIRMED if len(better) == len(rows) else PARTLY if len(better) > len(worse) else NOT_CONFIRMED, text


def anytime_holds(tables: Tables) -> tuple[str, str]:
    worst = max(tables["failures"], key=lambda r: r["ruling"])
    text = f"fails at some look on a share of at most {share(worst['ruling'], worst['paths'])} of the paths"
    return CONFIRMED if worst["ruling"] <= 0.05 else REFUTED, text


def pooled_orders(tables: Tables) -> tuple[str, str]:
    def mean(method: str) -> tuple[float, float]:
        rows = [r for r in tables["audits"] if r["method"] == method and r["tau"] is not None]
        return sum(r["tau"] for r in rows) / len(rows), sum(r["tau_se"] ** 2 for r in rows) ** 0.5 / len(rows)

    taus = {m: mean(m) for m in ("naive", "rectified", "pooled")}
    held = taus["pooled"][0] >= max(taus["naive"][0], taus["rectified"][0]) - 0.005
    return CONFIRMED if held else PARTLY, ", ".join(f"τ {about(*v)} {m}" for m, v in taus.items())


def variances_add(tables: Tables) -> tuple[str, str]:
    by = {r["quantity"]: r["computed"] for r in tables["section 6"]}
    added, joint = by["se of the difference, variances added"], by["se of the difference, one judge"]
    p_added, p_joint = by["p, variances added (eq. 11)"], by["p, one judge"]
    held = abs(added / joint - 1) < 0.1
    text = f"se {added:.4f} and p = {p_added:.3f} by eq. 10; {joint:.4f} and p = {p_joint:.3f} by the joint covariance"
    return CONFIRMED if held else REFUTED, text


def em_under_dependence(tables: Tables) -> tuple[str, str]:
    value = {r["approach"]: r["tau_ap"] for r in tables["approaches"]}
    apart = tables["approaches"][0]["tukey"]
    better = [name for name in ("emmv", "emneu") if value[name] > value["mv"] + apart]
    text = f"τ_ap: emmv {value['emmv']:.3f}, emneu {value['emneu']:.3f}, majority {value['mv']:.3f}"
    text += f"; means differ that are more than {apart:.3f} apart (Tukey)"
    return CONFIRMED if len(better) == 2 else PARTLY if better else NOT_CONFIRMED, text


def pooled_gains(tables: Tables) -> tuple[str, str]:
    rows = tables["gain"]
    held = all(
        r["rmse_ratio"] <= 0.65 and r["tau_gain"] >= 0.07 and r["apart_ratio"] >= 1.25 and r["covered"] >= 0.93
        for r in rows
    )
    text = "; ".join(
        f"{r['judge'].removeprefix('qrels.')}: RMSE {span(r, 'rmse_ratio', '.2f')} of rectified, "
        f"τ {span(r, 'tau_gain', '+.2f')}, {span(r, 'apart_ratio', '.2f')} times as many pairs told apart, "
        f"covered {span(r, 'covered')} ({r['audits']} audits)"
        for r in rows
    )
    return CONFIRMED if held else NOT_CONFIRMED, text


def few_labels_hold(tables: Tables) -> tuple[str, str]:
    rows = tables["cells"]
    scores, pairs = min(rows, key=lambda r: r["scores"]), min(rows, key=lambda r: r["differences"])
    failed, refused = sum(r["fails"] for r in rows), max(r["refused"] for r in rows)
    text = f"{failed} of {len(rows)} cells of {rows[0]['audits']} audits fail, at most {refused:.0%} of a cell refused"
    text += f"; least coverage {scores['scores']:.3f} (upper limit {scores['scores_high']:.3f}) of scores, "
    text += f"{pairs['differences']:.3f} ({pairs['differences_high']:.3f}) of differences"
    return CONFIRMED if not any(r["fails"] for r in rows) else NOT_CONFIRMED, text


def power_holds(tables: Tables) -> tuple[str, str]:
    rows = tables["labels needed"]
    worst = max(rows, key=lambda r: abs(r["power"] - r["asked"]))
    held = abs(worst["power"] - worst["asked"]) <= 0.05 + 2 * worst["mc_error"]
    text = ", ".join(f"{r['power']:.2f} for {r['asked']:.2f}" for r in rows)
    return CONFIRMED if held else NOT_CONFIRMED, f"power {text} (Monte Carlo error {worst['mc_error']:.2f})"


CLAIMS = [
    Claim("The ceiling predicts what one judge's ranking scores by another judge", "S0, Fig. 1", "ceiling-dl23",
          ceiling_predicts),
    Claim("A more accurate confusion matrix predicts better: the pair's own rather than one for all", "S0, Fig. 1",
          "ceiling-dl23", own_matrix_is_better),
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
    Claim("EM comes closer than the majority vote where judges share their errors", "this tool", "aware-shared",
          em_under_dependence),
    Claim("RBP's balancing index saturates", "S4, Fig. 3.3", "balancing", rbp_saturates),
    Claim("A t test on RBP(0.8) stops seeing differences below rank 8", "S4, Fig. 3.5", "balancing", test_goes_blind),
    Claim("Markov Precision times recall ranks systems as AP does, without it it does not", "S4, Table 5.3",
          "markov-dl21", recall_makes_mp_ap),
    Claim("bpref's ranking survives small pools best", "S4, Fig. 5.6", "markov-dl21", bpref_robust),
    Claim("bpref's ranking survives small pools best, ten runs and one assessor", "S4, Fig. 5.6", "markov-robust03",
          bpref_robust),
    Claim("Continuous-time Markov Precision of three runs", "S4, Table 5.4", "markov", continuous_time),
    Claim("Markov Precision is a measure of effectiveness", "S4, ch. 5 against ch. 3", "axioms", mp_is_no_measure),
    Claim("nMCG-MART gains at every size", "S4, Table 5.5", "dynamics", nmcg_gains),
    Claim("Sets that hold at every look leave out the truth on at most 5 % of the paths", "this tool", "sequential",
          anytime_holds),
    Claim("Pooling the judge's bias over systems orders them at least as well as any other way", "this tool", "pooled",
          pooled_orders),
    Claim("Corrected nDCG, AP, ERR and RR of real runs keep their level with 100 labels, or are refused", "this tool",
          "few-labels-100", few_labels_hold),
    Claim("Corrected nDCG, AP, ERR and RR of real runs keep their level with 200 labels", "this tool",
          "few-labels-200", few_labels_hold),
    Claim("Corrected nDCG, AP, ERR and RR of real runs keep their level with 1,000 labels", "this tool",
          "few-labels-1000", few_labels_hold),
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
            "otherwise generated: a verdict on generated data holds for data like these. Intervals are of 95 %.",
            "'Not run' is said of parts that have not been run to their end.",
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
