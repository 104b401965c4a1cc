"""The tables of a study."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from audit_studies import experts, grade_next, small_study

from dissensus.audit import schema
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.audit.whole import beside


def labels(store: StudyStore) -> int:
    with store.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(schema.label)).scalar_one())


@pytest.mark.parametrize("change", ["UPDATE label SET grade = '3'", "DELETE FROM label"])
def test_the_log_cannot_be_changed(store: StudyStore, change: str) -> None:
    study = small_study(store)
    (ann, _) = experts(study)
    assert grade_next(study, ann, "r1") is not None
    with pytest.raises(sa.exc.DBAPIError, match="append-only"), store.write() as connection:
        connection.exec_driver_sql(change)
    assert labels(store) == 1


def test_a_study_of_the_first_schema_goes_on_asking_for_differences(place: str) -> None:
    store = StudyStore.create(place)
    study = small_study(store)
    with store.engine.begin() as connection:  # as it was before there were studies of single scores, and before seals
        connection.exec_driver_sql("ALTER TABLE study DROP COLUMN scores")
        connection.exec_driver_sql("DROP TABLE dissensus_rest")
        for table, added in (("study", "committed head entries closing"), ("label", "n hash"), ("event", "n hash")):
            for column in added.split():
                connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute(schema.version.update().values(number=1))
    store.close()
    beside(Path(place), "-count").unlink(missing_ok=True)  # nobody counted rows then
    again = Study.load(StudyStore.open(place))
    ann, _ = experts(again)
    assert grade_next(again, ann, "r1") is not None  # it goes on, without a chain
    assert not again.seal().sealed
    assert again.commitment is None
    assert not again.scores
    assert again.single
    assert again.row.order_hash == study.row.order_hash
