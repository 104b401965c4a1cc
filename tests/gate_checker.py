"""Reads the lines that a gate prints and recomputes each from the numbers of its JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

NUMBERS = re.compile(
    r"new − base = (?P<d>[+-][\d.]+) \[(?P<low>-?[\d.]+), (?P<high>-?[\d.]+)\] against (?P<limit>0|the tolerance of "
    r"[\d.e-]+)(?P<must>, for it must improve)? \(one-sided p (?P<sign>[<=]) (?P<p>[\d.]+)\)"
)


def outcome_of(row: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """What the adjusted one-sided p-values of a measure say."""
    alpha = (1 - document["level"]) / 2
    if row["p_worse"] is not None and row["p_worse"] <= alpha:
        return "fail"
    return "pass" if row["p_good"] is not None and row["p_good"] <= alpha else "cannot tell"


def false_lines(lines: Iterable[str], document: Mapping[str, Any]) -> list[str]:
    """The lines that the numbers do not support, or that no rule reads."""
    rows = {row["measure"]: row for row in document["tables"]["checks"]}
    return [line for line in lines if not _true(line, rows, document)]


def _true(line: str, rows: Mapping[str, Mapping[str, Any]], document: Mapping[str, Any]) -> bool:
    outcomes = [outcome_of(row, document) for row in rows.values()]
    whole = "fail" if "fail" in outcomes else "cannot tell" if "cannot tell" in outcomes else "pass"
    new, base, must = document["new"], document["base"], document["must_improve"]
    worse = f"worse than {base} by more than {document['tolerance']:g}"
    if not line.startswith("  "):
        said = {
            "pass": f"pass: {new} is " + (f"better than {base}" if must else f"not {worse}"),
            "fail": f"fail: {new} is {worse}",
            "cannot tell": f"cannot tell: the data do not show whether {new} is "
            + (f"better than {base}" if must else worse),
        }
        return line == said[whole]
    name, _, rest = line.strip().partition(": ")
    stated, _, why = rest.partition("; ")
    row = rows.get(name)
    if row is None or stated != outcome_of(row, document):
        return False
    if why == "base and new have the same score on every topic":
        return (row["difference"], row["se"]) == (0, 0)
    m = NUMBERS.fullmatch(why)
    if m is None:
        return row["difference"] is None
    p = row["p_worse"] if stated == "fail" else row["p_good"]
    limit = 0.0 if must else -float(document["tolerance"])
    side = {"fail": row["high"] <= limit + 1e-12, "pass": row["low"] >= limit - 1e-12}.get(stated, True)
    return (
        all(abs(float(m[k]) - row[n]) < 6e-5 for k, n in (("d", "difference"), ("low", "low"), ("high", "high")))
        and bool(m["must"]) == must
        and (p < float(m["p"]) if m["sign"] == "<" else abs(p - float(m["p"])) < 6e-4)
        and (side or len(rows) > 1)  # Holm's p-values may decide where Bonferroni's wider intervals do not
    )
