"""Measures averaged over intents, and how many intents are covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Bools, Floats
from dissensus.measures.families.intent_measure import IntentMeasure
from dissensus.measures.families.novelty import NoveltyGain
from dissensus.measures.linear import by_system, lengths, over_pool, reciprocal

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class AP_IA(IntentMeasure):
    """Mean over intents of AP (Agrawal et al. 2009)."""

    formula = "(1/M) Σ over intents of AP"
    user = "has one of the intents with equal chances, and does what AP's user does"
    reference = "Agrawal, Gollapudi, Halverson & Ieong 2009"
    takes_cutoff = False
    more_is_more = False  # a relevant document found late lowers AP

    def of_ranking(self, ranking: Bools, pool: Bools) -> float:
        precision = np.cumsum(ranking, axis=0) / np.arange(1, len(ranking) + 1)[:, None]
        return float(np.mean(np.where(ranking, precision, 0.0).sum(axis=0) / pool.sum(axis=0)))

    def scores(self, joined: Joined) -> Floats:
        counts, number = self.intent_counts(joined)
        share = np.where(counts > 0, 1.0 / np.maximum(counts, 1), 0.0)
        inverse = reciprocal(int(joined.length.max(initial=0)))
        # the n-th document about an intent is worth n: precision is n/r
        return over_pool(
            self.intent_sums(joined, self.relevant_lists(joined), inverse, step=1.0, share=share), joined, number
        )


@dataclass(frozen=True)
class P_IA(IntentMeasure):
    """Mean over intents of P@k (without k: of the whole ranking)."""

    formula = "Σ_{r≤k} |intents of document r| / (k·M)"
    user = "has one of the intents with equal chances, reads k results and counts the relevant ones"
    reference = "Agrawal, Gollapudi, Halverson & Ieong 2009"

    def of_ranking(self, ranking: Bools, pool: Bools) -> float:
        depth = self.cutoff or max(len(ranking), 1)
        return float(ranking[:depth].sum() / (depth * pool.shape[1]))

    def scores(self, joined: Joined) -> Floats:
        _, number = self.intent_counts(joined)
        everywhere = np.ones(int(joined.length.max(initial=0)))
        sums = self.intent_sums(joined, self.relevant_lists(joined), everywhere)
        depth = np.maximum(lengths(joined), 1)[None] if self.cutoff is None else self.cutoff
        base = np.where(number > 0, number, np.nan).T[:, None] * depth
        return np.asarray(by_system(sums, joined) / base, np.float64)


@dataclass(frozen=True)
class StRecall(NoveltyGain):
    """The share of the intents that the first k documents (without k: all) are about (Zhai, Cohen & Lafferty 2003)."""

    formula = "|intents covered by the first k| / M"
    user = "has one of the intents with equal chances, and is content with one document about it"
    reference = "Zhai, Cohen & Lafferty 2003"

    @property
    def kept(self) -> float:
        return 0.0  # only the first document about an intent counts

    def discount(self, n: int) -> Floats:
        return np.ones(n)
