"""Which measure each topic has: one for all, or one per class."""

from __future__ import annotations

from dataclasses import dataclass, field

import dissensus as ds
from dissensus.measures.topic_measures import topic_measures


@dataclass(frozen=True)
class Parity(ds.Measure):
    odd: bool | None = None

    def for_topic(self, topic):
        return Parity(int(topic) % 2 == 1)


def test_equal_measures_are_one():
    measures, which = topic_measures(Parity(), ["1", "2", "3", "2"])
    assert measures == (Parity(True), Parity(False))
    assert which.tolist() == [0, 1, 0, 1]


def test_a_measure_that_knows_no_topics_need_not_be_hashable():
    @dataclass(frozen=True)
    class Listed(ds.Linear):
        weight: list[float] = field(default_factory=list)

    m = Listed([1.0])
    measures, which = topic_measures(m, ["1", "2"])
    assert measures == (m,)
    assert which.tolist() == [0, 0]
