"""Topics in words, from the formats they come in."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused

from dissensus.errors import FileError
from dissensus.io.topic_texts import TopicText, read_topic_texts

TREC = """<top>
<num> Number: 301
<title> International Organized Crime
<desc> Description:
Identify organizations that participate
in international criminal activity.
<narr> Narrative:
A relevant document must name the organization &amp; the crime.
</top>
<top><num> Number: 302 <title> Poliomyelitis</top>
"""
WEB = """<webtrack2009><topic number="1" type="faceted">
<query>obama family tree</query><description>Find information on the family.</description></topic></webtrack2009>"""


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("t.tsv", "1\tbees\n2\twasps\n", {"1": TopicText("bees"), "2": TopicText("wasps")}),
        ("t.tsv", "topic\tquery\tnarrative\n1\tbees\tall of them\n", {"1": TopicText("bees", "", "all of them")}),
        ("t.csv", 'qid,title,desc\n1,"bees, wild",why\n', {"1": TopicText("bees, wild", "why")}),
        ("t.jsonl", '{"_id": 1, "text": "bees"}\n', {"1": TopicText("bees")}),
        ("t.xml", WEB, {"1": TopicText("obama family tree", "Find information on the family.")}),
        (
            "topics.301-302", TREC,
            {"301": TopicText("International Organized Crime",
                              "Identify organizations that participate in international criminal activity.",
                              "A relevant document must name the organization & the crime."),
             "302": TopicText("Poliomyelitis")},
        ),
    ],
)  # fmt: skip
def test_formats(tmp_path: Path, name: str, content: str, expected: dict[str, TopicText]) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert read_topic_texts(path) == expected


@pytest.mark.parametrize(
    ("name", "content", "values"),
    [
        ("t.tsv", "1\tbees\n1\twasps\n", ("t.tsv:2", 1)),
        ("t.tsv", "1\tbees\n2\n", ("t.tsv:2", 1)),
        ("t.jsonl", '{"_id": 1}\n', ("t.jsonl:1",)),
        ("t.txt", "<top><title> x</top>", ("t.txt:1",)),
    ],
)
def test_mistakes_name_the_line(tmp_path: Path, name: str, content: str, values: tuple[object, ...]) -> None:
    path = tmp_path / name
    path.write_text(content)
    with refused(FileError, *values):
        read_topic_texts(path)
