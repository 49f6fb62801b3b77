"""A subscription looks at each entry once, also at those that tell it nothing."""

from hansard.app.application import Application
from hansard.kernel.operation import Caller
from hansard.sdk.subscription import looked_after


def test_what_others_wrote_is_not_looked_at_again(app: Application, agent: Caller) -> None:
    for number in range(4):
        app.call("toy_note", {"text": f"n{number}"}, agent)
    app.call("entity_create", {"type": "textDocument", "data": DOCUMENT}, agent)
    app.call("toy_note", {"text": "last"}, agent)
    head = app.store.engine.heads()[app.default_project].seq

    told, reached = looked_after(app.store, app.default_project, 0)

    assert len(told) == 1
    assert reached == head
    assert looked_after(app.store, app.default_project, reached) == ([], head)


def test_a_place_beyond_the_end_is_kept_until_the_journal_reaches_it(
    app: Application, agent: Caller
) -> None:
    app.call("toy_note", {"text": "one"}, agent)

    assert looked_after(app.store, app.default_project, 99) == ([], 99)


DOCUMENT = {"title": "t", "content": "c"}
