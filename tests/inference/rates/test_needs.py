"""What a corrected rate needs: as many queries, or gold labels, as bring the half width asked for."""

from __future__ import annotations

import math

import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError


def test_needs_bring_the_half_width() -> None:
    rate = ds.corrected_rate(0.6, 500, (160, 200), (160, 200))
    needed = rate.needed(0.08)
    z = 1.959964
    more = ds.corrected_rate(0.6, int(needed.queries), (160, 200), (160, 200))
    assert z * more.se == pytest.approx(0.08, rel=0.01)
    scale = needed.labels / 400
    counts = (round(160 * scale), round(200 * scale))
    labels = ds.corrected_rate(0.6, 500, counts, counts)
    assert z * labels.se == pytest.approx(0.08, rel=0.02)
    assert math.isnan(rate.needed(0.001).queries)
    assert phrase("needs.no-number-queries") in str(rate.needed(0.001))
    with refused(InputError, 0, "half_width=0.0"):
        rate.needed(0.0)


def test_differences_need_queries_under_a_shared_judge() -> None:
    a, b = (ds.corrected_rate(j, 1000, (160, 200), (160, 200)) for j in (0.6, 0.58))
    found = ds.compare_rates(a, b)
    needed = found.needed(0.03)
    assert needed.queries > 2000
    more = (ds.corrected_rate(j, int(needed.queries / 2), (160, 200), (160, 200)) for j in (0.6, 0.58))
    assert (1.959964 + 0.841621) * ds.compare_rates(*more).se == pytest.approx(0.03, rel=0.01)
