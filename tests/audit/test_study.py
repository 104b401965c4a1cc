"""A study: made once, opened as often as one likes."""

from __future__ import annotations

import polars as pl
import pytest
from audit_studies import small_study
from refusals import refused

import dissensus as ds
from dissensus.audit.seal import sha256
from dissensus.audit.settings import Stop, StudySettings
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, default_title, order_hash
from dissensus.errors import InputError


def test_a_study_is_found_again(place: str) -> None:
    made = small_study(StudyStore.create(place))
    again = Study.load(StudyStore.open(place))
    assert again.id == made.id
    assert again.order == made.order
    assert again.runs.to_frame().equals(made.runs.to_frame())
    assert again.judgments.to_frame().equals(made.judgments.to_frame())
    assert again.judgments.assessors == ("llm",)


def test_two_studies_in_one_database_need_a_name(store: StudyStore) -> None:
    first, second = small_study(store, title="spring"), small_study(store, title="autumn")
    assert Study.load(store, "spring").id == first.id
    assert Study.load(store, second.id[:8]).id == second.id
    with refused(InputError, 2):
        Study.load(store)


def test_the_hash_commits_to_order_and_rates():
    order = pl.DataFrame({"draw": [1, 2], "topic": ["q", "q"], "doc": ["a", "b"], "rate": [0.5, 0.25]})
    first = order_hash(order)
    assert first == sha256("1\tq\ta\t0.5\n2\tq\tb\t0.25\n")
    assert first != order_hash(order.with_columns(rate=pl.Series([0.5, 0.26])))
    assert first != order_hash(order.with_columns(doc=pl.Series(["b", "a"])))


def test_the_seed_can_be_shown_later(tmp_path):
    study = small_study(StudyStore.create(tmp_path / "study.db"), seed=5)
    assert study.row.seed_hash == sha256(f"{study.row.salt}:5")


def test_buttons_have_keys_and_names(tmp_path):
    study = small_study(StudyStore.create(tmp_path / "study.db"), names=("Bad", "Fair", "Good", "Best"))
    assert study.buttons[2] == {"grade": "2", "key": "2", "name": "Good"}
    with refused(InputError, 2, 4, "0…3"):
        small_study(StudyStore.create(tmp_path / "other.db"), names=("Bad", "Good"))


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"systems": ("a", "b")}, "a or b? P@5"),
        ({}, "3 systems, P@5"),
        ({"scores": True, "stop": Stop("budget", 9)}, "a, b, c: how good? P@5"),
    ],
)
def test_titles(options, title):
    runs = ds.Runs.from_dict({s: {"q": {"x": 1.0}} for s in "abc"})
    assert default_title(StudySettings("P@5", **options), runs) == title
