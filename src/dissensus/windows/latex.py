"""Results as booktabs tables (put \\usepackage{booktabs} into the preamble): the best numbers bold, marks as
superscripts, what the columns mean and the notes below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dissensus.windows.words import DIGITS, Cells, best_cells, claim_lines, legend, marks_of_row

if TYPE_CHECKING:
    from dissensus.results import Result, Table

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "−": "$-$",
    "τ": r"$\tau$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "∞": r"$\infty$",
    "×": r"$\times$",
    "Δ": r"$\Delta$",
    "±": r"$\pm$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "→": r"$\to$",
    "…": r"\ldots{}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
}


def escaped(text: str) -> str:
    """Text as LaTeX shows it.

    >>> escaped("run_1 & co")
    'run\\\\_1 \\\\& co'
    """
    return "".join(_ESCAPES.get(c, c) for c in text)


def text(result: Result, *, digits: int = DIGITS, say: Callable[[str], str] = str) -> str:
    """All tables of a result, the account below the last one."""
    tables = result.tables
    account = [*claim_lines(result.claims), *map(say, result.notes)]
    last = len(tables) - 1
    return "\n".join(
        latex_table(table, name if last else result.title, account if i == last else (), digits)
        for i, (name, table) in enumerate(tables.items())
    )


def latex_table(table: Table, caption: str = "", notes: Sequence[str] = (), digits: int = DIGITS) -> str:
    """One booktabs table, numbers right-aligned."""
    cells, bold = Cells.of(table, digits), best_cells(table)
    lines = [r"\begin{table}", r"\centering"]
    if caption:
        lines.append(rf"\caption{{{escaped(caption)}}}")
    lines.append(r"\begin{tabular}{" + "".join("r" if n else "l" for n in cells.numeric) + "}")
    lines += [r"\toprule", " & ".join(map(escaped, cells.header)) + r" \\", r"\midrule"]
    for i, row in enumerate(cells.rows):
        written = [_cell(v, n) for v, n in zip(row, cells.numeric, strict=True)]
        written = [rf"\textbf{{{c}}}" if (i, k) in bold else c for k, c in enumerate(written)]
        for k, mark in marks_of_row(table, i):
            written[k] += rf"\textsuperscript{{{escaped(mark)}}}"
        lines.append(" & ".join(written) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    means = ". ".join(legend(table))
    below = [*([f"{means}."] if means else []), *filter(None, notes)]
    if below:
        lines += [r"\par\smallskip{\footnotesize\raggedright", *(rf"{escaped(line)}\par" for line in below), "}"]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _cell(text: str, numeric: bool) -> str:
    return f"$-${text[1:]}" if numeric and text.startswith("-") else escaped(text)
