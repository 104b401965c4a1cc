"""Tables for papers: booktabs LaTeX and Markdown, the best numbers bold, marks where a test found a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from dissensus.cli.terminal.output import Printout, Table

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
}


def paper(printout: Printout, suffix: str) -> str:
    """Booktabs tables (put \\usepackage{booktabs} into the preamble), or Markdown; the account as a note below."""
    parts = []
    last = len(printout.tables) - 1
    for i, (name, frame) in enumerate(printout.tables.items()):
        bold, marks = (best_cells(frame, printout.best), printout.marks) if i == 0 else (set(), ())
        caption = name if last else printout.title
        made = PaperTable(printout.cells(frame), caption, bold, marks, printout.footer if i == last else ())
        parts.append(made.latex() if suffix == ".tex" else made.markdown())
    return "\n".join(parts)


def latex(text: str) -> str:
    """Text as LaTeX shows it.

    >>> latex("run_1 & co")
    'run\\\\_1 \\\\& co'
    """
    return "".join(_ESCAPES.get(c, c) for c in text)


def best_cells(frame: pl.DataFrame, best: Mapping[str, bool]) -> set[tuple[int, int]]:
    """(row, column) of the best number of each column in `best`, within each assessor where there are several.

    >>> import polars as pl
    >>> best_cells(pl.DataFrame({"system": ["A", "B"], "AP": [0.2, 0.4]}), {"AP": True})
    {(1, 1)}
    """
    groups = frame["assessor"].to_list() if "assessor" in frame.columns else [""] * frame.height
    out = set()
    for name, higher in best.items():
        values = frame[name].to_list()
        for group in dict.fromkeys(groups):
            rows = [i for i, g in enumerate(groups) if g == group and values[i] is not None and values[i] == values[i]]
            if len(rows) > 1:
                top = (max if higher else min)(values[i] for i in rows)
                out |= {(i, frame.columns.index(name)) for i in rows if values[i] == top}
    return out


@dataclass(frozen=True)
class PaperTable:
    """A table with its caption, the cells that are `bold`, a mark for the name of each row, and notes below."""

    table: Table
    caption: str | None = None
    bold: Set[tuple[int, int]] = frozenset()
    marks: Sequence[str] = ()
    note: Sequence[str] = ()

    def latex(self) -> str:
        """A booktabs table, numbers right-aligned, marks as superscripts."""
        lines = [r"\begin{table}", r"\centering"]
        if self.caption:
            lines.append(rf"\caption{{{latex(self.caption)}}}")
        lines.append(r"\begin{tabular}{" + "".join("r" if n else "l" for n in self.table.numeric) + "}")
        lines += [r"\toprule", " & ".join(latex(h) for h in self.table.header) + r" \\", r"\midrule"]
        for i, row in enumerate(self.table.rows):
            cells = [_latex_cell(v, n) for v, n in zip(row, self.table.numeric, strict=True)]
            cells = [rf"\textbf{{{c}}}" if (i, k) in self.bold else c for k, c in enumerate(cells)]
            if i < len(self.marks) and self.marks[i]:
                cells[self.table.keys - 1] += rf"$^{{{self.marks[i]}}}$"
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        lines += [rf"\par\smallskip\footnotesize {latex(line)}" for line in self.note]
        return "\n".join([*lines, r"\end{table}"]) + "\n"

    def markdown(self) -> str:
        """A Markdown table, marks behind the names."""
        lines = [f"**{_markdown(self.caption)}**", ""] if self.caption else []
        lines.append("| " + " | ".join(map(_markdown, self.table.header)) + " |")
        lines.append("|" + "|".join("---:" if n else "---" for n in self.table.numeric) + "|")
        for i, row in enumerate(self.table.rows):
            cells = [f"**{_markdown(v)}**" if (i, k) in self.bold else _markdown(v) for k, v in enumerate(row)]
            if i < len(self.marks) and self.marks[i]:
                cells[self.table.keys - 1] += f" {self.marks[i].replace(chr(92) + 'dagger', '†')}"
            lines.append("| " + " | ".join(cells) + " |")
        lines += ["", *(f"{_markdown(line)}  " for line in self.note)] if self.note else []
        return "\n".join(lines) + "\n"


def _latex_cell(text: str, numeric: bool) -> str:
    return f"$-${text[1:]}" if numeric and text.startswith("-") else latex(text)


def _markdown(text: str) -> str:
    """Text that Markdown shows as it is.

    >>> _markdown("a|b <i>")
    'a\\\\|b &lt;i&gt;'
    """
    for raw, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(raw, written)
    return "".join(f"\\{c}" if c in "|*_`" else c for c in text)
