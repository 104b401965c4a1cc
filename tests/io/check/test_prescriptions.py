"""Which commands a set of files supports."""

from __future__ import annotations

import pytest
from wording import phrase

from dissensus.io.check.prescriptions import Cabinet, globbed, prescribe
from dissensus.io.check.recognise import Recognised

RUNS = [Recognised(f"{s}.run", "runs", systems=(s,), topics=("1", "2")) for s in ("bm25", "dense")]
LABELS = Recognised("labels.csv", "labels", assessors=("ann", "GPT-4o", "ben"), topics=("2",), top=3)
AUDIT = Recognised("audit.csv", "audit", topics=("2",))


def lines(*files):
    return {p.command: p.line or p.missing for p in prescribe(Cabinet(files))}


def test_commands_are_written_with_their_files():
    made = lines(*RUNS, LABELS, AUDIT)
    assert made["evaluate"] == "dissensus evaluate bm25.run dense.run -j labels.csv -m nDCG@10 -m AP"
    start = 'bm25.run dense.run -j labels.csv --assessor GPT-4o -m "P(rel=2)@10" --audit audit.csv'
    assert made["correct"] == f"dissensus correct {start}"
    assert made["compare --anytime"].startswith(phrase("prescriptions.audit-committed-order"))
    assert made["merge"] == "dissensus merge labels.csv -o merged.qrels"


def test_what_is_missing_is_said():
    assert lines(LABELS)["evaluate"].startswith("runs:")
    assert lines(*RUNS)["evaluate"].startswith("labels:")
    assert lines(RUNS[0], LABELS)["compare"] == phrase("prescriptions.runs-second-system")
    elsewhere = Recognised("other.csv", "labels", assessors=("ann",), topics=("99",), top=1)
    assert phrase("prescriptions.not-topic-both") in lines(*RUNS, elsewhere)["evaluate"]
    assert phrase("prescriptions.there-are", 1) in lines(*RUNS, elsewhere)["agree"]


def test_labels_on_another_scale_are_set_aside():
    binary = Recognised("b.qrels", "labels", assessors=("zoe",), topics=("2",), top=1)
    cabinet = Cabinet((LABELS, Recognised("c.csv", "labels", assessors=("eve",), topics=("2",), top=3), binary))
    assert cabinet.other_scales == [binary]
    assert "zoe" not in cabinet.assessors


def test_binary_labels_get_a_binary_measure():
    one = Recognised("q.qrels", "labels", assessors=("ann",), topics=("1",), top=1)
    assert Cabinet((one,)).measure() == " -m P@10"
    assert Cabinet((one,)).one() == ""


@pytest.mark.parametrize("extra", [False, True])
def test_a_glob_matches_exactly_the_files(tmp_path, extra):
    paths = [tmp_path / f"a{i}.run" for i in range(5)]
    for p in [*paths, *([tmp_path / "b.run", tmp_path / "notes.txt"] if extra else [])]:
        p.touch()
    want = f'"{tmp_path}/a*"' if extra else f'"{tmp_path}/*"'
    assert globbed([str(p) for p in paths]) == want


def test_names_with_blanks_are_quoted():
    odd = Recognised("my runs/a.run", "runs", systems=("a",), topics=("2",))
    assert "'my runs/a.run'" in lines(odd, LABELS)["evaluate"]
