"""Feature files and judgments of a small generated set, and commands run beside them."""

from __future__ import annotations

import pytest

from dissensus.io.writers import write_judgments
from dissensus.studies.generated.features import Shape, generate


@pytest.fixture(name="files")
def feature_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = generate(Shape(12, 15, 4, (0.6, 0.25, 0.15)), seed=1)
    for name, topics in (("train.txt", data.topics[:8]), ("vali.txt", data.topics[8:])):
        part = data.select(topics)
        with open(name, "w") as file:
            for x, y, t, d in zip(part.X, part.y, part.topic, part.docs, strict=True):
                values = " ".join(f"{i + 1}:{v!r}" for i, v in enumerate(x.tolist()))
                file.write(f"{int(y)} qid:{part.topics[t]} {values} #docid = {d}\n")
    write_judgments(data.judgments("gold"), "gold.csv")
    return tmp_path
