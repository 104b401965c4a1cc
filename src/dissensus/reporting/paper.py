"""A report as parts of a paper: a table, the figure of the systems, and a paragraph of methods and results.

`table.tex`, `figures.tex` and `methods.tex` are there to `\\input`. `paper.tex` shows them together. The paragraph
says what was done from the values of the study, and what was found in the outcome's own sentences.
"""

from __future__ import annotations

from pathlib import Path

from dissensus import __version__
from dissensus.errors import OutputError
from dissensus.reporting.build import Built
from dissensus.reporting.charts.drawing import points, write_drawing
from dissensus.reporting.charts.theme import Width
from dissensus.reporting.figures import described, figures, write_latex
from dissensus.reporting.paper_tables import paper_outcomes, tests_of
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.sections.answer import verdict
from dissensus.windows.latex import escaped, text
from dissensus.wording import counted
from dissensus.work.atomic import atomic

FIGURE = "answer-systems"
DOCUMENT = r"""% pdflatex paper.tex
\documentclass[twocolumn]{article}
\usepackage[T1]{fontenc}
\usepackage[textwidth=504pt,columnsep=24pt,margin=54pt,letterpaper]{geometry}
\usepackage{lmodern,booktabs,graphicx}
\begin{document}
\sloppy
\section*{Methods and results}
\input{methods}
\input{table}
\input{figures}
\end{document}
"""


def check_folder(folder: Path) -> None:
    """Refuse a name that is a file's."""
    if folder.is_file():
        raise OutputError(f"paper={folder} is a file.", "Name a folder, which need not exist.")


def write_paper(built: Built, folder: Path, width: Width = "column") -> list[Path]:
    """Write table.tex, methods.tex, the figure, figures.tex and paper.tex; returns the files."""
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    outcome, wide = built.answer.outcome, points(width)
    others = [o for o in outcome.also() if o.measure != outcome.measure and o.pairs]
    table = text(paper_outcomes([outcome, *others], policies(built)), digits=3)
    table = table.replace("{table}", "{table*}").replace(r"\centering", r"\centering\small\setlength{\tabcolsep}{4pt}")
    texts = {"table.tex": table, "methods.tex": escaped(methods(built)) + "\n", "paper.tex": DOCUMENT}
    written = [_written(folder / name, content) for name, content in texts.items()]
    drawn = [f for f in figures(built) if f.name == FIGURE]
    for figure in drawn:
        svg = described(figure.svg(wide), figure.caption)
        written += [write_drawing(svg, folder / f"{figure.name}.{ending}", wide) for ending in ("pdf", "svg")]
    return [*written, write_latex(drawn, folder, wide)]


def methods(built: Built) -> str:
    """What was done, then what was found: the outcome's claims and remarks as they are."""
    study, outcome = built.study, built.answer.outcome
    names = ", ".join(study.judge_scores.values)
    counts = f"{counted(len(study.systems), 'system')} on {counted(len(study.judge_scores.topics), 'topic')}"
    done = [f"We scored {counts} by {names} with dissensus {__version__} (seed {study.seed})."]
    if isinstance(study, ScoreStudy):
        done.append(f"The scores come from a table: {study.basis}.")
    else:
        done.append(f"The labels are {study.judge_name}'s ({len(study.judge):,} labels).")
        if study.audit is not None and study.verdict is not None:
            made = study.verdict.results[study.measure].estimate
            done.append(f"Experts labelled {counted(len(study.audit), 'document')}, which correct the scores.")
            done.append(f"{study.measure} is corrected by the method {made.method}.")
            done += [f"It assumes that {made.assumption}."] if made.assumption else []
    if outcome.pairs:
        done.append(f"We compared {counted(len(outcome.pairs), 'pair')} of systems. {tests_of(outcome.pairs)}")
    rules = policies(built)
    found = [line.rstrip(".") + "." for line in verdict(built.answer)]
    return " ".join([*done, *([f"Policies: {rules}."] if rules else []), *filter(None, [built.refused]), *found])


def policies(built: Built) -> str:
    """How ties, missing topics and unjudged documents were treated."""
    study = built.study
    return "" if isinstance(study, ScoreStudy) else str(study.judge_scores.attrs.get("footer", ""))


def _written(path: Path, content: str) -> Path:
    with atomic(path) as file:
        file.write(content)
    return path
