"""Which measures are utility-oriented, with counterexamples for those that are not.

Replacement and swap (thesis §3.4) on all binary rankings of 10 documents and all rankings of 4 documents with grades
0…3; `measures` is empty for the whole catalog.
"""

from __future__ import annotations

from typing import Any

from dissensus.cli.studies import Outcome, Request

SETTINGS: dict[str, Any] = {"measures": ()}


def run(request: Request) -> Outcome:
    from dissensus.studies.axioms import axiom_table

    chosen = request.settings["measures"]
    table = axiom_table(chosen, curves=False) if chosen else axiom_table()
    return Outcome(
        tables={"axioms": table.to_frame()},
        notes=["all binary rankings of 10 documents, all rankings of 4 with grades 0…3; R fixed at the length"],
    )
