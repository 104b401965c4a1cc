"""A gate's result for other programs: Markdown for a comment on a change, JUnit XML for a test report."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from dissensus.windows.markdown import escaped

if TYPE_CHECKING:
    from dissensus.inference.gate import Gate

MARKS = {"pass": "✅", "fail": "❌", "cannot tell": "❔"}
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}"


def markdown(gate: Gate) -> str:
    """The verdict, a table of measures, and what it rests on."""
    lines = [
        f"### {MARKS[gate.decision]} {escaped(gate.headline)}",
        "",
        "| measure | base | new | new − base | interval | decision |",
        "|---|---|---|---|---|---|",
    ]
    for c in gate.checks:
        ends = f"{_number(c.low)} … {_number(c.high)}"
        what = escaped(c.measure)
        values = (what, _number(c.base_score), _number(c.new_score), _number(c.difference), ends, c.decision)
        lines.append(f"| {' | '.join(values)} |")
    return "\n".join([*lines, "", *(f"- {escaped(note)}" for note in gate.notes), ""])


def junit(gate: Gate) -> str:
    """One test case per measure: a failure where the new run is worse, an error where the data cannot tell."""
    kinds = [c.decision for c in gate.checks]
    suite = ElementTree.Element(
        "testsuite", name=_xml(f"dissensus gate: {gate.new} against {gate.base}"), tests=str(len(kinds)),
        failures=str(kinds.count("fail")), errors=str(kinds.count("cannot tell")), skipped="0",
    )  # fmt: skip
    for c in gate.checks:
        case = ElementTree.SubElement(suite, "testcase", classname="dissensus.gate", name=_xml(c.measure))
        text = _xml(c.sentence(gate.tolerance, gate.must_improve))
        if c.decision == "pass":
            ElementTree.SubElement(case, "system-out").text = text
        else:
            tag = "failure" if c.decision == "fail" else "error"
            ElementTree.SubElement(case, tag, message=text, type=c.decision).text = text
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Characters that XML does not have are replaced."""
    return NOT_XML.sub("\ufffd", text)
