"""How the numbers of a report were made, in a few sentences each; the page links every number to its entry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MethodEntry:
    """What a method does, its formula, when not to believe it, where it comes from, and its documentation page."""

    title: str
    text: str
    formula: str
    caution: str
    reference: str
    page: str


METHODS: dict[str, MethodEntry] = {
    "score": MethodEntry(
        "Scores by assessor",
        "Every system is scored on every topic by the labels of one assessor, and averaged over topics.",
        "score = mean over topics of measure(ranking | labels)",
        "A naive score repeats its judge's errors; no number of topics averages them away.",
        "",
        "look-up/conformance.html",
    ),
    "rectified": MethodEntry(
        "Rectified scores",
        "The judge's labels give a first score; the expert audit measures how wrong it is, document by document, and "
        "the difference is added. Nothing is assumed about where the judge errs.",
        "X = Σ w [ f(J) + (I/π)(v(G) − f(J)) ],  f(J) = mean gold value given the judge's label J",
        "Needs known inclusion probabilities; a few documents with large w/π make it shaky, and are named.",
        "Angelopoulos et al. 2023.",
        "understand/correction.html",
    ),
    "pooled": MethodEntry(
        "Pooled scores and their order",
        "What a small audit says of the judge's bias for one system is noisy. Pooled scores estimate the biases of all "
        "systems together: each is drawn towards what systems like it share, the more the less the audit says. "
        "They serve the order and what is called likely; what is called shown rests on corrected differences alone.",
        "pooled = naive − E[b],  b̂ | b ~ N(b, C),  b = Xβ + u,  u ~ N(0, τ₁²K + τ₂²I)",
        "Rests on a model: a system that the judge treats unlike all others is drawn towards them.",
        "Fay & Herriot 1979.",
        "understand/correction.html",
    ),
    "bias": MethodEntry(
        "Where a judge errs",
        "Among documents of the same gold grade, does the judge's label go with length, rank, query terms, the systems "
        "that show the document, or the topic? One feature at a time, in units of the score.",
        "v(J) = a(G) + β x + e, weights 1/π, sandwich by topic, Holm over features",
        "A feature that goes with the error need not cause it; small audits find only gross biases.",
        "",
        "understand/judges.html",
    ),
    "replaceability": MethodEntry(
        "May a judge replace an assessor?",
        "Each human is left out in turn: who is nearer to the others, the judge or the human?",
        "H0: mean(W^h − W^f) ≥ ε, one-sided t over topics, Benjamini–Yekutieli over humans; passes at ω ≥ .5",
        "Being as near to the others as one of them is not being right.",
        "Calderon, Reichart & Dror 2025.",
        "understand/judges.html",
    ),
    "drift": MethodEntry(
        "Two versions of a judge",
        "The same documents labelled twice: what flipped, whether more in one direction, and what it does to error "
        "rates and to the order of systems.",
        "Bowker's Σ (n_ij − n_ji)²/(n_ij + n_ji), versions exchanged topic by topic",
        "",
        "McNemar 1947; Bowker 1948.",
        "understand/judges.html",
    ),
    "carry-over": MethodEntry(
        "Does a calibration hold for a new run?",
        "The share of the new run's weight on documents that no calibrated run shows, and, on audited documents of the "
        "new run, how far the calibrated score is off.",
        "mean over topics of Σ (w/π)(v(G) − f(J)), t interval, held against ± the margin: pass, fail, cannot tell",
        "Without audited documents of the new run only a run with hardly any new documents passes.",
        "",
        "understand/judges.html",
    ),
    "multiverse": MethodEntry(
        "The same systems under every judge",
        "Each judge's labels score all systems, and all pairs are tested as if that judge were the only one.",
        "judge × system × topic: paired t, max-t over the pairs of each judge",
        "The judges are no random sample: every share is of these judges.",
        "Steegen et al. 2016.",
        "how-to/prompts.html",
    ),
    "matrix": MethodEntry(
        "Matrix correction",
        "The judge's confusion matrix is inverted: corrected gains are what the labels are worth on average.",
        "h = C⁻¹ v;  with two grades ĝ = (j̄ − 1 + Sp)/(Se + Sp − 1)",
        "Right only if the judge errs equally on every system's documents; beside an audit it is a check, no more.",
        "Rogan & Gladen 1978.",
        "understand/correction.html",
    ),
    "compare": MethodEntry(
        "Comparing systems",
        "Differences are taken topic by topic, under one judge, so that what the systems share cancels. Intervals and "
        "p-values hold for all pairs together (max-t): one system is called better than another only where the "
        "interval lies on one side of zero.",
        "difference ± q·se, q from the largest |z| of all pairs, drawn with their joint correlation",
        "A difference that was not detected is not a difference that was shown to be zero.",
        "Westfall & Young 1993; Schäfer & Strimmer 2005.",
        "understand/comparison.html",
    ),
    "diagnosis": MethodEntry(
        "Diagnosis of a pair",
        "The same difference through the judge's confusion matrix beside the rectified one, Hausman's test of the two, "
        "and the judge's errors on documents that only one of the systems shows.",
        "z = (Δ_rectified − Δ_matrix)/se;  f* = 1/(1 + [p·Se(1−Se) + (1−p)Sp(1−Sp)]/(D²·E[f(1−f)]))",
        "Hausman's test has little power: a large p does not show that the matrix holds.",
        "Hausman 1978.",
        "understand/correction.html",
    ),
    "ranks": MethodEntry(
        "Ranks",
        "A system's rank is one more than the number of systems that are better. The verdicts on all pairs, adjusted "
        "together, say how good or bad it can be; where no verdict is wrong, all true ranks lie within their sets.",
        "rank ∈ [1 + systems shown better, S − systems shown worse]",
        "Ranks among these systems only; a wide set says that the data do not tell, not that the systems are equal.",
        "Mogstad, Romano, Shaikh, Wilhelm 2024.",
        "understand/comparison.html",
    ),
    "plan": MethodEntry(
        "What would settle it",
        "From the variance between topics and the judge's error follow the smallest difference that would be found "
        "with 80% power, and the topics or labels needed for the differences seen.",
        "detectable = (z.975 + z.80)·se",
        "Growing an audit until the difference is significant voids the p-value.",
        "",
        "understand/planning.html",
    ),
    "agreement": MethodEntry(
        "Agreement",
        "How often assessors give the same document the same grade, beyond what chance would give.",
        "κ = (P_o − P_e)/(1 − P_e);  α = 1 − D_o/D_e",
        "Agreement is not correctness: two assessors may be wrong together.",
        "Cohen 1960; Krippendorff 2004.",
        "understand/agreement.html",
    ),
    "strata": MethodEntry(
        "Scores by agreement",
        "Topics are split into thirds by how far the assessors agree on their documents, and systems are scored in "
        "each; topics without a document judged twice stand apart. τ_ap compares the orders, beside what a random "
        "split of the topics would give.",
        "agreement of a topic = mean over its documents of agreeing pairs of labels / pairs of labels",
        "Topics on which judges agree may just be easy; and judges who agree may be wrong together.",
        "Yilmaz, Aslam, Robertson 2008.",
        "understand/agreement.html",
    ),
    "confusion": MethodEntry(
        "Confusion",
        "For every grade of the reference, how often the judge gave each grade. Rows sum to one.",
        "c_ij = P(judge says j | reference says i)",
        "Where the reference is the other judges' majority, their common errors look like this judge's.",
        "",
        "understand/agreement.html",
    ),
    "merge": MethodEntry(
        "Merging judges",
        "Majority vote counts heads; EM (Dawid and Skene) learns each judge's confusion and weighs votes by it.",
        "P(G = g | labels) ∝ p_g Π_k c^k_{g, label_k}",
        "Both assume that judges err independently; EM is not identified with fewer than three of them.",
        "Dawid & Skene 1979.",
        "understand/merging.html",
    ),
    "aware": MethodEntry(
        "AWARE",
        "Scores, not labels, are merged: assessors whose scores are unlike those of random judges weigh more.",
        "aware(t, run) = Σ_k a_k · m(t, run | k)",
        "Rewards being unlike a coin, not being right: a judge who is consistently wrong keeps its weight.",
        "Ferrante, Ferro, Maistro 2017.",
        "understand/aware.html",
    ),
    "tau": MethodEntry(
        "Agreement of orders",
        "Kendall's τ counts pairs of systems in the same order; τ_ap counts mistakes at the top more.",
        "τ = (concordant − discordant)/pairs",
        "With few systems one swap moves τ by a lot.",
        "Kendall 1938; Yilmaz, Aslam, Robertson 2008.",
        "understand/correlation.html",
    ),
    "ceiling": MethodEntry(
        "The ceiling",
        "The expected score of a ranking that is perfect for one judge, scored by another: what one more judge's "
        "perfect ranking would score.",
        "E[ measure(order by A's labels | B's labels) ]",
        "A ranker that knows several judges may pass it; shares over 100% are shown.",
        "Metrikov, Pavlu, Aslam 2012.",
        "understand/ceiling.html",
    ),
    "weights": MethodEntry(
        "Grade weights",
        "What a grade is worth to users who may disagree with the judge: the probability that some of N users call a "
        "document top when one called it so.",
        "W_i = P(at least M of N users say top | one of them said i)",
        "Estimated from pairs of judges; independent users are assumed beyond pairs.",
        "Demeester, Aly, Hiemstra, Nguyen, Trieschnigg, Develder 2014.",
        "understand/disagreement.html",
    ),
    "measures": MethodEntry(
        "Measures and their users",
        "A measure is a model of a user: how deep one reads, and what a grade is worth.",
        "Σ_r w(r)·v(g_r) for linear measures",
        "",
        "Moffat & Zobel 2008; Carterette 2011.",
        "understand/measures.html",
    ),
    "interval": MethodEntry(
        "Intervals",
        "95% intervals take topics as a sample of all topics; the judge's error is in them where an audit was given.",
        "mean ± t · sd/√n",
        "Under ten topics intervals are unreliable, and marked.",
        "",
        "understand/comparison.html",
    ),
    "policies": MethodEntry(
        "Policies and counts",
        "How ties, missing topics, unjudged documents and topics without relevant documents were treated.",
        "",
        "",
        "",
        "look-up/conformance.html",
    ),
}
