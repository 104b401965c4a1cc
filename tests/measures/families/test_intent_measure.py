"""What diversity measures share: intents counted where they have a relevant document, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
from dissensus.errors import InputError


def test_an_intent_without_relevant_documents_is_not_counted() -> None:
    m = ds.measure("StRecall@1")
    assert m.score([{1}, set()], [{1}, set(), {2}]) == 0.5
    assert m.score([{1}, set()], [{1}, set()]) == 1
    assert np.isnan(m.score([set()], [set()]))


def test_texts_are_not_sets_of_intents() -> None:
    with pytest.raises(InputError, match="give the intents"):
        ds.measure("P_IA@1").score(["12"], [{1}])
