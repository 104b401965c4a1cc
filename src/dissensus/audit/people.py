"""Links: a random token for each person, of which the database holds the hash only."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.audit import schema
from dissensus.audit.seal import sha256
from dissensus.audit.store import is_server
from dissensus.audit.study import Person, Study
from dissensus.work.atomic import atomic

_WHO = sa.select(schema.assessor.c.id, schema.assessor.c.name, schema.assessor.c.role).where(
    schema.assessor.c.study == sa.bindparam("study"), schema.assessor.c.token_hash == sa.bindparam("hash")
)


def issue_tokens(study: Study) -> dict[str, str]:
    """{name: a new token} for all; links given out before stop working."""
    tokens = {}
    with study.store.write() as connection:
        for person in study.people():
            token = secrets.token_urlsafe(24)
            connection.execute(
                schema.assessor.update().where(schema.assessor.c.id == person.id).values(token_hash=sha256(token))
            )
            tokens[person.name] = token
    return tokens


def who(connection: Connection, study: Study, token: str) -> Person | None:
    """The person whose token this is."""
    row = connection.execute(_WHO, {"study": study.id, "hash": sha256(token)}).first()
    return None if row is None else Person(row.id, row.name, row.role)


def links_file(study: Study, place: str) -> Path:
    """Where the tokens are kept for whoever serves the study: beside the file, or in the working folder."""
    if is_server(place):
        return Path(f"study-{study.id[:8]}.links")
    return Path(f"{place}.links")


def keep_tokens(file: Path, tokens: dict[str, str]) -> None:
    """Write the tokens where only their owner may read them."""
    with atomic(file) as out:
        os.chmod(out.name, 0o600)
        json.dump(tokens, out, ensure_ascii=False, indent=1)


def kept_tokens(study: Study, place: str, *, new: bool = False) -> dict[str, str]:
    """The tokens in use; new ones where they are asked for, or the file with them is gone, or of another study."""
    file = links_file(study, place)
    if file.is_file() and not new:
        tokens = json.loads(file.read_text(encoding="utf-8"))
        with study.store.read() as connection:
            if all(who(connection, study, token) is not None for token in tokens.values()):
                return dict(tokens)
    tokens = issue_tokens(study)
    keep_tokens(file, tokens)
    return tokens
