"""One hash for all ways in: the kernel and its slow twin."""

from __future__ import annotations

import numpy as np

import dissensus as ds
from dissensus.engine.hashing import hash_ids
from dissensus.tables.ids import IdColumn

MASK = 2**64 - 1


def twin(text: bytes) -> int:
    h = 0x9E3779B97F4A7C15
    whole = len(text) // 8 * 8
    words = [text[i : i + 8] for i in range(0, whole, 8)] + [text[whole:]]
    for word in words:
        h = (h ^ int.from_bytes(word, "little")) * 0xFF51AFD7ED558CCD & MASK
        h ^= h >> 32
    h = (h ^ len(text)) * 0xC4CEB9FE1A85EC53 & MASK
    return h ^ (h >> 29)


IDS = ["", "a", "FT911-1", "FT911-12", "FT911-123", "é" * 9, "x" * 64, "clueweb09-en0000-00-00000"]


def test_kernel_and_twin_agree_wherever_the_id_lies():
    for behind in (0, 1, 7, 8, 20):
        text = b"".join(i.encode() for i in IDS) + b"#" * behind
        length = np.array([len(i.encode()) for i in IDS], np.uint16)
        start = np.r_[0, np.cumsum(length.astype(np.int64))[:-1]]
        keys = hash_ids(np.frombuffer(text, np.uint8), start, length)
        assert keys.tolist() == [twin(i.encode()) for i in IDS]


def test_files_and_frames_have_the_same_keys(tmp_path):
    docs = {i: float(n) for n, i in enumerate(IDS) if i}
    (tmp_path / "a.run").write_text("".join(f"1 Q0 {d} 1 {s} t\n" for d, s in docs.items()))
    read, made = ds.read_runs(tmp_path / "a.run"), ds.Runs.from_dict({"a": {1: docs}})
    assert read.key.tolist() == made.key.tolist()
    assert read.key.tolist() == [twin(i.encode()) for i in made.ids.strings()]


def test_empty_column():
    empty = IdColumn.from_strings([]).packed()
    assert hash_ids(empty.text, empty.start.astype(np.int64), empty.length).tolist() == []
