"""Every public verb and command gives the numbers it gave: on the examples and on five real collections.

A number that must change needs its reason in a file in tests/numbers/expected; CONTRIBUTING.md says how.
"""

from __future__ import annotations

import pytest

from tools import referee


@pytest.mark.parametrize("case", referee.cases(), ids=lambda case: case.title)
def test_numbers_are_as_recorded(case: referee.Case) -> None:
    if referee.absent(case.collection):
        pytest.skip(f"real data '{case.collection}' not found beside the repository (../shared/data/{case.collection})")
    assert referee.recorded(case.collection)[case.name], (
        f"nothing recorded: python tools/referee.py record {case.title}"
    )
    wrong = [str(c) for c in referee.changes(case) if c.reason is None]
    assert not wrong, "\n".join([f"{len(wrong)} numbers changed without a reason", *wrong[:20]])


def test_every_public_verb_and_command_has_a_case() -> None:
    import dissensus as ds
    from dissensus.cli.commands import COMMANDS

    verbs = {case.verb for case in referee.cases()}
    # nouns, doors (their rows are behind every verb), and what gives no number
    others = {
        "Scale", "Runs", "Judgments", "Collection", "Audit", "Measure", "Linear", "Confusion", "Preferences",
        "Sequential", "MarkovUser", "UserDynamic", "DissensusError", "DissensusWarning", "register", "read_runs",
        "read_judgments", "read_audit", "read_scores", "read_features", "read_preferences", "inject_noise",
        "write_report", "write_figures", "report", "figures", "order",
        "agree", "weights", "combine", "score_partition", "multiverse", "convert",  # aliases, and verbs since 0.2.0
        # behind commands that have cases, or studies in a file
        "balance", "clicks", "experiment", "judges", "label", "noise", "rank", "train",
        *(name for name in ds.__all__ if name.startswith("audit_")),
        *(name for name in ds.__all__ if isinstance(getattr(ds, name), type)),
        "Result", "Table", "Column", "Policies", "Agreement", "Merged", "Corrected", "Differences", "Plan", "Gate",
    }  # fmt: skip
    assert {name for name in ds.__all__ if f"ds.{name}" not in verbs} - others == set()
    without = {"measures", "rank", "label", "figures", "run", "demo", "multiverse", "convert"}
    assert {name for commands in COMMANDS.values() for name in commands} - verbs - without == set()
