"""Links: random tokens of which the database holds hashes."""

from __future__ import annotations

from pathlib import Path

from audit_studies import small_study
from served_study import ORIGIN, Served, served_study  # noqa: F401 (a fixture)

from dissensus.audit.people import issue_tokens, kept_tokens, links_file, who
from dissensus.audit.store import StudyStore


def test_tokens_are_stored_hashed(served: Served, tmp_path: Path) -> None:
    stored = b"".join(f.read_bytes() for f in tmp_path.glob("study.db*"))
    for token in served.tokens.values():
        assert token.encode() not in stored


def test_new_links_end_the_old_ones(tmp_path):
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    old = issue_tokens(study)
    with study.store.read() as connection:
        assert {n: who(connection, study, t).name for n, t in old.items()} == {n: n for n in ("ann", "ben", "owner")}
    issue_tokens(study)
    with study.store.read() as connection:
        assert all(who(connection, study, t) is None for t in old.values())


def test_kept_links_are_used_again_and_lost_ones_replaced(tmp_path):
    place = str(tmp_path / "study.db")
    study = small_study(StudyStore.create(place))
    first = kept_tokens(study, place)
    file = links_file(study, place)
    assert oct(file.stat().st_mode)[-3:] == "600"
    assert kept_tokens(study, place) == first
    file.unlink()
    assert kept_tokens(study, place) != first


def test_links_of_a_server_are_kept_in_the_working_folder(tmp_path):
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    assert str(links_file(study, "postgresql://host/base")) == f"study-{study.id[:8]}.links"
