"""Topics in groups (ambiguous, faceted; navigational, informational …), from a small table."""

from __future__ import annotations

from pathlib import Path

from dissensus.data.files import kind
from dissensus.data.formats.tabular import read_delimited
from dissensus.data.tables import find_column
from dissensus.errors import FileError


def read_groups(path: str | Path) -> dict[str, str]:
    """{topic: group} from a CSV or TSV file with the columns topic and group."""
    file = Path(path)
    if not file.is_file():
        raise FileError(f"{path}: there is no such file.", "Groups are a table with the columns topic and group.")
    table = read_delimited(file, "\t" if kind(file) == "tsv" else ",")
    topic = find_column(table.frame.columns, "topic", str(path))
    named = {c.strip().lower(): c for c in table.frame.columns}
    if "group" not in named:
        raise FileError(
            f"{path} has no column 'group'; its columns are {', '.join(table.frame.columns)}.",
            "Write a header line: topic,group",
        )
    groups: dict[str, str] = {}
    for row, (name, group) in enumerate(zip(table.frame[topic], table.frame[named["group"]], strict=True)):
        if groups.setdefault(str(name), str(group)) != str(group):
            raise FileError(f"{table.place(row)}: topic {name} is in the groups {groups[str(name)]} and {group}.")
    return groups
