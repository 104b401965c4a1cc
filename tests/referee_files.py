"""Files that the referee's cases need: written anew for each case, the same every time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from tools.referee import DATA, ROOT, command

EXAMPLES = ROOT / "examples"
DL21 = DATA / "trec-dl21-passage"


def _write(path: Path, header: str, rows: Iterable[Iterable[object]]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


def crowd_file(collection: str, folder: Path) -> Path:
    """A crowd's labels as topic, doc, assessor, grade; where there is gold, it is an assessor of that name."""
    rows = {"diku-relevance-credibility": _diku, "trec-rf10-crowd": _rf10, "snow2008": _snow}[collection]()
    return _write(folder / "crowd.csv", "topic,doc,assessor,grade", rows)


def _diku() -> list[tuple[str, ...]]:
    with open(DATA / "diku-relevance-credibility" / "data.csv", encoding="utf-8") as file:
        lines = [line.split(",") for line in file if line[0].isdigit()]
    return [(f"t{q}", f"u{url}", f"p{p}", grade) for p, q, _, url, grade, *_ in lines]


def _rf10() -> list[tuple[str, ...]]:
    """The labels of eight topics, without broken links."""
    with gzip.open(DATA / "trec-rf10-crowd" / "trec-rf10-data.txt.gz", "rt", encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    gold_topics = sorted({line["topicID"] for line in lines if line["gold"] in "012"})[:8]
    found: dict[tuple[str, str, str], str] = {}
    for line in lines:
        if line["topicID"] in gold_topics and line["label"] != "-2":
            found.setdefault((line["topicID"], line["docID"], line["workerID"]), line["label"])
            if line["gold"] in "012":
                found.setdefault((line["topicID"], line["docID"], "gold"), line["gold"])
    return [(*key, grade) for key, grade in found.items()]


def _snow() -> list[tuple[str, ...]]:
    """Event order (temp): two classes, 76 workers."""
    with open(DATA / "snow2008" / "temp.standardized.tsv", encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    found: dict[tuple[str, str, str], str] = {}
    for line in lines:
        found.setdefault(("1", line["orig_id"], line["!amt_worker_ids"]), "c" + line["response"])
        found.setdefault(("1", line["orig_id"], "gold"), "c" + line["gold"])
    return [(*key, grade) for key, grade in found.items()]


def scores_file(collection: str, folder: Path) -> Path:
    """Per-topic scores of every system by ann and llm, ann on the first twelve topics only."""
    study = [f"{EXAMPLES}/runs/*", "-j", f"{EXAMPLES}/labels.csv", "-m", "nDCG@10", "-q"]
    rows = []
    for assessor in ("ann", "llm"):
        table = command(["evaluate", *study, "-a", assessor])["tables"]
        for row in next(iter(table.values())):
            if assessor == "llm" or row["topic"] <= "q12":
                rows.append((assessor, row["system"], row["topic"], "nDCG@10", row["nDCG@10"]))
    return _write(folder / "scores.csv", "assessor,system,topic,measure,value", rows)


def one_judge_file(collection: str, folder: Path) -> Path:
    """The scores by llm alone."""
    with open(scores_file(collection, folder), encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file][1:]
    return _write(folder / "llm.csv", "system,topic,measure,value", [r[1:] for r in rows if r[0] == "llm"])


def dl21_audit_file(collection: str, folder: Path) -> Path:
    """NIST's grades of a fifth of the pool, chosen by checksum."""
    with open(DL21 / "qrels.nist.txt", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    chosen = [(q, d, g, 0.2) for q, _, d, g in lines if zlib.crc32(f"{q} {d}".encode()) % 5 == 0]
    return _write(folder / "audit.csv", "topic,doc,grade,inclusion", chosen)


def preferences_file(collection: str, folder: Path) -> Path:
    """Which of two documents people prefer, in the first twelve topics."""
    with gzip.open(DL21 / "human_preferences.dl21.txt.gz", "rt", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    topics = sorted({line[0] for line in lines})[:12]
    rows = [(t, a, b, "people", "A" if w == a else "B") for t, a, b, w in lines if t in topics and w in (a, b)]
    return _write(folder / "preferences.csv", "topic,doc_a,doc_b,assessor,answer", dict.fromkeys(rows))


def features_file(collection: str, folder: Path) -> Path:
    """Forty queries with eight documents of four features, of which two say something."""
    out = io.StringIO()
    for q in range(40):
        for d in range(8):
            x = [(zlib.crc32(f"{q} {d} {f}".encode()) % 1000) / 1000 for f in range(4)]
            grade = min(2, int(1.6 * x[0] + 1.2 * x[1] + 0.4 * (x[2] > 0.5)))
            out.write(f"{grade} qid:{q} " + " ".join(f"{f + 1}:{v}" for f, v in enumerate(x)) + "\n")
    path = folder / "features.txt"
    path.write_text(out.getvalue(), "utf-8")
    return path


def clicks_file(collection: str, folder: Path) -> Path:
    """A log of 300 pages: who clicked which ranks, and when."""
    rows = []
    for page in range(300):
        clock = 0
        for rank in range(1, 11):
            if zlib.crc32(f"{page} {rank}".encode()) % (2 + rank) == 0:
                clock += 1 + zlib.crc32(f"{rank} {page}".encode()) % 40
                rows.append((f"s{page}", f"q{page % 30}", rank, clock))
    return _write(folder / "clicks.csv", "session,query,rank,time", rows)


def confusion_file(collection: str, folder: Path) -> Path:
    """A judge's confusion matrix on four grades, from nowhere in particular."""
    path = folder / "matrix.json"
    rows = [[0.8, 0.15, 0.05, 0], [0.2, 0.6, 0.15, 0.05], [0.05, 0.15, 0.6, 0.2], [0, 0.05, 0.25, 0.7]]
    path.write_text(json.dumps({"matrix": rows, "scale": ["0", "1", "2", "3"]}), "utf-8")
    return path


FILES = {
    "CROWD": crowd_file, "SCORES": scores_file, "JUDGESCORES": one_judge_file, "DL21AUDIT": dl21_audit_file,
    "PREFERENCES": preferences_file, "FEATURES": features_file, "CLICKS": clicks_file, "MATRIX": confusion_file,
}  # fmt: skip
