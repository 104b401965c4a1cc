"""Click models: perplexity by hand, each model recovers clicks it generated, the chain is held against them."""

from __future__ import annotations

import numpy as np
import pytest
from paths import shared_data
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.tables.clicks import Clicks
from dissensus.users.click_models import Pages, cascade, dcm, pages_of, pbm, perplexity, predict_clicks, ubm

N = 6


def generated(model: str, seed: int = 0, pages: int = 4000) -> tuple[Clicks, np.ndarray]:
    """Pages of four queries with six ranks, clicked as a model says; also P(click) by query and rank."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.1, 0.9, (4, N))
    query = rng.integers(0, 4, pages)
    clicked = np.zeros((pages, N), bool)
    examine = np.linspace(1, 0.3, N)
    for p in range(pages):
        for r in range(N):
            if model == "PBM":
                clicked[p, r] = rng.random() < examine[r] * a[query[p], r]
            else:
                clicked[p, r] = rng.random() < a[query[p], r]
                if clicked[p, r] and (model == "cascade" or rng.random() > 0.6):
                    break
    page, rank = np.nonzero(clicked)
    log = Clicks(
        queries=("a", "b", "c", "d"), page=page.astype(np.int64), rank=(rank + 1).astype(np.int32),
        dwell=np.full(len(page), np.nan), page_query=query.astype(np.int32), page_length=np.full(pages, N, np.int32),
    )  # fmt: skip
    return log, np.array([clicked[query == q].mean(axis=0) for q in range(4)])


def test_perplexity_by_hand() -> None:
    pages = Pages(np.array([[True, False], [False, False]]), np.ones((2, 2), bool), np.zeros(2, np.int64))
    assert perplexity(np.array([0.5, 0.25]), pages) == pytest.approx(2 ** (-np.log2([0.5, 0.75, 0.5, 0.75]).mean()))


@pytest.mark.parametrize(
    ("model", "fit", "off"), [("PBM", pbm, 0.035), ("cascade", cascade, 0.035), ("DCM", dcm, 0.09)]
)
def test_models_recover_the_click_rates_they_generate(model: str, fit, off: float) -> None:
    """DCM's usual estimator takes the last click for the end, and is only near."""
    log, rates = generated(model)
    np.testing.assert_allclose(fit(pages_of(log), 4), rates, atol=off)


def test_ubm_predicts_all_of_them_about_as_well() -> None:
    for model in ("PBM", "cascade", "DCM"):
        log, rates = generated(model)
        np.testing.assert_allclose(ubm(pages_of(log), 4), rates, atol=0.06)


def test_the_right_family_wins_and_the_chain_is_told_when_it_is_worse_than_a_constant() -> None:
    found = predict_clicks(generated("cascade")[0])
    assert found.table["model"][0] in ("cascade", "UBM", "DCM", "PBM")
    assert found.pages == pytest.approx(1000, abs=4)
    assert found.perplexity("position") < found.perplexity("constant")
    assert found.perplexity("chain") == pytest.approx(found.perplexity("position"), abs=0.01)
    # a user who walks back and forth at the bottom after many single clicks at the top
    page = [1] * 30 + [r for _ in range(5) for r in (9, 10, 9, 10, 9, 10)]
    numbers = [*range(30), *[30 + i // 6 for i in range(30)]]
    log = Clicks(
        ("q",), np.array(numbers), np.array(page, np.int32), np.full(60, np.nan), np.zeros(35, np.int32),
        np.full(35, 10, np.int32),
    )  # fmt: skip
    moves_only = predict_clicks(log, ends=False)
    assert moves_only.perplexity("chain") > moves_only.perplexity("constant")
    assert any(phrase("click-models.worse-constant") in s for s in moves_only.sentences())
    assert predict_clicks(log, ends=True).perplexity("chain") < moves_only.perplexity("chain")


def test_real_sessions() -> None:
    log = ds.read_clicks(shared_data("clicks-yandex-relpred-sample") / "trainSample.gz")
    found = predict_clicks(log)
    assert found.perplexity("chain") < found.perplexity("constant")
    assert found.perplexity("UBM") < found.perplexity("position")


def test_too_few_pages_are_refused() -> None:
    with refused(InputError, 2):
        predict_clicks(Clicks.from_frame({"session": [1, 2], "query": ["a", "b"], "rank": [1, 3], "time": [0, 4]}))
