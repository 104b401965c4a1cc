"""One declaration per parameter: what NumPy docstrings say, and the sentences that many verbs share.

A verb documents its own parameters. Those that mean the same everywhere (policies, seed, how files are read) are
described once, here, and completed in the docstring of every verb that has them. `help()`, `--help` and the reference
page read the same text.

    >>> print(completed("Do it.\\n\\nReturns\\n-------\\nint\\n    One.", ["seed"]))
    Do it.
    <BLANKLINE>
    Parameters
    ----------
    seed
        Seed of everything that is drawn. One seed in, one result out.
    <BLANKLINE>
    Returns
    -------
    int
        One.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from textwrap import fill

SHARED: dict[str, str] = {
    "runs": "The systems' rankings: Runs, paths, a frame or a dict.",
    "judgments": "The labels: Judgments, paths, a frame or a dict.",
    "measures": "A measure or several, by name.",
    "assessor": "The assessor whose labels are used, where there are several.",
    "gold": "The assessor that is the truth.",
    "level": "Level of intervals and tests.",
    "replicates": "How often is drawn for intervals and p-values.",
    "seed": "Seed of everything that is drawn. One seed in, one result out.",
    "topics": "Topics that count: all that the assessor judged (missing ones score 0), those every run has, or each "
    "run's own.",
    "unjudged": "Unjudged documents: count as nonrelevant, leave out, or give bounds.",
    "ties": "Tied scores: trec_eval's order by document id, or the mean over all orders.",
    "empty": "Topics without relevant documents: leave out of means, or score 0 as trec_eval.",
    "negative": "Grades below zero: unjudged, or labels of their own.",
    "columns": 'Which column is which, {"topic": "qid"}. A name applies to the inputs that have that column, '
    '{"judgments": {"grade": "stars"}} to one input. Tables without a header take numbers from 1.',
    "separator": "What separates the columns of a text table.",
    "map": 'Grades for labels of an assessor on another scale, {"bin": {1: 2}}.',
    "threshold": "The value, or values, at which a judge's scores are cut into grades. Without it, ten bins.",
    "scale": 'The grades, lowest first: "0..3" or "Non,Rel,HRel".',
    "labels": 'The columns that a label is put together from, ["snippet", "page"]. The scale then has one for each: '
    '"No,Maybe,Sure;Non,Rel,Key". One name is the column of the grade.',
    "repeated": "What to do when one assessor judged a document twice: error, keep, first or last.",
    "missing": "Rows without a grade or score: an error, or skip them and say how many.",
}
HEADING = re.compile(r"^(Parameters|Returns|Raises|Notes|References|Examples)\n-{4,}$", re.M)


def sections(docstring: str) -> dict[str, str]:
    """The sections of a NumPy docstring by name, the text before them under an empty name.

    >>> sections("Do it.\\n\\nReturns\\n-------\\nint\\n    One.")
    {'': 'Do it.', 'Returns': 'int\\n    One.'}
    """
    parts = HEADING.split(inspect.cleandoc(docstring))
    return {"": parts[0].strip()} | {
        name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def documented(docstring: str) -> dict[str, str]:
    """What the `Parameters` section of a NumPy docstring says of each parameter.

    >>> documented('''Do it.
    ...
    ... Parameters
    ... ----------
    ... level : float
    ...     Level of the intervals.
    ... ties, topics
    ...     Policies.
    ...
    ... Returns
    ... -------
    ... Result
    ... ''')
    {'level': 'Level of the intervals.', 'ties': 'Policies.', 'topics': 'Policies.'}
    """
    found: dict[str, str] = {}
    names: list[str] = []
    for line in sections(docstring).get("Parameters", "").splitlines():
        if line.strip() and not line.startswith(" "):
            names = [name.strip().lstrip("*") for name in line.partition(":")[0].split(",")]
        elif line.strip():
            for name in names:
                found[name] = f"{found[name]} {line.strip()}" if name in found else line.strip()
    return found


def completed(docstring: str, names: Iterable[str]) -> str:
    """The docstring with the shared sentences of those parameters that it does not describe itself."""
    there, parts = documented(docstring), sections(docstring)
    entries = [f"{name}\n{_indented(SHARED[name])}" for name in names if name in SHARED and name not in there]
    own = [parts.pop("Parameters")] if "Parameters" in parts else []
    if own or entries:
        text = "\n".join([*own, *entries])
        parts = {"": parts.pop(""), "Parameters": text, **parts}
    return "\n\n".join(f"{name}\n{'-' * len(name)}\n{text}" if name else text for name, text in parts.items())


def prose(docstring: str) -> str:
    r"""A docstring's text for help: without its NumPy sections, examples keep their line breaks.

    >>> prose("Does it.\n\nExample:\n    dissensus demo")
    'Does it.\n\n\x08\nExample:\n    dissensus demo'
    """
    return "\n\n".join(
        "\b\n" + p if any(line.startswith("  ") for line in p.splitlines()) and not p.startswith("\b") else p
        for p in sections(docstring)[""].split("\n\n")
    )


def _indented(text: str) -> str:
    return fill(text, 112, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
