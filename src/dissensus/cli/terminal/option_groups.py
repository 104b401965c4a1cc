"""`--help` in groups: what a command computes first, then the files it reads and how, policies, output, long work.

The group of an option follows from its name, so that every command sorts its options in the same way; whatever is not
listed here is the command's own, and comes first.
"""

from __future__ import annotations

from typing import Any

OWN = "Options"
GROUPS: dict[str, tuple[str, ...]] = {
    "Files": (
        "judgments", "more_judgments", "score_table", "audit", "confusion", "truth", "runs", "documents",
        "topic_texts", "gains", "queries", "qrels", "validation", "class_file", "answers", "preferences",
    ),
    OWN: (),
    "How files are read": (
        "assessor", "merge", "scale", "repeated", "assessor_column", "intent_column", "system", "columns", "separator",
        "missing", "map", "threshold",
    ),
    "Policies": ("ties", "topics", "unjudged", "empty", "negative"),
    "Output": (
        "per_topic", "perquery", "show_all", "everything", "digits", "json", "output", "plot", "chart", "format",
        "width", "title", "documentation", "save", "sample", "frame", "model", "run",
    ),
    "Long work": ("cluster", "workspace", "workers"),
    "Further": ("seed", "help"),
}  # fmt: skip
_GROUP = {name: group for group, names in GROUPS.items() for name in names}


def group_of(name: str | None) -> str:
    """The group of an option.

    >>> group_of("audit"), group_of("tolerance"), group_of("json")
    ('Files', 'Options', 'Output')
    """
    return _GROUP.get(name or "", OWN)


def format_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Arguments, then the options by group; a command with few options has one group."""
    rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{group: [] for group in GROUPS}}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            group = "Arguments" if parameter.param_type_name == "argument" else group_of(parameter.name)
            rows[group].append(record)
    if sum(len(found) for group, found in rows.items() if group != "Arguments") <= 8:
        rest = [record for group in GROUPS for record in rows.pop(group)]
        rows[OWN] = rest
    for group, found in rows.items():
        if found:
            with formatter.section(group):
                formatter.write_dl(found)
