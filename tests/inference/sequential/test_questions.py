"""What is asked of an audit in order."""

from __future__ import annotations

import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.sequential.questions import ask

RUNS = ds.Runs.from_dict({s: {"q": {"x": 1.0}} for s in "ABC"})
USUAL = {
    "scores": False, "question": None, "margin": None, "level": 0.95, "kind": "exact", "target": "these_topics",
    "mean_assessor": False,
}  # fmt: skip


def asked(systems=None, **changes):
    return ask(RUNS, systems, **USUAL | changes)


def test_all_pairs_unless_single_scores_are_wanted():
    assert asked().contrasts == [(0, 1), (0, 2), (1, 2)]
    assert asked().names(2) == ("B", "C")
    assert asked(scores=True).contrasts == [(0, None), (1, None), (2, None)]
    assert asked("B").question == "score"
    assert asked("B").names(0) == ("B", None)


def test_a_margin_asks_for_equivalence_too():
    assert asked().question == "difference"
    assert asked(margin=0.1).question == "both"
    assert asked(margin=0.1, question="equivalence").question == "equivalence"


def test_the_error_is_shared_among_what_is_asked():
    assert asked().parts == 1
    assert asked(target="population", mean_assessor=True).parts == 3
    assert asked(level=0.9).alpha == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("systems", "changes", "name"),
    [
        (("A", "Z"), {}, "Z"),
        (("A", "A"), {}, "A"),
        ((), {}, ""),
        (None, {"kind": "quick"}, "kind"),
        (None, {"target": "world"}, "target"),
        (None, {"margin": -0.1}, "margin"),
        (None, {"question": "equivalence"}, "margin"),
        ("A", {"question": "difference"}, "question"),
        (None, {"level": 1.5}, "level"),
    ],
)
def test_what_makes_no_sense_is_refused(systems, changes, name):
    with refused(InputError, name):
        asked(systems, **changes)
