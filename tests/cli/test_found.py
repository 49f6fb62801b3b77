"""What `hansard search` and `hansard log` say to people, in lines."""

from hansard.app.search_answers import Thing, ThingsFoundAnswer
from hansard.cli.recorded.log import plain
from hansard.cli.search import lines
from hansard.kernel.clock import to_text, utc_now


def test_a_file_is_shown_with_its_line_and_how_to_ask_why_it_is_there() -> None:
    found = Thing(
        kind="file",
        id="path:src/a b.py",
        title="src/a b.py",
        snippet="queue = Queue()",
        score=0.9,
        line=20,
        author="agent:builder",
        at=to_text(utc_now()),
    )

    shown = list(lines(answer(found), uncoloured, 80))

    assert shown[0].startswith("src/a b.py:20  (file, builder, ")
    assert shown[1:] == [
        "    queue = Queue()",
        "To look at the first: hansard why 'src/a b.py:20'",
    ]


def test_what_is_found_is_called_as_people_call_it() -> None:
    run = Thing(
        kind="entity", id="agentGraphExecution::x", title="Nightly", snippet="Nightly", score=0.5
    )
    note = Thing(kind="timeline", id="s:3", title="It hums", snippet="It hums", score=0.5)

    shown = list(lines(answer(run, note), uncoloured, 80))

    assert "Nightly (run)" in shown[0]
    assert shown[1] == "s:3  It hums (entry)"


def test_a_window_shows_no_id_that_nobody_reads() -> None:
    said = "maria wrote 1 part to the chat chatThread::4Uhz (now messageThread::YfP9)"

    assert plain(said) == "maria wrote 1 part to the chat"
    assert plain("Run made (agentGraphExecution::x3aH)") == "Run made"
    assert plain("Session lantern.dfbb closed: two links") == "Session closed: two links"
    assert plain("R002 updated: body") == "R002 updated: body"


def answer(*found: Thing) -> ThingsFoundAnswer:
    return ThingsFoundAnswer(results=list(found), index="none", index_lag=0)


def uncoloured(text: str, _: str) -> str:
    return text
