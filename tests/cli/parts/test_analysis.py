"""An analysis file as commands."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from refusals import refused

from dissensus.cli import main
from dissensus.cli.parts.analysis import analysis_text, check_analysis_file, file_of, read_analysis
from dissensus.errors import FileError, InputError, OutputError
from dissensus.io.samples import generated_collection

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
    assert [words[i + 1] for i, w in enumerate(words) if w == "--measures"] == ["P@5", "AP"]
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generated_collection(topics=3).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_report_saves_the_analysis_that_makes_it_again(folder: Path) -> None:
    (folder / "kept").mkdir()
    words = ["-j", "labels.csv", "--assessor", "llm", "-m", "P@5", "--title", 'A "title"', "-o", "page.html"]
    assert main(["report", "runs/bm25.run", "runs/dense.run", *words, "--save-analysis", "kept/again.toml"]) == 0
    assert main(["run", "kept/again.toml"]) == 0
    first, again = (sections(folder / place / "page.html") for place in (".", "kept/results"))
    assert list(first) == list(again)
    assert [key for key in first if first[key] != again[key]] == []


def sections(page: Path) -> dict[str, str]:
    """The sections of a page by their ids, but that which says where the page came from: paths, and a date or none."""
    text = page.read_text(encoding="utf-8").partition("<main")[2].partition("</main>")[0]
    parts = re.split(r'<(?:section|details)[^>]* id="([a-z-]+)"', text)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {key: part.partition("<footer>")[0] for key, part in found.items() if key != "origin"}


def test_paths_are_written_as_seen_from_the_file():
    given = {"runs": ["r/a.run"], "judgments": ["llm=labels.csv"], "measures": ["AP"], "seed": 4, "rows": True}
    text = analysis_text("report", given, "r.html", Path("kept"))
    values = tomllib.loads(text)
    assert values["runs"] == ["../r/a.run"]
    assert values["judgments"] == ["llm=../labels.csv"]
    assert (values["measures"], values["seed"]) == (["AP"], 4)
    assert values["outputs"]["report"] == {"file": "r.html", "rows": True}


@pytest.mark.parametrize("title", ['A "title"', "back\\slash", "line\nbreak", "é\x7f"])
def test_texts_come_back_from_toml(title):
    text = analysis_text("report", {"title": title}, "r.html", Path())
    assert tomllib.loads(text)["outputs"]["report"]["title"] == title


@pytest.mark.parametrize("name", ["again.json", "nowhere/again.toml"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(tmp_path, name):
    with refused(OutputError, "--save-analysis"):
        check_analysis_file(tmp_path / name)
