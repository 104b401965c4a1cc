"""Steps from one schema of the study's database to the next: `MIGRATIONS[n]` brings schema n to n + 1.

Each step runs inside one transaction together with the change of the schema's number, so a kill in the middle leaves
the old schema. Steps are never edited after a release; a new schema gets a new step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy.engine import Connection


def single_scores(connection: Connection) -> None:
    """Schema 2: a study may ask for single scores; those before it asked for differences."""
    no = "0" if connection.dialect.name == "sqlite" else "false"
    connection.exec_driver_sql(f"ALTER TABLE study ADD COLUMN scores BOOLEAN DEFAULT {no} NOT NULL")


MIGRATIONS: Final[Mapping[int, Callable[[Connection], None]]] = {1: single_scores}
