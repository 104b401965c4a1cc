"""Top-k labelling: the right order within the promised number of questions."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from dissensus.errors import InputError
from dissensus.label_noise.pairs import pair_noise
from dissensus.learning.labelling import top_k_labelling
from dissensus.tables.judgments import Judgments


@given(st.lists(st.integers(), min_size=1, max_size=60, unique=True), st.integers(1, 70))
@settings(max_examples=150, deadline=None)
def test_order_and_number_of_questions(documents, k):
    asked = []

    def prefer(a, b):
        asked.append(frozenset((a, b)))
        return a > b

    result = top_k_labelling(documents, prefer, k)
    wanted = min(k, len(documents))
    assert list(result.order) == sorted(documents, reverse=True)[:wanted]
    assert set(result.order) | set(result.rest) == set(documents)
    n = len(documents)
    assert result.questions == len(asked) == len(set(asked))
    assert result.questions <= n - 1 + (wanted - 1) * ceil(log2(max(n, 2)))


def test_far_fewer_questions_than_pairs():
    documents = np.random.default_rng(0).permutation(1000).tolist()
    assert top_k_labelling(documents, lambda a, b: a > b, 10).questions < 1090


def test_judgments_rank_the_top_and_tie_the_rest():
    result = top_k_labelling(["a", "b", "c", "d"], lambda x, y: x > y, 2)
    judgments = result.judgments("7", "ann")
    assert dict(zip(judgments.doc_ids(), judgments.grade.tolist(), strict=True)) == {"a": 0, "b": 0, "c": 1, "d": 2}
    assert judgments.scale.top == 2
    assert str(result) == "d > c (2 others, 4 questions)"
    assert result.to_frame()["rank"].to_list() == [1, 2, None, None]


def test_pair_noise_of_a_labelling_against_a_reference():
    """Table 3's use: a top-k labelling against binary gold; new pairs among the relevant count half."""
    gold = Judgments.from_dict({"gold": {"7": {"a": 0, "b": 0, "c": 1, "d": 1}}})
    noise = pair_noise(gold, top_k_labelling(list("abcd"), lambda x, y: x > y, 2).judgments("7"))
    assert (noise.ordered, noise.inverse, noise.new) == (5, 0, 1)
    assert float(noise) == 0.1


@pytest.mark.parametrize(
    ("documents", "k", "values"), [([1, 1], 1, (1,)), ([1], 0, ("k=0",)), ([], 1, ("top_k_labelling", "k=1", 0))]
)
def test_refused(documents, k, values):
    with refused(InputError, *values):
        top_k_labelling(documents, lambda a, b: True, k)


@pytest.mark.parametrize("answer", [None, "a", 1])
def test_answers_are_true_or_false(answer):
    """A `prefer` that returns the better document would be taken for one that always prefers the first."""
    with refused(InputError, "prefer('a', 'b')"):
        top_k_labelling(["a", "b"], lambda a, b: answer, k=1)
    assert top_k_labelling(["a", "b"], lambda a, b: np.bool_(False), k=1).order == ("b",)
