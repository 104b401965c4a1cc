"""From one schema to the next."""

from __future__ import annotations

from audit_studies import small_study

from dissensus.audit import schema
from dissensus.audit.store import Store
from dissensus.audit.study import Study


def test_a_study_of_the_first_schema_goes_on_asking_for_differences(place: str) -> None:
    store = Store.create(place)
    study = small_study(store)
    with store.write() as connection:  # as it was before there were studies of single scores
        connection.exec_driver_sql("ALTER TABLE study DROP COLUMN scores")
        connection.execute(schema.version.update().values(number=1))
    store.close()
    again = Study.load(Store.open(place))
    assert not again.scores
    assert again.single
    assert again.row.order_hash == study.row.order_hash
