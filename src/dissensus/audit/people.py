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
from dissensus.errors import FileError, Fix, Option
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
    """The tokens in use; new ones where they are asked for, or the file with them is gone."""
    file = links_file(study, place)
    if file.is_file() and not new:
        return _read_tokens(study, file)
    tokens = issue_tokens(study)
    keep_tokens(file, tokens)
    return tokens


def _read_tokens(study: Study, file: Path) -> dict[str, str]:
    """The tokens of a file; one that is damaged, or of another study, is refused: new links would lock experts out."""
    try:
        tokens = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(tokens, dict):
            raise TypeError("not an object")
        with study.store.read() as connection:
            found = {name: who(connection, study, token) for name, token in tokens.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(f"{file} is damaged: it cannot be read.", *NEW_LINKS) from error
    people = {p.name for p in study.people()}
    if set(found) != people or any(person is None or person.name != name for name, person in found.items()):
        raise FileError(f"{file} does not hold the links of this study.", *NEW_LINKS)
    return dict(tokens)


NEW_LINKS = (
    "Put back the file that belongs to the study.",
    Fix("Make new links, with ", Option("new_links", True), ": those that you gave out stop working."),
)
