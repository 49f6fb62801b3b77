"""Records are verified with all that is derived from their bodies."""

import apsw
import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel.operation import Caller
from tests.conftest import OpenApp


def create(app: Application, agent: Caller, body: str, **more: object) -> None:
    arguments = {"parent_id": None, "type": "note", "title": "t", "summary": "s", "body": body}
    app.call("create_record", arguments | more, agent)


def test_a_store_of_records_is_sound(app: Application, agent: Caller) -> None:
    create(app, agent, "a body that is indexed")

    report = verify(app.store)

    assert not report.findings
    assert sum(checked.rows or 0 for checked in report.projects) > 5


def test_a_store_is_sound_in_whatever_order_metadata_was_given(
    app: Application, agent: Caller
) -> None:
    create(app, agent, "a body", metadata={"who": "one", "at": {"z": "two", "a": "three"}})
    create(app, agent, "a body", metadata={"who": "one", "Who": "another", "WHO": "a third"})
    changed = {"id": "R001", "metadata": {"zone": "four", "area": "five", "at": {"y": 1, "b": 2}}}
    app.call("update_record", changed, agent)

    assert not verify(app.store).findings


@pytest.mark.parametrize("open_engine", ["sqlite"], indirect=True)
def test_a_damaged_body_is_named_and_the_rest_is_still_checked(
    open_app: OpenApp, agent: Caller, tmp_path: object
) -> None:
    app = open_app()
    create(app, agent, "a body that will be damaged " * 20)
    with apsw.Connection(f"{tmp_path}/store/hansard.db") as connection:
        connection.execute("UPDATE blobs SET packed = zeroblob(length(packed))")

    report = verify(app.store)

    assert {finding.check for finding in report.findings} == {"blobs"}
    assert {checked.project for checked in report.projects} == {"@catalog", "default"}
