"""An analysis file as commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.cli.parts.analysis import file_of, read_analysis
from dissensus.errors import FileError, InputError

TEXT = """
runs = ["runs/*.run"]
judgments = ["llm=labels.csv"]
measures = ["P@5", "AP"]
seed = 3
[policies]
ties = "expected"
[outputs]
evaluate = "scores.csv"
merge = "merged.csv"
[outputs.wide]
command = "compare"
file = "pairs.csv"
plot = "pairs.svg"
all = true
"""


def read(tmp_path, text=TEXT, **more):
    (tmp_path / "a.toml").write_text(text)
    return read_analysis(tmp_path / "a.toml", **more)


def test_every_output_is_a_command_with_the_shared_words_it_takes(tmp_path):
    evaluate, merge, wide = read(tmp_path).steps(Path("out"))
    assert evaluate.command == "evaluate"
    words = list(evaluate.words)
    assert words[0] == str(tmp_path / "runs" / "*.run")
    assert words[words.index("--judgments") + 1] == f"llm={tmp_path / 'labels.csv'}"
    assert [words[i + 1] for i, w in enumerate(words) if w == "--measure"] == ["P@5", "AP"]
    assert words[words.index("--ties") + 1] == "expected"
    assert words[-2:] == ["--output", "out/scores.csv"]
    assert "--ties" not in merge.words  # where it means something else
    assert "--all" in wide.words
    assert set(wide.files) == {"pairs.csv", "pairs.svg"}
    assert wide.line.startswith("dissensus compare ")


def test_a_seed_from_outside_takes_the_place_of_the_files(tmp_path):
    words = read(tmp_path, seed=8).steps(Path("out"))[0].words
    assert words[words.index("--seed") + 1] == "8"


def test_inputs_and_results_are_named(tmp_path):
    analysis = read(tmp_path)
    assert analysis.inputs() == ["runs/*.run", "labels.csv"]
    assert analysis.results == tmp_path / "results"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("seed = 3", "schema = 2", InputError),
        ('evaluate = "scores.csv"', "evaluate = 3", InputError),
        ('"pairs.csv"', '"/pairs.csv"', InputError),
        ("seed = 3", 'results = "."', InputError),
        ("seed = 3", "level = [0.9, 0.8]", InputError),
        ("seed = 3", "seed = ", FileError),
    ],
)
def test_what_cannot_be_done_is_refused(tmp_path, old, new, error):
    with pytest.raises(error):
        read(tmp_path, TEXT.replace(old, new)).steps(Path("out"))


def test_the_file_behind_a_name():
    assert file_of("llm=labels/a.qrels") == "labels/a.qrels"
    assert file_of("runs/p=0.8.run") == "runs/p=0.8.run"
