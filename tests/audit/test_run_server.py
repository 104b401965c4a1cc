"""Starting the server: links, addresses, and a port that is taken."""

from __future__ import annotations

from pathlib import Path

from audit_studies import small_study
from refusals import refused

from dissensus.audit.people import issue_tokens
from dissensus.audit.run_server import address_of, bind, links
from dissensus.audit.store import Store
from dissensus.errors import InputError


def test_experts_and_the_owner_have_different_links(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"))
    tokens = issue_tokens(study)
    found = links(study, tokens, "http://host:1")
    assert found["ann"] == f"http://host:1/a/{tokens['ann']}"
    assert found["owner"] == f"http://host:1/o/{tokens['owner']}"
    assert len(set(found.values())) == 3


def test_any_free_port_is_taken_and_a_taken_one_is_named() -> None:
    listening = bind("127.0.0.1", 0)
    try:
        port = listening.getsockname()[1]
        assert address_of(listening) == f"http://127.0.0.1:{port}"
        assert address_of(listening, "::1") == f"http://[::1]:{port}"
        with refused(InputError, "127.0.0.1", port):
            bind("127.0.0.1", port)
    finally:
        listening.close()
