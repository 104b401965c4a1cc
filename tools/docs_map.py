"""The map of the documentation site: six parts, their pages in the order of need, and where old addresses lead.

A page that is in a folder but not in the map stands at the end of its part, so a new method needs only its file. A page
that moved or was merged leaves its old address in `MOVED`, and the site keeps a small page there that leads on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

# part → folder → (title in the navigation, page) in the order of need; further pages of the folder follow by name
PARTS: dict[str, tuple[str, ...]] = {
    "Learn": ("learn", "notebooks"),
    "How to": ("how-to",),
    "Understand": ("understand",),
    "Look up": ("look-up",),
    "Evidence": ("evidence",),
    "Project": ("project",),
}
MAP: dict[str, dict[str, str]] = {
    "Learn": {
        "1. Score and compare": "learn/1-score-and-compare.md",
        "2. A judge that fooled us": "learn/2-a-judge-that-fooled-us.md",
        "3. Judge in the browser": "learn/3-judge-in-the-browser.md",
        "4. Make the decision": "learn/4-make-the-decision.md",
        "5. Put the gate into CI": "learn/5-gate-in-ci.md",
        "Notebook: a first look": "notebooks/first-look.md",
        "Notebook: an LLM judge and experts": "notebooks/judge-and-experts.md",
    },
    "How to": {
        "Find what your files support": "how-to/what-can-i-do.md",
        "Trust an LLM judge": "how-to/llm-judge.md",
        "Choose how many expert labels": "how-to/expert-labels.md",
        "Run an audit": "how-to/run-an-audit.md",
        "Read a report": "how-to/read-a-report.md",
        "Gate a release": "how-to/gate.md",
        "Use score tables only": "how-to/score-tables.md",
        "Merge a crowd": "how-to/merging.md",
        "Compare prompts and judge versions": "how-to/prompts.md",
        "Use preferences of an LLM": "how-to/preferences.md",
        "Choose a measure": "how-to/measures.md",
        "Choose gains": "how-to/gains.md",
        "Score labels of several columns": "how-to/label-columns.md",
        "Write it in a paper": "how-to/paper.md",
        "Call it from a program": "how-to/programs.md",
        "Keep an analysis in a file": "how-to/analysis-file.md",
        "Come from another tool": "how-to/coming-from.md",
    },
    "Understand": {
        "Naive, corrected, pooled": "understand/correction.md",
        "Better, probably better, undecided": "understand/comparison.md",
        "Looking while auditing": "understand/sequential.md",
        "Planning an audit": "understand/planning.md",
        "Checking a judge": "understand/judges.md",
        "Agreement": "understand/agreement.md",
        "Merging labels": "understand/merging.md",
        "AWARE": "understand/aware.md",
        "Preferences": "understand/preferences.md",
        "The ceiling": "understand/ceiling.md",
        "User disagreement": "understand/disagreement.md",
        "Measures": "understand/measures.md",
        "What a measurement is": "understand/measurement.md",
        "Likeness of rankings": "understand/correlation.md",
        "From clicks to a user model": "understand/clicks.md",
        "Markov Precision": "understand/markov.md",
        "Label noise": "understand/noise.md",
        "Top-k labelling": "understand/labelling.md",
        "Rankers": "understand/learning.md",
        "Statistics": "understand/statistics.md",
        "From a laptop to a cluster": "understand/scale.md",
    },
    "Look up": {
        "Commands": "look-up/commands.md",
        "Python": "look-up/python.md",
        "Results": "look-up/results.md",
        "Classes": "look-up/classes.md",
        "Notes, warnings and errors": "look-up/messages.md",
        "Files": "look-up/formats.md",
        "Who computes what differently": "look-up/conformance.md",
        "Gallery": "look-up/gallery.md",
        "Glossary": "look-up/glossary.md",
    },
    "Evidence": {
        "Claims": "evidence/claims.md",
        "Corrected scores": "evidence/correction.md",
        "Conclusions and recommendations": "evidence/conclusions.md",
        "Pooled scores": "evidence/pooled.md",
        "Looking at every label": "evidence/sequential.md",
        "Real labels": "evidence/real-labels.md",
        "Planted biases": "evidence/judges.md",
        "Preferences": "evidence/preferences.md",
        "Merging methods": "evidence/merging.md",
        "AWARE": "evidence/aware.md",
        "The ceiling": "evidence/ceiling.md",
        "User disagreement": "evidence/disagreement.md",
        "Label noise": "evidence/noise.md",
        "Axioms of measures": "evidence/axioms.md",
        "Markov Precision": "evidence/markov.md",
        "Faults of an audit": "evidence/audit-faults.md",
        "Speed": "evidence/speed.md",
        "Benchmarks": "evidence/benchmarks.md",
    },
    "Project": {
        "Changelog": "project/changelog.md",
        "Contributing": "project/contributing.md",
        "The rooms": "project/rooms.md",
        "Security": "project/security.md",
        "Cite": "project/cite.md",
        "Licence": "project/licence.md",
    },
}

# where the pages of 0.2.0 are now
MOVED: dict[str, str] = {
    **{f"questions/{name}.md": f"how-to/{name}.md" for name in (
        "analysis-file", "coming-from", "expert-labels", "gains", "gate", "llm-judge", "measures", "merging",
        "preferences", "prompts", "read-a-report", "run-an-audit", "score-tables", "what-can-i-do",
    )},
    **{f"methods/{name}.md": f"understand/{name}.md" for name in (
        "agreement", "aware", "ceiling", "clicks", "comparison", "correction", "correlation", "disagreement", "judges",
        "labelling", "learning", "markov", "measurement", "measures", "merging", "noise", "planning", "preferences",
        "scale", "sequential", "statistics",
    )},
    **{f"validation/{name}.md": f"evidence/{name}.md" for name in (
        "audit-faults", "aware", "axioms", "ceiling", "correction", "disagreement", "judges", "markov", "merging",
        "noise", "pooled", "preferences", "real-labels", "sequential",
    )},
    **{f"{name}.md": f"look-up/{name}.md" for name in ("conformance", "formats", "gallery", "glossary")},
    **{f"{name}.md": f"evidence/{name}.md" for name in ("claims", "speed", "benchmarks")},
    "questions/ceiling.md": "understand/ceiling.md",
    "how-to/ceiling.md": "understand/ceiling.md",
    "questions/noise.md": "understand/noise.md",
    "how-to/noise.md": "understand/noise.md",
    "questions/order.md": "how-to/llm-judge.md",
    "how-to/order.md": "how-to/llm-judge.md",
    "rooms.md": "project/rooms.md",
    "reference/commands.md": "look-up/commands.md",
    "reference/names.md": "look-up/python.md",
    **{f"reference/{name}.md": "look-up/classes.md" for name in (
        "audit", "inference", "io", "judging", "label_noise", "learning", "measures", "reporting", "stats", "studies",
        "tables", "theory", "users", "work",
    )},
}  # fmt: skip

LEADS_ON = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={to}">
<link rel="canonical" href="{to}">
<script>location.replace("{to}" + location.hash)</script>
</head>
<body><p>This page has moved to <a href="{to}">{to}</a>.</p></body>
</html>
"""


def navigation(docs: Path, generated: list[str]) -> list[Any]:
    """The navigation of the site: `generated` are pages that no file stands for."""
    nav: list[Any] = [{"Home": "index.md"}]
    for part, folders in PARTS.items():
        mapped = MAP.get(part, {})
        pages: list[Any] = [{title: page} for title, page in mapped.items() if _there(docs, page, generated)]
        further = sorted(
            page
            for folder in folders
            for page in [
                *(f"{folder}/{p.name}" for p in (docs / folder).glob("*.md")),
                *(page for page in generated if page.startswith(f"{folder}/")),
            ]
            if page not in mapped.values()
        )
        nav.append({part: _nested(pages, further)})
    return nav


def _nested(pages: list[Any], further: list[str]) -> list[Any]:
    """Pages of a folder below a page of the same name stand in a section of their own."""
    out: list[Any] = []
    for entry in pages:
        ((title, page),) = entry.items()
        below = [p for p in further if p.startswith(page.removesuffix(".md") + "/")]
        out.append({title: [page, *below]} if below else entry)
        further = [p for p in further if p not in below]
    return out + further


def _there(docs: Path, page: str, generated: list[str]) -> bool:
    return (docs / page).exists() or page in generated


def lead_on(site: Path) -> None:
    """Write a page at every old address that leads to the new one."""
    for old, new in MOVED.items():
        page = site / Path(old).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        to = "../" * old.count("/") + str(Path(new).with_suffix(".html"))
        page.write_text(LEADS_ON.format(to=to), encoding="utf-8")
