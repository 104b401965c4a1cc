"""Results as Markdown tables: the best numbers bold, marks behind the names, what the columns mean and notes below."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dissensus.windows.words import DIGITS, Cells, best_cells, claim_lines, legend, marks_of_row

if TYPE_CHECKING:
    from dissensus.results import Result, Table


# pairs of marks, links, images, cells, formulas; addresses that are links without brackets; what begins a line
_MARKS = re.compile(r"[\\`*_\[|~$]|:(?=//)|(?<=www)\.|@(?=[\w.-]*\.)|^[#+-]+(?=\s)|(?<=^\d)[.)](?=\s)", re.IGNORECASE)


def escaped(text: str) -> str:
    """Text from data that Markdown shows as it is, in a cell and in a line.

    >>> escaped("a|b <i>")
    'a\\\\|b &lt;i&gt;'
    >>> print(escaped("![logo](https://example.org/a.png)"))
    !\\[logo](https\\://example.org/a.png)
    """
    for raw, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", " "), ("\n", " ")):
        text = text.replace(raw, written)
    return _MARKS.sub(r"\\\g<0>", text)


def text(result: Result, *, digits: int = DIGITS, say: Callable[[str], str] = str) -> str:
    """All tables of a result, the account below the last one."""
    tables = result.tables
    account = [*claim_lines(result.claims), *map(say, result.notes)]
    last = len(tables) - 1
    return "\n".join(
        markdown_table(table, name if last else result.title, account if i == last else (), digits)
        for i, (name, table) in enumerate(tables.items())
    )


def markdown_table(table: Table, caption: str = "", notes: Sequence[str] = (), digits: int = DIGITS) -> str:
    """One table, numbers right-aligned."""
    cells, bold = Cells.of(table, digits), best_cells(table)
    lines = [f"**{escaped(caption)}**", ""] if caption else []
    lines.append("| " + " | ".join(map(escaped, cells.header)) + " |")
    lines.append("|" + "|".join("---:" if n else "---" for n in cells.numeric) + "|")
    for i, row in enumerate(cells.rows):
        written = [f"**{escaped(v)}**" if (i, k) in bold else escaped(v) for k, v in enumerate(row)]
        for k, mark in marks_of_row(table, i):
            written[k] += f" {mark}"
        lines.append("| " + " | ".join(written) + " |")
    below = [*legend(table), *notes]
    lines += ["", *(f"{escaped(line)}  " for line in below)] if below else []
    return "\n".join(lines) + "\n"
