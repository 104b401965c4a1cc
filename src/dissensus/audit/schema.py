"""The tables of an audit study, for SQLite and PostgreSQL.

    study ─┬─ item ─┬─ weight (of each system)
           │        └─ assignment ─ label      the log: rows are added, never changed
           ├─ assessor (name, hash of the token, role)
           ├─ source (runs and judgments as Parquet, so that a study can be closed years later)
           └─ event (who did what, when)

Labels and events are links of one chain (`n`, `hash`), which begins with what the study commits to (`seal`).
`assignment.state` and `assignment.turn` are kept beside the log so that the next document is one indexed look-up; they
follow from the log, which alone is replayed. Databases refuse to change or delete a row of the log (triggers).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)
from sqlalchemy.schema import SchemaItem

SCHEMA = 3
metadata = MetaData()
_KEY = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only in INTEGER PRIMARY KEY


def _rows_of(parent: Table, name: str, *columns: SchemaItem, index: bool = False) -> Table:
    """A table whose rows are numbered, each belonging to one row of `parent`."""
    whose: Column[Any] = Column(parent.name, ForeignKey(parent.c.id), nullable=False, index=index)
    return Table(name, metadata, Column("id", _KEY, primary_key=True), whose, *columns)


def _named_of(parent: Table, name: str, key: str, width: int, *columns: SchemaItem) -> Table:
    """A table whose rows belong to one row of `parent`, and are called by the column `key`."""
    whose: Column[Any] = Column(parent.name, ForeignKey(parent.c.id), primary_key=True)
    return Table(name, metadata, whose, Column(key, String(width), primary_key=True), *columns)


version = Table("dissensus_schema", metadata, Column("number", Integer, primary_key=True))
rest = Table("dissensus_rest", metadata, Column("number", Integer, primary_key=True), Column("digest", String(64)))

study = Table(
    "study",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("title", Text, nullable=False),
    Column("seed_hash", String(64), nullable=False),  # sha256 of "salt:seed", so that the seed can be shown later
    Column("salt", String(32), nullable=False),
    Column("order_hash", String(64), nullable=False),  # sha256 of positions, documents and rates: what was committed
    Column("measure", Text, nullable=False),
    Column("systems", Text, nullable=False),  # JSON list: two systems to tell apart, or all
    Column("pair", Boolean, nullable=False),
    Column("scores", Boolean, nullable=False, server_default=false()),  # single scores instead of differences
    Column("target", Text, nullable=False),
    Column("level", Float, nullable=False),
    Column("stop", Text, nullable=False),
    Column("scale", Text, nullable=False),  # JSON list of grade names, lowest first
    Column("names", Text, nullable=False),  # JSON list: what the grades are called on the buttons
    Column("bronze_scale", Text, nullable=False),
    Column("judge", Text, nullable=False),
    Column("guideline", Text, nullable=False),
    Column("mark_query", Boolean, nullable=False),
    Column("second_share", Float, nullable=False),
    Column("repeat_share", Float, nullable=False),
    Column("created", Float, nullable=False),
    Column("opened", Integer, nullable=False),  # positions given out so far
    Column("turns", Integer, nullable=False),
    Column("stopped_at", Integer),  # labels of the prefix at which the stop rule was met
    Column("closed", Float),
    Column("committed", Text),  # JSON: hashes of settings, order, texts, inputs; its own hash begins the chain
    Column("head", String(64)),  # the chain's last hash
    Column("entries", Integer),  # its links
    Column("closing", String(64)),  # its hash when the study was closed
)

item = _rows_of(
    study,
    "item",
    Column("topic", Text, nullable=False),
    Column("doc", Text, nullable=False),
    Column("bronze", Text),
    Column("rate", Float, nullable=False),
    Column("next_key", Float),  # of the document after it; NULL after the last: what π is made of
    Column("position", Integer, nullable=False),  # 1, 2, …: the committed order
    Column("first_draw", Float, nullable=False),  # uniform numbers that choose assessors, drawn with the order
    Column("second_draw", Float, nullable=False),
    Column("repeat_draw", Float, nullable=False),
    Column("topic_text", Text, nullable=False),  # JSON
    Column("doc_text", Text, nullable=False),  # JSON
    UniqueConstraint("study", "position"),
    UniqueConstraint("study", "topic", "doc"),
)

weight = _named_of(item, "weight", "system", 400, Column("w", Float, nullable=False))
source = _named_of(study, "source", "name", 40, Column("body", LargeBinary, nullable=False))

assessor = _rows_of(
    study,
    "assessor",
    Column("name", Text, nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("role", String(10), nullable=False),  # assessor | owner
    Column("joined", Float),
    Column("seen", Float),
    UniqueConstraint("study", "name"),
)

assignment = _rows_of(
    item,
    "assignment",
    Column("assessor", ForeignKey("assessor.id"), nullable=False),
    Column("role", String(10), nullable=False),  # first | second | repeat | adjudicate
    Column("attempt", Integer, nullable=False),  # 0, and one more where somebody could not judge or left
    Column("given_at", Float, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("state", String(10), nullable=False),  # open | graded | cannot | released
    UniqueConstraint("item", "role", "attempt"),  # one item in one role is never given to two people
)
Index("assignment_next", assignment.c.assessor, assignment.c.state, assignment.c.turn)

label = _rows_of(
    assignment,
    "label",
    Column("action", String(10), nullable=False),  # grade | cannot | skip | undo
    Column("grade", Text),
    Column("cannot", Text),
    Column("comment", Text),
    Column("seconds", Float),
    Column("at", Float, nullable=False),
    Column("request", String(64), nullable=False, unique=True),
    Column("n", Integer),  # the row's place in the chain; NULL before there was one
    Column("hash", String(64)),
    index=True,
)

event = _rows_of(
    study,
    "event",
    Column("at", Float, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("n", Integer),
    Column("hash", String(64)),
)

#: joined tables: what was given to whom, and the log with the document and the person of each row
GIVEN = assignment.join(item)
LOG = label.join(GIVEN)

_SQLITE = (
    "CREATE TRIGGER label_no_change BEFORE UPDATE ON label BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    "CREATE TRIGGER label_no_delete BEFORE DELETE ON label BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
)
_POSTGRESQL = (
    "CREATE FUNCTION label_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$",
    "CREATE TRIGGER label_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON label "
    "FOR EACH STATEMENT EXECUTE FUNCTION label_refuse()",
)


def create_tables(connection: Connection) -> None:
    """All tables of the present schema, and the guards of the log, in an empty database."""
    metadata.create_all(connection)
    for statement in _SQLITE if connection.dialect.name == "sqlite" else _POSTGRESQL:
        connection.exec_driver_sql(statement)
    connection.execute(version.insert().values(number=SCHEMA))


# ── from one schema to the next ──────────────────────────────────────────────────────────────────────────────────────
def single_scores(connection: Connection) -> None:
    """Schema 2: a study may ask for single scores; those before it asked for differences."""
    no = "0" if connection.dialect.name == "sqlite" else "false"
    connection.exec_driver_sql(f"ALTER TABLE study ADD COLUMN scores BOOLEAN DEFAULT {no} NOT NULL")


def sealed(connection: Connection) -> None:
    """Schema 3: the chain, and a digest of a file at rest; what was written before is not in the chain."""
    connection.exec_driver_sql("CREATE TABLE dissensus_rest (number INTEGER NOT NULL PRIMARY KEY, digest VARCHAR(64))")
    for table, column, kind in (
        ("study", "committed", "TEXT"), ("study", "head", "VARCHAR(64)"), ("study", "entries", "INTEGER"),
        ("study", "closing", "VARCHAR(64)"), ("label", "n", "INTEGER"), ("label", "hash", "VARCHAR(64)"),
        ("event", "n", "INTEGER"), ("event", "hash", "VARCHAR(64)"),
    ):  # fmt: skip
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")


# MIGRATIONS[n] brings schema n to n + 1, in one transaction with the change of the schema's number, so that a kill in
# the middle leaves the old schema. Steps are never edited after a release; a new schema gets a new step.
MIGRATIONS: Final[Mapping[int, Callable[[Connection], None]]] = {1: single_scores, 2: sealed}
