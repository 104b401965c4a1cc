"""Real crowds with gold, read from the folders beside the repository; the assessor "gold" is the truth."""

from __future__ import annotations

import gzip

import polars as pl
from paths import shared_data

from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale

SNOW = ("rte", "temp", "wsd")


def snow2008(name: str) -> Judgments:
    """Snow et al. 2008: recognising textual entailment (rte), event order (temp), word senses (wsd)."""
    table = pl.read_csv(shared_data("snow2008") / f"{name}.standardized.tsv", separator="\t", infer_schema=False)
    labels = table.select(
        pl.lit("1").alias("topic"),
        pl.col("orig_id").alias("doc"),
        pl.col("!amt_worker_ids").alias("assessor"),
        ("c" + pl.col("response")).alias("grade"),
    )
    gold = table.unique("orig_id", maintain_order=True).select(
        pl.lit("1").alias("topic"),
        pl.col("orig_id").alias("doc"),
        pl.lit("gold").alias("assessor"),
        ("c" + pl.col("gold")).alias("grade"),
    )
    return Judgments.from_frame(pl.concat([labels, gold]), repeated="first")


def adultcontent2() -> Judgments:
    """Web sites rated G, P, R, X; some workers rated a site twice (the first counts)."""
    folder = shared_data("adultcontent2")
    with gzip.open(folder / "labels.txt.gz", "rt") as file:
        rows = [line.split() for line in file]
    known = {item for _, item, _ in rows}
    with open(folder / "gold.txt") as file:
        gold = [line.split() for line in file]
    content = [("1", item, worker, label) for worker, item, label in rows]
    content += [("1", item, "gold", label) for item, label in gold if item in known]
    frame = pl.DataFrame(content, schema=["topic", "doc", "assessor", "grade"], orient="row")
    return Judgments.from_frame(frame, scale=Scale(("G", "P", "R", "X")), repeated="first")


def d_product() -> Judgments:
    """Are two products the same? Binary, three labels each."""
    folder = shared_data("d_product")
    answers = pl.read_csv(folder / "answer.csv.gz", infer_schema=False)
    truth = pl.read_csv(folder / "truth.csv", infer_schema=False)
    frame = pl.concat(
        [
            answers.select(
                pl.lit("1").alias("topic"),
                pl.col("question").alias("doc"),
                pl.col("worker").alias("assessor"),
                pl.col("answer").alias("grade"),
            ),
            truth.select(
                pl.lit("1").alias("topic"),
                pl.col("question").alias("doc"),
                pl.lit("gold").alias("assessor"),
                pl.col("truth").alias("grade"),
            ),
        ]
    )
    return Judgments.from_frame(frame, repeated="first")


def trec_rf10() -> Judgments:
    """TREC 2010 relevance feedback crowd: grades 0, 1, 2 and −2 for a broken link; NIST gold on part of it."""
    with gzip.open(shared_data("trec-rf10-crowd") / "trec-rf10-data.txt.gz", "rb") as file:
        table = pl.read_csv(file.read(), separator="\t", infer_schema=False)
    labels = table.select(
        pl.col("topicID").alias("topic"),
        pl.col("docID").alias("doc"),
        pl.col("workerID").alias("assessor"),
        pl.col("label").alias("grade"),
    )
    gold = (
        table.filter(pl.col("gold") != "-1")
        .unique(["topicID", "docID"], maintain_order=True)
        .select(
            pl.col("topicID").alias("topic"),
            pl.col("docID").alias("doc"),
            pl.lit("gold").alias("assessor"),
            pl.col("gold").alias("grade"),
        )
    )
    return Judgments.from_frame(pl.concat([labels, gold]), repeated="keep")


def llmjudge(highest: int = 3) -> Judgments:
    """33 LLM judges and NIST ("gold") on 4,423 passages of TREC DL 2023.

    Three labels are off the scale 0…3 (5, 5 and 10): with `highest=3` they are unjudged, with 10 they are kept.
    """
    folder = shared_data("llmjudge-dl23")
    rows: list[tuple[str, str, str, int]] = []

    def read(text: str, who: str) -> None:
        for line in text.splitlines():
            topic, _, doc, grade = line.split()
            rows.append((topic, doc, who, int(grade) if int(grade) <= highest else -1))

    read((folder / "human_test_qrels.txt").read_text(), "gold")
    for path in sorted((folder / "submissions").glob("*.gz")):
        read(gzip.decompress(path.read_bytes()).decode(), path.name.removesuffix(".txt.gz"))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "assessor", "grade"], orient="row")
    return Judgments.from_frame(frame, scale=Scale.range(0, highest))
