"""What columns mean: each column that occurs in many tables is described once, for every window and every page.

A table that uses a name in a sense of its own says so where it is made (`Table.of(frame, {"judge": "…"})`).
`{interval}` becomes "95% interval" where the table knows its level. The ends of an interval follow from its column:

    >>> import polars as pl
    >>> describe("tau_low", pl.Float64(), {}, level=0.95)[1]
    "lower end of the 95% interval of Kendall's tau between two orders of systems"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

#: `number` has as many decimals as the reader asks for, `p` the form of p-values, `share` is a percentage
Format = Literal["text", "count", "number", "p", "share"]

MEANINGS: dict[str, str] = {
    # who and what
    "system": "name of the system",
    "systems": "number of systems",
    "topic": "id of the topic",
    "topics": "number of topics that count",
    "doc": "id of the document",
    "documents": "number of documents",
    "assessor": "judge who gave the labels",
    "assessors": "number of judges",
    "judge": "name of the judge",
    "measure": "name of the measure",
    "grade": "label on the scale",
    "labels": "number of labels",
    "answers": "number of answers",
    "n": "number of observations",
    "count": "how often it occurs",
    "note": "remark on this row",
    "notes": "remarks on this row",
    "method": "how the number was computed",
    "rank": "position, 1 is first",
    "score": "mean score",
    "value": "value of the coefficient",
    "weight": "share in the merged score",
    "seed": "seed of the random draws",
    "stratum": "third of the topics, by how much the judges agree",
    # estimates
    "estimate": "estimate",
    "se": "standard error",
    "low": "lower end of the {interval}",
    "high": "upper end of the {interval}",
    "naive": "score using the judge's labels, uncorrected",
    "corrected": "score corrected for the judge's errors",
    "pooled": "score or difference that pools all systems, by a model of the judge's errors",
    "gold": "score from the audited documents alone",
    "truth": "score using the true labels",
    "covered": "whether the interval contains the true score",
    "observed": "what the judge's labels give",
    "D": "sensitivity plus specificity minus 1: how well the judge separates the labels",
    "admissible": "whether the estimate lies in the possible range",
    "wald": "Wald's estimate",
    "detectable": "smallest difference that would be detected with the power asked for",
    # comparisons
    "a": "first system of the pair",
    "b": "second system of the pair",
    "difference": "score of a minus score of b",
    "p_value": "p-value of the difference, adjusted for the family of comparisons where that is said",
    "p_wald": "p-value of Wald's test",
    "p_fieller": "p-value of Fieller's test",
    "naive_p": "p-value using the judge's labels, uncorrected, not adjusted",
    "significant": "whether the interval excludes 0",
    "adjusted": "how p-values and intervals are adjusted for the number of comparisons",
    "verdict": "what may be said about the pair",
    "claim": "what may be said: better, probably better by the pooled model alone, or undecided",
    "effect": "difference in standard deviations of the topics' differences",
    "base_score": "score of the system in use",
    "new_score": "score of the new system",
    "decision": "pass, fail or cannot tell",
    "p_worse": "p-value against the new system being worse by the tolerance",
    "p_good": "p-value against the new system being better",
    "outcome": "pass, fail or cannot tell",
    "decided": "whether the pair is decided after so many labels",
    "tau": "Kendall's tau between two orders of systems",
    "tau_ap": "tau that counts the top of the order more",
    "rbo": "rank-biased overlap of two orders of systems",
    "reference": "the order compared with",
    "other": "the other order",
    "with_order": "the order compared with",
    # agreement
    "coefficient": "name of the coefficient",
    "assessor_a": "first judge of the pair",
    "assessor_b": "second judge of the pair",
    "percent": "share of shared documents with the same label",
    "overlap": "relevant to both, as a share of relevant to either",
    "kappa": "Cohen's kappa: agreement beyond chance, 1 is perfect",
    "kappa_linear": "kappa that counts near misses in part, linearly",
    "kappa_quadratic": "kappa that counts near misses in part, by squares",
    "alpha": "Krippendorff's alpha",
    "alpha_nominal": "Krippendorff's alpha, labels without order",
    "alpha_ordinal": "Krippendorff's alpha, labels in order",
    "agreement": "share of pairs of labels that are equal",
    "shared": "number of documents that both judged",
    "share": "share of all",
    "excess": "agreement beyond what shared true labels explain",
    "explained": "agreement that true labels explain",
    "correlation": "correlation of the errors",
    "z": "standard errors from 0",
    "discrimination": "how well the judge separates the labels",
    "looks": "what the labels look like, where they look odd",
    "favourite": "label given most often",
    "favourite_share": "share of the label given most often",
    "by_chance": "agreement by chance alone",
    "same": "share of repeated judgments with the same label",
    "pairs": "number of pairs",
    "omega": "winning rate: share of people who are matched",
    "rho": "average advantage over one of the people",
    "may replace": "whether the judge may replace one of the people",
    "biases": "whom or what the judge favours",
    # labels and confusion
    "probability": "probability",
    "accuracy": "share of labels that are right",
    "log_loss": "minus the mean logarithm of the probability of the true label",
    "inclusion": "probability with which the document was chosen",
    "p": "share of judges who give the top label, given one who gives this one",
    "empirical": "weight counted directly from the labels",
    "empirical.labels": "labels behind the counted weight",
    "rise": "p minus that of the lowest grade",
    "reliable": "whether p is shown to exceed that of the lowest grade",
    # preferences
    "item": "document or system that is preferred",
    "strength": "Bradley–Terry strength, mean 0",
    "win_rate": "share of comparisons won",
    "first_preferred": "share of answers for the document shown first",
    "n_decided": "number of answers that decide",
    "doc_a": "document shown first",
    "doc_b": "document shown second",
    "answer": "which was preferred",
    # noise
    "dnoise": "share of labels that differ",
    "pnoise": "share of ordered pairs that noise changes",
    "ordered": "number of ordered pairs",
    "inverse": "number of pairs whose order is reversed",
    "new": "number of pairs that were tied and are ordered now",
    # users, theory
    "class": "class of queries",
    "visits": "number of clicks",
    "departures": "number of moves from this rank",
    "stationary": "long-run share of clicks at this rank",
    "holding": "rate at which the user leaves this rank",
    "dwells": "number of dwell times",
    "property": "property that is checked",
    "holds": "whether it holds",
    "violations": "number of pairs that break it",
    "unchanged": "number of pairs with equal scores",
    "worse": "the ranking that should score less",
    "better": "the ranking that should score more",
    "score_worse": "score of the worse ranking",
    "score_better": "score of the better ranking",
    "length": "length of the ranking",
    "index": "balancing index: rank from which the lower grades outweigh one document of the higher grade",
    "index / length": "balancing index as a share of the length",
    "depth": "ranks considered",
    "r": "documents of this grade or better in the first ranking",
    "s": "documents of this grade or better in the second ranking",
    "relation": "which ranking has more",
    "inversion": "whether this cell contradicts the others",
    "ceiling": "score of a perfect ranker for one judge, under another",
    "expected": "expected value",
    "sampled": "value over sampled rankings",
    # judges, looked at
    "feature": "feature of the documents",
    "kind": "kind of the row",
    "units": "number of topics or documents that are resampled",
    "judge_nearer": "share of cases in which the judge is at least as near to the others",
    "human_nearer": "share of cases in which the person is at least as near to the others",
    "replaceable": "whether the judge may replace this person",
    "change": "value now minus value before",
    "old": "value or label before",
    "better_old": "system that was better before",
    "better_new": "system that is better now",
    "by_old": "difference before",
    "by_new": "difference now",
    "top_k": "share of the first k in common",
    "model": "name of the model",
    "perplexity": "perplexity on clicks held out, 1 is perfect",
    "parameters": "number of parameters",
    "unlike": "share of the weight on documents unlike the calibrated ones",
    "residual": "error of the calibrated score on probed documents",
    "margin": "error that is allowed",
    "probed": "number of probed documents",
    "n_topics": "number of topics",
    "omitted": "number left out",
    # audits
    "draw": "place in the committed order",
    "covers": "what the audit is for: scores, differences or pooled scores",
    "unit": "what is drawn: documents or whole topics",
    "half_width": "half the width of the interval that so many labels give",
    "useless": "whether the interval would say nothing",
    "rate": "rate with which the document is drawn",
    "next_key": "key of the next document in the order",
    "rule": "rule that gives the set",
    "multiplier": "multiplier of the standard error",
    "n_eff": "effective number of topics",
    "queries": "number of topics needed",
    "power": "chance to detect the difference",
    # training
    "level": "level of noise",
    "profile": "kind of noise",
    "ranker": "name of the ranker",
    "data": "name of the data",
    "relative": "score as a share of the score without noise",
    "predicted": "predicted score",
    "actual": "score that was reached",
    "metric": "name of the measure",
    "mean": "mean",
    "sd": "standard deviation",
    "beta": "parameter of the curve",
    "gamma": "parameter of the curve",
    "ranks": "number of ranks fitted",
    "rmse": "root mean squared error",
    "held_out": "log-loss on labels held out",
    "tempered": "log-loss on labels held out, after tempering",
    "exponent": "exponent of the tempering",
    "rounds": "number of rounds",
    "converged": "whether it converged",
    "gold_topics": "number of topics with gold scores",
    # files and checks
    "severity": "how bad it is",
    "what": "what was found",
    "where": "the file and line",
    "examples": "the first cases",
    "way_out": "what to do about it",
    "file": "the file",
    "is": "what the file is",
    "command": "the command",
    "for": "what the command is for",
    "needs": "what is missing for the command",
    "experiment": "name of the experiment",
    "about": "what it is about",
    "source": "source of variation",
    "ss": "sum of squares",
    "ms": "mean square",
    "df": "degrees of freedom",
    "f": "F statistic",
    "omega2": "effect size ω²",
}
TITLES: dict[str, str] = {
    "low": "lower",
    "high": "upper",
    "p_value": "p",
    "doc": "document",
    "is": "kind",
    "way_out": "way out",
}
FORMATS: dict[str, Format] = dict.fromkeys(("p_value", "naive_p", "p_worse", "p_good", "p_wald", "p_fieller"), "p")
UNKNOWN = "{name} (not described)"  # no table of a verb has one: a test sees to it
#: columns named after another one: ending, meaning, title
_PARTS = (
    ("_low", "lower end of the {interval} of %s", "%s lower"),
    ("_high", "upper end of the {interval} of %s", "%s upper"),
    ("_corrected", "%s, corrected for the noise of so few topics", "%s corrected"),
    (".low", "lower end of the {interval} of %s", "%s lower"),
    (".high", "upper end of the {interval} of %s", "%s upper"),
    ("_se", "standard error of %s", "%s se"),
    (".se", "standard error of %s", "%s se"),
)


def describe(
    name: str, dtype: pl.DataType, own: Mapping[str, str], rest: str | None = None, level: float | None = None
) -> tuple[str, str, Format]:
    """Title, meaning and format of a column: by the table's own words, by the vocabulary, or by `rest`."""
    known = meaning_of(name, own)
    meaning = known or (UNKNOWN if rest is None else rest).replace("{name}", name)
    words = "interval" if level is None else f"{100 * level:g}% interval"
    title = title_of(name) if known else name  # of a measure, a judge or a system: not ours to rewrite
    return title, meaning.replace("{interval}", words), _format(name, dtype)


def meaning_of(name: str, own: Mapping[str, str] | None = None) -> str:
    """What a column means; empty where nothing says it."""
    found = (own or {}).get(name) or MEANINGS.get(name)
    if found:
        return found
    for ending, words, _ in _PARTS:
        base = name.removesuffix(ending)
        if base and base != name:
            return words % (meaning_of(base, own) or base)
    return ""


def title_of(name: str) -> str:
    """The title of a column for people.

    >>> title_of("low"), title_of("tau_low"), title_of("nDCG@10"), title_of("kappa_linear")
    ('lower', 'tau lower', 'nDCG@10', 'kappa linear')
    """
    if name in TITLES:
        return TITLES[name]
    for ending, _, title in _PARTS:
        base = name.removesuffix(ending)
        if base and base != name:
            return title % title_of(base)
    return name.replace("_", " ")


def _format(name: str, dtype: pl.DataType) -> Format:
    if not dtype.is_numeric():
        return "text"
    return FORMATS.get(name) or ("count" if dtype.is_integer() else "number")
