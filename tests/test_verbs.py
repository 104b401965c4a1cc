"""Every public verb says what it takes and returns, shows an example that is run, and is its command."""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

import pytest

import dissensus as ds
from dissensus.aliases import VERBS
from dissensus.cli.build import parameters
from dissensus.cli.commands import load, names
from dissensus.docstrings import SHARED, documented, sections
from dissensus.measures import catalog

FUNCTIONS = {n: f for n in ds.__all__ if n not in VERBS and inspect.isfunction(f := getattr(ds, n))}
WITHOUT_VERB = {"demo", "measures", "run", "audit new", "audit serve", "audit page"}

#: what every command may have of its own: how files are read, and how the result is shown
AROUND = {
    "all_rows", "explain", "digits", "json", "output", "plot", "chart", "assessor_column", "system", "columns",
    "separator", "map", "missing", "threshold", "scale", "grade", "labels",
    "repeated", "cluster", "workspace", "merge", "seed", "runs",
    "judgments", "score_table", "audit", "gold", "assessor", "queries", "documents", "gains",
}  # fmt: skip
#: command → {its parameter: the verb's} where the command line has another word, or files where Python has objects
OTHERWISE: dict[str, dict[str, str]] = {
    "merge": {"break_ties": "ties", "drop_suspects": "suspects"},
    "plan": {"between": "systems", "minutes": "minutes_per_label"},
    "figures": {"output": "folder", "format": "formats"},
    "report": {"output": "path"},
    "correct": {"confusion": "audit_or_confusion", "bootstrap": "interval"},
    "compare": {"score_table": "scores"},
    "gate": {"score_table": "scores"},
    "check": {"assessor_column": "assessor"},
    "convert": {"assessor_column": "assessor"},
}
#: what a command adds: another view of the result, or a file beside it
ADDED: dict[str, set[str]] = {
    "evaluate": {"by", "intent_column", "long", "per_topic", "perquery", "trec_eval"},
    "compare": {
        "anova", "anytime", "bootstrap", "confusion", "judge", "method", "pooled",
        "ties", "topics", "unjudged", "empty",
    },
    "agree": {"answers", "confusion", "dimension", "groups", "pairs", "per_topic"},
    "judges": {"card"},
    "merge": {"compare", "dimension"},
    "aware": {"per_topic"},
    "weights": {"at_least", "of", "zero"},
    "plan": {"frame", "sample"},
    "ceiling": {"letor", "per_topic"},
    "noise": {"inject"},
    "train": {"model"},
    "rank": {"qrels", "run"},
    "label": {"answers", "preferences"},
    "clicks": {"class_file"},
    "report": {"before", "margin", "new_run", "probe", "save"},
    "experiment": {"about"},
}  # fmt: skip
#: what only Python has
PYTHON: dict[str, set[str]] = {
    "compare": {"replicates"},
    "merge": {"start"},
    "weights": {"cluster"},
    "label": {"prefer"},
    "experiment": {"reading"},
}


def commands() -> dict[str, Callable[..., Any]]:
    """Every command and subcommand that has a verb, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for name in names():
        module = importlib.import_module(f"dissensus.cli.{name}")
        own = {f"{name} {w}": f for w, f in module.SUBCOMMANDS.items()} if hasattr(module, "SUBCOMMANDS") else None
        found |= own or {name: module.command}
    return {name: f for name, f in found.items() if name not in WITHOUT_VERB}


COMMANDS = commands()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_verb_describes_what_it_takes_and_returns(name: str) -> None:
    verb = FUNCTIONS[name]
    text = verb.__doc__ or ""
    takes = [p for p in inspect.signature(verb).parameters if p not in ("reading", "table")]
    assert [p for p in takes if p not in documented(text)] == []
    assert [p for p in documented(text) if p not in (*takes, "reading")] == []
    assert sections(text)["Returns"].splitlines()[1].startswith("    ")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_verb_shows_an_example_that_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_registered", {})  # what an example registers is not in other tests' catalog
    verb = FUNCTIONS[name]
    module = sys.modules[inspect.unwrap(verb).__module__]
    (found,) = doctest.DocTestFinder(recurse=False).find(verb, name, globs=dict(vars(module)))
    assert found.examples
    assert not any(doctest.SKIP in e.options for e in found.examples)
    assert doctest.DocTestRunner().run(found).failed == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_what_its_verb_takes(name: str) -> None:
    verb = getattr(ds, name.replace(" ", "_"))
    otherwise = OTHERWISE.get(name, {})
    typed = {otherwise.get(p.name, p.name) for p, _ in parameters(COMMANDS[name])}
    taken = set(inspect.signature(verb).parameters)
    assert taken - typed - PYTHON.get(name, set()) == set()
    assert typed - taken - AROUND - ADDED.get(name, set()) == set()


#: what a parameter is → the keywords that say how it is read
TABLE = {"columns", "separator"}
LABELS = TABLE | {"missing", "map", "threshold", "scale", "labels", "repeated"}
READ: dict[str, set[str]] = {
    "runs": TABLE | {"missing"}, "judgments": LABELS, "original": LABELS, "grades": LABELS, "scores": TABLE,
    "prefs": TABLE | {"missing"}, "logs": TABLE, "audit": TABLE | {"scale", "labels"}, "audit_or_confusion": LABELS,
}  # fmt: skip
READERS: dict[str, set[str]] = {
    "read_runs": READ["runs"], "read_judgments": LABELS, "read_audit": READ["audit"], "read_scores": TABLE,
    "read_clicks": TABLE, "read_preferences": READ["prefs"],
}  # fmt: skip
#: an experiment reads its files by one value; a workspace's study, features and models have formats of their own;
#: what is converted keeps its grades, which are mapped and cut when the folder is read
READS_OTHERWISE = {"experiment", "convert"}


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in READS_OTHERWISE])
def test_whatever_is_read_takes_the_same_options(name: str) -> None:
    taken = set(inspect.signature(FUNCTIONS[name]).parameters)
    wanted = READERS.get(name, set()).union(*(READ[p] for p in taken & READ.keys()))
    assert wanted - taken == set()


@pytest.mark.parametrize("name", [n for n in COMMANDS if " " not in n])
def test_help_says_what_the_verb_says(name: str) -> None:
    """One declaration per parameter: an option without words of its own has the verb's."""
    texts = SHARED | documented(getattr(ds, name).__doc__ or "")
    silent = {p.name for p, _ in parameters(COMMANDS[name]) if not p.declared.help and p.name in texts}
    shown = {o.name: getattr(o, "help", None) or getattr(o, "text", "") for o in load(name).params}
    assert [n for n in silent if not shown[n].startswith(texts[n].replace("`", "")[:40])] == []


def test_every_parameter_of_a_command_is_described() -> None:
    bare = [
        f"{name} {o.name}"
        for name in names()
        if name != "audit"
        for o in load(name).params
        if not (getattr(o, "help", None) or getattr(o, "text", ""))
    ]
    assert bare == []
