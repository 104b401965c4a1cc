"""The demo's texts: readable, and with the bias that was planted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from dissensus.io.documents import read_documents
from dissensus.io.sample_texts import topic_text
from dissensus.io.samples import generated_collection
from dissensus.io.topic_texts import read_topic_texts

SAMPLE = generated_collection(seed=2, topics=8)


def test_texts_have_50_to_300_words_and_a_title() -> None:
    words = SAMPLE.documents["text"].str.split(" ").list.len()
    assert words.min() >= 50  # type: ignore[operator]
    assert words.max() <= 300  # type: ignore[operator]
    assert (SAMPLE.documents["title"] != "").all()
    assert SAMPLE.topic_texts["query"].n_unique() == 8


def test_the_judge_overrates_long_texts_and_texts_that_repeat_the_query() -> None:
    llm = SAMPLE.judgments.to_frame().filter(pl.col("assessor") == "llm").drop("assessor")
    table = (
        llm.join(SAMPLE.truth.to_frame(), on=["topic", "doc"], suffix="_true")
        .join(SAMPLE.documents, on="doc")
        .join(SAMPLE.topic_texts, on="topic")
    )
    over = table["grade"].cast(pl.Int64).to_numpy() - table["grade_true"].cast(pl.Int64).to_numpy()
    length = table["text"].str.split(" ").list.len().to_numpy()
    echo = np.array([t.count(q) for t, q in zip(table["text"], table["query"], strict=True)])
    assert np.corrcoef(over, length)[0, 1] > 0.4
    assert np.corrcoef(over, echo)[0, 1] > 0.15
    truth = table["grade_true"].cast(pl.Int64).to_numpy()
    assert abs(np.corrcoef(truth, length)[0, 1]) < 0.2


def test_relevant_texts_name_what_is_asked() -> None:
    asked = {f"q{i + 1:02d}": topic_text(i) for i in range(8)}
    for topic, doc, _, grade in SAMPLE.truth.to_frame().filter(pl.col("grade").cast(pl.Int64) == 3).iter_rows():
        text = SAMPLE.documents.filter(pl.col("doc") == doc)["text"][0].lower()
        assert asked[topic].aspect.lower() in text, (topic, doc, grade)


def test_the_same_seed_gives_the_same_texts_and_labels_do_not_move() -> None:
    again = generated_collection(seed=2, topics=8)
    assert again.documents.equals(SAMPLE.documents)
    more = generated_collection(seed=2, topics=9)
    assert more.documents.head(SAMPLE.documents.height).equals(SAMPLE.documents)


def test_written_texts_read_back(tmp_path: Path) -> None:
    SAMPLE.write(tmp_path)
    texts = read_documents([tmp_path / "documents.jsonl"], SAMPLE.documents["doc"].to_list())
    assert len(texts) == SAMPLE.documents.height
    assert texts["q01-d00"].text == SAMPLE.documents["text"][0]
    topics = read_topic_texts(tmp_path / "topics.tsv")
    assert topics["q03"].query == topic_text(2).query
    assert topics["q03"].narrative == topic_text(2).narrative
