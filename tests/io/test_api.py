"""Files in: right names, right order, and one sentence for whatever is wrong."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest
from paths import shared_data
from refusals import refused
from small_files import GOOD, GRADES, file, path_through  # noqa: F401 (a fixture for every test)
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import FileError, RunError, ScaleError


def identical_runs(a, b):
    assert a.systems == b.systems
    assert a.topics == b.topics
    for name in ("segment_system", "segment_topic", "bounds", "score", "key"):
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype
        assert np.array_equal(x, y), name
    assert a.ids.strings() == b.ids.strings()


def identical_judgments(a, b):
    assert (a.topics, a.assessors, a.scale) == (b.topics, b.assessors, b.scale)
    for name in ("item_topic", "item_key", "item", "assessor", "grade", "repeat"):
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype
        assert np.array_equal(x, y), name
    assert a.doc_ids() == b.doc_ids()


# ── names ──
@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("bm25", "bm25"),
        ("bm25.run", "bm25"),
        ("input.bm25.v2.txt", "input.bm25.v2"),
        ("bm25.v2", "bm25.v2"),
        ("a.res", "a"),
        ("a.trec", "a"),
        ("a.run.txt", "a.run"),
        (".run", ".run"),
    ],
)
def test_a_system_is_named_after_its_file(tmp_path, name, system):
    assert ds.read_runs(file(tmp_path, name, GOOD)).systems == (system,)


def test_gz_comes_off_first(tmp_path):
    assert ds.read_runs(file(tmp_path, "bm25.run.gz", gzip.compress(GOOD.encode()))).systems == ("bm25",)


def test_gzip_is_known_by_its_bytes(tmp_path):
    identical_runs(
        ds.read_runs(file(tmp_path, "a.run", gzip.compress(GOOD.encode()))),
        ds.read_runs(file(tmp_path, "a.gz", GOOD)),
    )


def test_two_files_of_one_name(tmp_path):
    file(tmp_path, "a.run", GOOD)
    file(tmp_path, "a.txt", GOOD)
    with refused(FileError, "a.run", "a.txt", "a") as caught:
        ds.read_runs(tmp_path / "*")
    assert 'system="tag"' in str(caught.value)


def test_systems_by_tag(tmp_path):
    both = GOOD + GOOD.replace("tag", "other")
    runs = ds.read_runs(file(tmp_path, "all.run", both), system="tag")
    assert runs.systems == ("other", "tag")
    assert runs.ranking("other", "301") == ["FT-1", "FT-2"]
    parts = [file(tmp_path, f"{i}.run", line) for i, line in enumerate(both.splitlines(keepends=True)[1:4])]
    assert ds.read_runs(*parts, system="tag").systems == ("other", "tag")
    with refused(RunError, 301, "2.run"):
        ds.read_runs(*parts, tmp_path / "all.run", system="tag")


def test_overlapping_globs_read_a_file_once(tmp_path):
    path = file(tmp_path, "a.run", GOOD)
    assert len(ds.read_runs(path, tmp_path / "*.run", [path])) == 3


@pytest.mark.parametrize(
    ("name", "assessor"), [("ann.qrels", "ann"), ("qrels.robust03.txt", "qrels.robust03"), ("gold", "gold")]
)
def test_an_assessor_is_named_after_the_qrels(tmp_path, name, assessor):
    assert ds.read_judgments(file(tmp_path, name, GRADES)).assessors == (assessor,)


def test_assessor_in_the_second_column(tmp_path):
    path = file(tmp_path, "jg.qrels", "1 ann d 0\n1 bob d 2\n")
    judgments = ds.read_judgments(path, assessor="column")
    assert judgments.to_frame().rows() == [("1", "d", "ann", 0), ("1", "d", "bob", 2)]
    assert ds.read_judgments(file(tmp_path, "one.qrels", GRADES), assessor="NIST").assessors == ("NIST",)


# ── one language, many spellings ──
@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace(" ", "\t"),
        GOOD.replace(" ", "  \t "),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        "\ufeff" + GOOD,
        "# made by hand\n\n" + GOOD + "\n   \n",
        GOOD.rstrip("\n"),
        GOOD.replace("9.0", "+9").replace("9.5", ".95e1"),
        "".join("  " + line for line in GOOD.splitlines(keepends=True)),
        GOOD.replace(" Q0 ", "\v\fQ0\v"),
        GOOD.replace(" 1 9.5", " first 9.5").replace(" 2 9.0", " 12345678901234567890 9.0"),
        "".join(reversed(GOOD.splitlines(keepends=True))),
    ],
)
def test_spellings_of_one_run(tmp_path, text):
    expected = ds.Runs.from_dict({"a": {301: {"FT-1": 9.5, "FT-2": 9}, 302: {"FT-1": 1}}})
    identical_runs(ds.read_runs(file(tmp_path, "a.run", text)), expected)


def test_comments_are_counted(tmp_path):
    path = file(tmp_path, "a.run", "# one\n" + GOOD + "  # two\n")
    assert ds.read_runs(path).notes == (phrase("readers.comment-lines-skipped", path, 2),)
    assert ds.read_judgments(file(tmp_path, "a.qrels", "# one\n" + GRADES)).notes == (
        phrase("readers.comment-line-skipped", 1),
    )
    assert ds.read_judgments(file(tmp_path, "b.qrels", "# one\n1 0 d no\n")).notes == (
        phrase("readers.comment-line-skipped", 1),
    )


def test_text_after_the_tag_is_ignored_and_counted(tmp_path):
    path = file(tmp_path, "a.run", "1 Q0 x 1 2.0 my tag\n1 Q0 y 2 1.0 t\n")
    runs = ds.read_runs(path)
    assert runs.ranking("a", "1") == ["x", "y"]
    assert runs.notes == (phrase("readers.text-after-tag-ignored", path, 1),)


def test_the_rank_column_is_ignored_and_its_contradictions_counted(tmp_path):
    path = file(tmp_path, "a.run", "1 Q0 x 1 1.0 t\n1 Q0 y 2 2.0 t\n")
    runs = ds.read_runs(path)
    assert runs.ranking("a", "1") == ["y", "x"]
    assert runs.notes == (phrase("readers.rank-column-contradicts-scores", path, 1),)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "run", "csv.gz", "jsonl.gz"])
def test_all_formats_say_the_same(tmp_path, ending):
    runs = ds.Runs.from_dict({"a": {301: {"FT-1": 9.5, "FT-2": 0.1 + 0.2}, 7: {"é": -1e-300}}})
    runs.write(tmp_path / f"a.{ending}")
    identical_runs(ds.read_runs(tmp_path / f"a.{ending}", system="file"), runs)


def test_columns_in_any_order_and_by_their_usual_names(tmp_path):
    path = file(tmp_path, "x.csv", "Relevance,worker_id,query-id,docno,extra\n2,w1,q,d,9\n0,w2,q,d,9\n")
    assert ds.read_judgments(path).to_frame().rows() == [("q", "d", "w1", 2), ("q", "d", "w2", 0)]
    beir = file(tmp_path, "test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert ds.read_judgments(beir).to_frame().rows() == [("q", "d", "test", 1)]
    trec = file(tmp_path, "dev.tsv", "1\t0\td\t1\n")
    assert ds.read_judgments(trec).to_frame().rows() == [("1", "d", "dev", 1)]


def test_tables_name_their_systems_unless_told_otherwise(tmp_path):
    path = file(tmp_path, "x.csv", "system,topic,doc,score\nbm25,1,d,2\n")
    assert ds.read_runs(path).systems == ("bm25",)
    assert ds.read_runs(path, system="file").systems == ("x",)


def test_integer_ids_and_string_ids_are_one(tmp_path):
    numbers = pl.DataFrame({"topic": [10, 9], "doc": [7, 10], "score": [1.0, 2.0], "system": ["s", "s"]})
    texts = numbers.with_columns(pl.col("topic", "doc").cast(pl.String))
    identical_runs(ds.Runs.from_frame(numbers), ds.Runs.from_frame(texts))
    identical_runs(ds.Runs.from_frame(numbers.to_pandas()), ds.Runs.from_frame(texts.to_pandas()))
    numbers.write_parquet(tmp_path / "n.parquet")
    identical_runs(ds.read_runs(tmp_path / "n.parquet"), ds.Runs.from_frame(texts))
    assert ds.Runs.from_frame(numbers).topics == ("9", "10")


def test_nothing_depends_on_the_order_of_lines_or_files(tmp_path):
    rng = np.random.default_rng(3)
    rows = [(s, t, f"d{d}", round(float(rng.normal()), 1)) for s in "ab" for t in range(12) for d in range(30)]
    frame = pl.DataFrame(rows, schema=["system", "topic", "doc", "score"], orient="row")
    expected = ds.Runs.from_frame(frame)
    for seed in range(3):
        mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed)
        identical_runs(ds.Runs.from_frame(mixed), expected)
        identical_runs(ds.Runs.from_frame(mixed.to_pandas()), expected)
        for system in "ab":
            lines = [f"{t} Q0 {d} 0 {x!r} {s}\n" for s, t, d, x in mixed.rows() if s == system]
            file(tmp_path, f"{system}.run", "".join(lines))
        identical_runs(ds.read_runs(tmp_path / "b.run", tmp_path / "a.run"), expected)
        file(tmp_path, "all.run", "".join(f"{t} Q0 {d} 0 {x!r} {s}\n" for s, t, d, x in mixed.rows()))
        identical_runs(ds.read_runs(tmp_path / "all.run", system="tag"), expected)
    grades = frame.select("topic", "doc", assessor="system", grade=(pl.col("score") > 0).cast(pl.Int64))
    judged = ds.Judgments.from_frame(grades)
    for seed in range(3):
        mixed = grades.sample(fraction=1.0, shuffle=True, seed=seed)
        identical_judgments(ds.Judgments.from_frame(mixed.to_pandas()), judged)
        file(tmp_path, "jg.qrels", "".join(f"{t} {a} {d} {g}\n" for t, d, a, g in mixed.rows()))
        identical_judgments(ds.read_judgments(tmp_path / "jg.qrels", assessor="column"), judged)


def test_judges_on_different_scales(tmp_path):
    one = file(tmp_path, "ann.qrels", "1 0 d yes\n1 0 e no\n")
    two = file(tmp_path, "bob.qrels", "1 0 d 3\n1 0 e 0\n")
    with refused(ScaleError, "ann.qrels:1", "yes"):
        ds.read_judgments(one, two)
    mapped = ds.read_judgments(one, two, scale={"ann": {"no": 0, "yes": 1}, "bob": "0..3"})
    assert mapped.to_frame()["grade"].to_list() == [1, 3, 0, 0]
    assert mapped.scale == ds.Scale.range(0, 3)
    with refused(ScaleError, "bob"):
        ds.read_judgments(one, two, scale={"ann": {"no": 0, "yes": 1}})
    with refused(ScaleError, "ann.qrels:1", "yes", "ann"):
        ds.read_judgments(one, two, scale={"ann": {"no": 0}, "bob": "0..3"})
    named = ds.read_judgments(one, scale={"no": 0, "yes": 1})
    assert named.scale.names == ("no", "yes")
    assert named.to_frame()["grade"].to_list() == ["yes", "no"]


def test_grades_outside_the_scale(tmp_path):
    path = file(tmp_path, "a.qrels", GRADES)
    with refused(ScaleError, "a.qrels:3", 2, "0…1"):
        ds.read_judgments(path, scale="0..1")
    with refused(ScaleError, 126, "b.qrels:1"):
        ds.read_judgments(file(tmp_path, "b.qrels", "1 0 d 127\n"))


# ── real files ──
def test_robust03_reads_as_published():
    folder = shared_data("trec-robust03")
    judgments = ds.read_judgments(folder / "qrels.robust03.txt.gz")
    assert np.bincount(judgments.grade).tolist() == [122_722, 5_667, 407]
    assert len(judgments.topics) == 100
    runs = ds.read_runs(folder / "runs" / "input.pircRBa1.gz")
    assert runs.systems == ("input.pircRBa1",)
    assert len(runs.topics) == 100


def test_judgment_groups_of_trec_eval():
    judgments = ds.read_judgments(shared_data("trec_eval_test") / "qrels.123", assessor="column")
    assert judgments.assessors == ("0", "1", "2")
    assert len(judgments) == 10_362


def test_hash_signs_inside_ids_are_no_comments():
    folder = shared_data("trec_eval_test")
    runs = ds.read_runs(folder / "results.comment.test.gz")
    assert all("#" in doc for doc in runs.ids.strings(np.arange(20)))
    assert runs.notes == ()


class TestAudits:
    def test_swapped_judgments_and_audit(self, tmp_path, capsys):
        audit = file(tmp_path, "audit.csv", "topic,doc,grade,inclusion\n1,d1,1,0.5\n1,d2,0,0.5\n")
        labels = file(tmp_path, "labels.csv", "topic,doc,assessor,grade\n1,d1,llm,1\n1,d2,llm,0\n")
        run = file(tmp_path, "a.run", "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n")
        with refused(FileError, "audit.csv", "inclusion"):
            ds.read_judgments(audit)
        assert main(["correct", str(run), "-j", str(audit), "--audit", str(labels), "-m", "P@10"]) == 2
        assert "--audit" in capsys.readouterr().err


def test_tables_and_qrels_are_audits(tmp_path) -> None:
    table = ds.read_audit(file(tmp_path, "a.csv", "topic,doc,grade,inclusion\n1,x,1,0.5\n1,y,0,0.25\n"))
    assert table.inclusion.tolist() == [0.5, 0.25]
    plain = ds.read_audit(file(tmp_path, "gold.qrels", "1 0 x 1\n1 0 y 0\n"))
    assert plain.inclusion is None
    named = ds.read_audit(
        file(tmp_path, "b.csv", "q;d;g\n1;x;1\n"), columns={"topic": "q", "doc": "d", "grade": "g"}, separator=";"
    )
    assert named.judgments.grade.tolist() == [1]
    with refused(FileError, tmp_path.name):
        ds.read_audit(tmp_path)


def test_an_audit_is_read_from_a_frame_and_a_dict_as_from_a_file(tmp_path):
    frame = pl.DataFrame({"qid": ["1", "1"], "doc": ["x", "y"], "grade": [1, 0], "inclusion": [0.5, 0.25]})
    frame.write_csv(tmp_path / "a.csv")
    columns = {"topic": "qid"}
    read = [ds.read_audit(given, columns=columns, scale="0..2") for given in (frame, tmp_path / "a.csv")]
    assert read[0].judgments.to_frame().rows() == read[1].judgments.to_frame().rows()
    assert read[0].inclusion.tolist() == read[1].inclusion.tolist() == [0.5, 0.25]
    assert len(ds.read_audit({"1": {"x": 1, "y": 0}}).judgments) == 2
    with pytest.raises(ds.DissensusError, match="int"):
        ds.read_audit(3)
