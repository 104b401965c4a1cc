"""Click logs as published with click-model toolkits."""

from __future__ import annotations

import numpy as np
from paths import shared_data
from wording import phrase

import dissensus as ds


def test_page_lists_keep_the_order_of_clicks(tmp_path) -> None:
    file = tmp_path / "sample"
    file.write_text("q_1\ta,b,c : c , a , a; q_1\ta,b,c :;q_2\td,e : z , e\n")
    clicks = ds.read_clicks(file)
    assert clicks.page.tolist() == [0, 0, 0, 2]
    assert clicks.rank.tolist() == [3, 1, 1, 2]
    assert clicks.n_pages == 3
    assert phrase("click-samples.click-documents-not-page", 1) in clicks.notes


def test_yandex_sample_counts() -> None:
    clicks = ds.read_clicks(shared_data("clicks-yandex-relpred-sample") / "trainSample.gz")
    assert clicks.n_pages == 35_064
    assert len(clicks.queries) == 20
    assert len(clicks) + 417 == 50_321
    assert np.bincount(clicks.rank)[1:].tolist() == [9742, 10251, 7417, 6989, 4298, 2980, 2643, 1819, 2039, 1726]


def test_clickmodels_samples_agree() -> None:
    folder = shared_data("clicks-clickmodels-sample")
    plain = ds.read_clicks(folder / "click_log_sample.tsv")
    extended = ds.read_clicks(folder / "click_log_sample_extended_format.tsv")
    for clicks in (plain, extended):
        assert clicks.to_frame()["rank"].to_list() == [3, 4, 2, 3]
        assert clicks.page_length.tolist() == [10, 10, 10]
        assert any(phrase("click-samples.order-clicks") in note for note in clicks.notes)


def test_tiangong_sample_counts() -> None:
    clicks = ds.read_clicks(shared_data("clicks-tiangong-st-sample") / "train_per_session.txt")
    assert clicks.page_length.max() == 10
    assert clicks.page_length.sum() == 910  # rows of the file that hold a document
    assert len(clicks) == 85
