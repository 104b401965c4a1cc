"""Damaged and hostile files: an error that names the file, never a number, a crash or a full memory."""

from __future__ import annotations

import gzip

import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.errors import FileError, InputError, JudgmentError
from dissensus.io import contents, files

AUDIT = "topic,doc,grade,inclusion\n1,d1,1,0.5\n1,d2,0,0.25\n"


class TestAudits:
    @pytest.mark.parametrize(
        ("text", "values"),
        [
            (AUDIT + "1,d3\n", ("audit.csv:4", 2, 4)),
            (AUDIT + ",,,\n", ("audit.csv:4",)),
            ("topic,doc,grade,Grade,inclusion\n1,d,1,1,1\n", ("grade",)),
            (AUDIT + "1,d1,1,0.9\n", ("audit.csv:2", "audit.csv:4", 1, "d1")),
            ("topic,doc,grade,inclusion\n1,a,,0.5\n1,b,,0.5\n1,c,1,x\n", ("audit.csv:4", "x")),
            ("topic,doc,grade,inclusion\n1,a,1,0.5\n\n1,c,1.5,1\n", ("audit.csv:4", "1.5")),
            ("topic,doc,grade,inclusion\n1,c,1,2\n", ("audit.csv:2", 2)),
        ],
    )
    def test_one_strict_reader(self, tmp_path, text, values):
        with refused(InputError, *values):
            ds.read_audit(file(tmp_path, "audit.csv", text))

    def test_blank_lines_are_no_documents(self, tmp_path):
        plain = ds.read_audit(file(tmp_path, "a.csv", AUDIT))
        blank = ds.read_audit(file(tmp_path, "b.csv", AUDIT + "\n" * 100))
        assert blank.to_frame().equals(plain.to_frame())
        assert blank.notes == plain.notes

    def test_the_ending_may_be_in_capitals(self, tmp_path):
        audit = ds.read_audit(file(tmp_path, "audit.CSV", AUDIT))
        assert audit.to_frame()["inclusion"].to_list() == [0.5, 0.25]

    def test_json_keys_appear_once(self, tmp_path):
        line = '{"topic": 1, "doc": "d", "grade": 1, "inclusion": 0.5, "inclusion": 0.9}\n'
        with refused(FileError, "a.jsonl:1", "inclusion"):
            ds.read_audit(file(tmp_path, "a.jsonl", line))


class TestClicks:
    def read(self, tmp_path, text, name="log.csv"):
        return ds.read_clicks(file(tmp_path, name, text))

    def test_sessions_are_texts(self, tmp_path):
        assert self.read(tmp_path, "session,query,rank\n007,q,1\n7,q,2\n").n_pages == 2

    @pytest.mark.parametrize("rank", ["4294967297", "300000000", "1099511627776", "99999999999999999999", "0", "-1"])
    def test_ranks_beyond_a_page(self, tmp_path, rank):
        with refused(FileError, "log.csv:2"):
            self.read(tmp_path, f"session,query,rank\ns,q,{rank}\n")

    def test_the_limit_can_be_raised(self, tmp_path, monkeypatch):
        with refused(FileError, "DISSENSUS_MAX_RANK=5000"):
            self.read(tmp_path, "session,query,rank\ns,q,5000\n")
        monkeypatch.setenv("DISSENSUS_MAX_RANK", "5000")
        assert self.read(tmp_path, "session,query,rank\ns,q,5000\n").rank.tolist() == [5000]
        monkeypatch.setenv("DISSENSUS_MAX_RANK", "many")
        with refused(InputError, "DISSENSUS_MAX_RANK=many"):
            self.read(tmp_path, "session,query,rank\ns,q,5000\n")

    def test_times_of_day_and_dates(self, tmp_path):
        clicks = self.read(tmp_path, "session,query,rank,time\ns,q,1,12:30:05\ns,q,2,12:31:00\n")
        assert clicks.dwell.tolist()[0] == 55
        clicks = self.read(tmp_path, "session,query,rank,time\ns,q,1,2024-02-28T23:59:50\ns,q,2,2024-02-29 00:00:10\n")
        assert clicks.dwell.tolist()[0] == 20
        with refused(FileError, "log.csv:2", "1e400"):
            self.read(tmp_path, "session,query,rank,time\ns,q,1,1e400\n")

    def test_log_times_do_not_wrap(self, tmp_path):
        log = f"s\t{2**64 + 5}\tQ\tq\t1\tu1\tu2\ns\t9\tC\tu1\n"
        with refused(FileError, "log.txt:1"):
            self.read(tmp_path, log, "log.txt")

    @pytest.mark.parametrize("counts", ["[300000000,1]", "[1e400]", "[-1]", "[1.5]", '{"-2": 1}', "[[1]]", "7"])
    def test_counts(self, tmp_path, counts):
        with refused(FileError, "log.txt:1"):
            self.read(tmp_path, f's\tq\t0\t1\t["a","b"]\t[]\t{counts}\n', "log.txt")

    @pytest.mark.parametrize("rank", ["0", "-3", str(2**40)])
    def test_ranks_of_document_rows(self, tmp_path, rank):
        with refused(FileError, "log.txt:1"):
            self.read(tmp_path, f"[1]\t[0]\t[5,{rank},1]\t1\n", "log.txt")


class TestFeatures:
    def test_a_feature_number_of_ten_digits(self, tmp_path, monkeypatch):
        path = file(tmp_path, "a.txt", "1 qid:1 1:0.5\n0 qid:1 1000000009:1\n")
        with refused(FileError, "DISSENSUS_MAX_MATRIX=15G"):
            ds.read_features(path)
        path = file(tmp_path, "b.txt", "1 qid:1 1:0.5\n0 qid:1 90000000:1\n")
        monkeypatch.setenv("DISSENSUS_MAX_MATRIX", "1M")
        with refused(FileError, "b.txt", 2, 90000000):
            ds.read_features(path)

    @pytest.mark.parametrize(
        ("data", "values"),
        [
            (b"1 qid:\xff 1:1\n0 qid:\xfe 1:1\n", ("a.txt:1", "UTF-8")),
            (b"1 qid:a\x00b 1:1\n", ("NUL",)),
            (b"1 qid:1 qid:2 1:1\n", ("a.txt:1", "'qid:2'")),
        ],
    )
    def test_queries(self, tmp_path, data, values):
        with refused(FileError, *values):
            ds.read_features(file(tmp_path, "a.txt", data))

    @pytest.mark.parametrize(
        "side", ["²\n".encode(), b"\xff\n", b"1e3\n", b"\x1f\x8bnothing", b"99999999999999999999\n"]
    )
    def test_side_files(self, tmp_path, side):
        file(tmp_path, "a.txt.query", side)
        with refused(FileError, "a.txt.query"):
            ds.read_features(file(tmp_path, "a.txt", "1 1:1\n0 1:2\n"))

    def test_large_values_are_values(self, tmp_path):
        f = ds.read_features(file(tmp_path, "a.txt", "1 qid:1 1:1.7e308 2:-1.5e308\n"))
        assert f.X.tolist() == [[1.7e308, -1.5e308]]


class TestMemory:
    @pytest.mark.parametrize("small", [0, 1 << 30])  # scanner, plain reader
    def test_a_gzip_bomb(self, tmp_path, monkeypatch, small):
        monkeypatch.setattr(files, "SMALL", small)
        monkeypatch.setenv("DISSENSUS_MAX_UNPACKED", "1M")
        path = file(tmp_path, "a.run.gz", gzip.compress(b"1 Q0 d 1 1 t" + b" " * 40_000_000))
        with refused(FileError, "a.run.gz", "MB"):
            ds.read_runs(path)

    @pytest.mark.parametrize("small", [0, 1 << 30])
    def test_megabytes_of_nothing(self, tmp_path, monkeypatch, small):
        monkeypatch.setattr(files, "SMALL", small)
        path = file(tmp_path, "a.run.gz", gzip.compress(b"1 Q0 d 1 1 t\n" + b"\0" * 50_000_000, 1))
        monkeypatch.setattr(contents, "refuse_bomb", lambda path, size, packed: seen.append(size))
        seen: list[int] = []
        for read in (ds.read_runs, ds.read_judgments):
            with refused(FileError, "a.run.gz", "NUL"):
                read(path)
        assert max(seen) < 40_000_000  # it is not unpacked to its end

    def test_packed_text_is_no_bomb(self, tmp_path, monkeypatch):
        monkeypatch.setenv("DISSENSUS_MAX_UNPACKED", "10")
        text = "".join(f"1 Q0 d{i} {i} {1 / (i + 1):.4f} t\n" for i in range(1000))
        assert len(ds.read_runs(file(tmp_path, "a.run.gz", gzip.compress(text.encode())))) == 1000


class TestIds:
    @pytest.mark.parametrize("small", [0, 1 << 30])
    def test_both_readers_refuse_long_topics(self, tmp_path, monkeypatch, small):
        monkeypatch.setattr(files, "SMALL", small)
        with refused(InputError, 65535):
            ds.read_runs(file(tmp_path, "a.run", f"{'q' * 70_000} Q0 d 1 1 t\n"))

    @pytest.mark.parametrize("grade", [10**30, 10**400, float("inf"), "9" * 5000])
    def test_grades_beyond_all_scales(self, grade):
        with pytest.raises(JudgmentError):
            ds.Judgments.from_dict({"a": {1: {"d": grade, "e": 1}}})

    def test_scores_beyond_doubles(self):
        with pytest.raises(ds.DissensusError):
            ds.Runs.from_dict({"a": {1: {"d": 10**400}}})
