"""Records are verified with all that is derived from their bodies."""

import apsw
import pytest

from hansard.app.application import Application
from hansard.app.verify import verify
from hansard.kernel.operation import Caller
from tests.conftest import OpenApp


def create(app: Application, agent: Caller, body: str) -> None:
    arguments = {"parent_id": None, "type": "note", "title": "t", "summary": "s", "body": body}
    app.call("create_record", arguments, agent)


def test_a_store_of_records_is_sound(app: Application, agent: Caller) -> None:
    create(app, agent, "a body that is indexed")

    report = verify(app.store)

    assert not report.findings
    assert sum(checked.rows or 0 for checked in report.projects) > 5


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
