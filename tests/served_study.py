"""A study behind a client, as the tests of the audit server use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from audit_studies import small_study
from starlette.testclient import TestClient

from dissensus.audit.people import issue_tokens
from dissensus.audit.security import Way
from dissensus.audit.server import application
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study

ORIGIN = {"origin": "http://testserver"}


class Served:
    """A study behind a client."""

    def __init__(self, study: Study, hosts: frozenset[str] | None = frozenset({"testserver"})) -> None:
        self.study, self.tokens = study, issue_tokens(study)
        self.client = TestClient(application(study, way=Way(hosts=hosts)), raise_server_exceptions=False)

    def get(self, path: str, name: str = "ann", **options: Any) -> Any:
        return self.client.get(f"/{'o' if name == 'owner' else 'a'}/{self.tokens[name]}{path}", **options)

    def post(self, path: str, body: Any, name: str = "ann", headers: dict[str, str] | None = None) -> Any:
        return self.client.post(
            f"/{'o' if name == 'owner' else 'a'}/{self.tokens[name]}{path}", json=body,
            headers=ORIGIN if headers is None else headers,
        )  # fmt: skip

    def first(self, name: str = "ann") -> dict[str, Any]:
        self.get("", name)
        return dict(self.get("/next", name).json()["documents"][0])


@pytest.fixture(name="served")
def served_study(tmp_path: Path) -> Served:
    return Served(small_study(StudyStore.create(tmp_path / "study.db")))
