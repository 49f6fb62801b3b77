"""Why is this line here: the entry, session, step, prompt, records and decisions behind it."""

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.app.keeping.redaction import WantedErasure, erase
from hansard.app.why.answers import WhyAnswer, WrittenLines
from hansard.kernel.blob import digest_of
from hansard.kernel.operation import Caller
from hansard.kernel.problem import InvalidInput
from hansard.recorder.contents.blame import LineSpan, through
from hansard.recorder.contents.changed_lines import compare, unpacked
from hansard.recorder.contents.diffs import changed_regions, lines_of
from tests.app.kept import PERSON
from tests.conftest import OpenApp, a_caller
from tests.recorder.asking import create, edit, op, restore


def why(app: Application, caller: Caller, path: str, line: int, **rest: Any) -> list[WrittenLines]:
    answer = app.call("why", {"path": path, "line": line, **rest}, caller)
    assert isinstance(answer, WhyAnswer)
    return answer.lines


def writer(app: Application, caller: Caller, path: str, line: int, **rest: Any) -> int | None:
    """Name the entry that wrote one line."""
    [one] = why(app, caller, path, line, **rest)
    return one.seq


def seq(app: Application) -> int:
    return app.store.read(app.default_project, lambda tx: tx.head().seq)


@pytest.mark.holds("FIL-why-1")
def test_a_line_names_its_entry_session_step_prompt_and_grounds(
    app: Application, agent: Caller
) -> None:
    record = app.call(
        "create_record", {"type": "task", "title": "Login", "summary": "s", "body": "b"}, agent
    ).model_dump()["record"]["id"]
    app.call("record_session_start", {"title": "Auth", "user_message": "Add\nlogin"}, agent)
    decided: Any = app.call(
        "record_decision",
        {"title": "Use JWT", "target": "auth", "rationale": "It was measured twice."},
        agent,
    )
    app.call("record_plan", {"steps": ["read", "write"]}, agent)
    create(app, agent, "a.py", "one\ntwo\n")
    app.call("record_step", {"index": 1}, agent)
    app.call("audit_event", {"type": "user_message", "description": "Now the token"}, agent)
    cites = [decided.decision_id, record, "path:b.py"]
    written = edit(app, agent, "a.py", "one\ntoken\ntwo\n", cites=cites)

    [first] = why(app, agent, "a.py", 1)
    [second] = why(app, agent, "a.py", 2)

    assert (first.session_title, first.index, first.step) == ("Auth", 0, "read")
    assert first.prompt is not None
    assert first.prompt.text == "Add\nlogin"
    assert (second.seq, second.index, second.step, second.text) == (
        written.seq,
        1,
        "write",
        "token",
    )
    assert second.prompt is not None
    assert second.prompt.text == "Now the token"
    assert second.actor == "agent:test-agent"
    assert [(one.id, one.how) for one in second.records or ()] == [(record, "cited")]
    assert [(one.id, one.how, one.status) for one in second.decisions or ()] == [
        (decided.decision_id, "cited", "active")
    ]
    assert second.cites == ["path:b.py"]
    text = app.call("why", {"path": "a.py", "line": 2}, agent).text()
    for said in ("`token`", '"Auth"', "step 2: write", "Now the token", "Use JWT", "Login"):
        assert said in text


def test_what_was_active_and_what_governs_is_told(app: Application, agent: Caller) -> None:
    made = {"type": "task", "title": "Login", "summary": "s", "body": "b"}
    ids = [app.call("create_record", made, agent).model_dump()["record"]["id"] for _ in range(2)]
    app.call("deactivate", {"id": ids[0]}, agent)
    rule = {"title": "Keep it small", "target": "path:src/**", "rationale": "Long files tire."}
    decided: Any = app.call("record_decision", rule, a_caller())
    create(app, agent, "src/a.py", "one\n")

    [one] = why(app, agent, "src/a.py", 1)

    assert [(each.id, each.how) for each in one.records or ()] == [(ids[1], "active")]
    assert [(each.id, each.how) for each in one.decisions or ()] == [
        (decided.decision_id, "governs")
    ]


@pytest.mark.holds("FIL-why-2")
def test_a_line_is_followed_through_moves_and_restores(app: Application, agent: Caller) -> None:
    first = create(app, agent, "a", "1\n2\n3\n")
    second = edit(app, agent, "a", "1\n2\nthree\n")
    op(app, agent, "move", "a", to="b")
    point = f"s:{seq(app)}"
    edit(app, agent, "b", "gone\n")
    restore(app, agent, path="b", point=point, to="after")

    assert [writer(app, agent, "b", line) for line in (1, 2, 3)] == [
        first.seq, first.seq, second.seq,
    ]  # fmt: skip
    [one] = why(app, agent, "b", 1)
    assert (one.path, one.line, one.revision) == ("a", 1, 1)


@pytest.mark.holds("FIL-why-2")
def test_what_an_undo_brings_back_belongs_to_who_wrote_it(app: Application, agent: Caller) -> None:
    first = create(app, agent, "a", "1\n2\n3\n4\n5\n6\n")
    cut = edit(app, agent, "a", "1\n4\n5\n6\n")
    other = edit(app, a_caller(), "a", "1\n4\n5\n6\n7\n")
    app.call("undo", {"entry": f"s:{cut.seq}"}, agent)

    assert [writer(app, agent, "a", line) for line in range(1, 8)] == [first.seq] * 6 + [other.seq]


def test_someone_who_brings_an_old_content_back_did_not_write_it(
    app: Application, agent: Caller, files: Path
) -> None:
    first = create(app, agent, "a", "1\n2\n")
    edit(app, agent, "a", "x\n")
    (files / "a").write_text("1\n2\n")
    last = edit(app, agent, "a", "1\n2\n3\n")

    assert [writer(app, agent, "a", line) for line in (1, 2, 3)] == [
        first.seq, first.seq, last.seq,
    ]  # fmt: skip


def test_a_line_that_was_changed_since_the_last_record_says_so(
    app: Application, agent: Caller, files: Path, viewer: Caller
) -> None:
    first = create(app, agent, "a", "1\n2\n")
    (files / "a").write_text("0\n1\n2\n")

    told = why(app, agent, "a", 1, end_line=3)

    assert [(one.source, one.seq, one.first_line, one.last_line) for one in told] == [
        ("unrecorded", None, 1, 1), ("executed", first.seq, 2, 3),
    ]  # fmt: skip
    assert [one.source for one in why(app, viewer, "a", 1)] == ["executed"]


@pytest.mark.holds("FIL-why-3")
def test_a_revision_is_asked_about_as_a_film_shows_it(app: Application, agent: Caller) -> None:
    first = create(app, agent, "a", "1\n2\n")
    edit(app, agent, "a", "x\n")

    answer = app.call("why", {"path": "a", "line": 2, "at": 1}, agent)

    assert isinstance(answer, WhyAnswer)
    assert (answer.revision, answer.lines[0].seq) == (1, first.seq)
    for wrong in ({"line": 3, "at": 1}, {"line": 1, "at": 9}, {"line": 2, "end_line": 1}):
        with pytest.raises(InvalidInput):
            app.call("why", {"path": "a", **wrong}, agent)


@pytest.mark.holds("FIL-why-4")
def test_what_is_not_known_is_said(app: Application, agent: Caller, files: Path) -> None:
    (files / "a").write_text("1\n2\n")
    reported = {"path": "a", "content": "1\n2\n", "session_id": None}
    app.call("record_file_edit", {k: v for k, v in reported.items() if v}, agent)

    [one] = why(app, agent, "a", 1)

    assert one.note is not None
    assert "not known" in one.note


def test_a_file_whose_record_was_erased_is_not_said_to_have_changed(
    app: Application, agent: Caller
) -> None:
    first = create(app, agent, "a", "one\nleaked\n")
    latest = edit(app, agent, "a", "one\nclean\n")
    for text in (b"one\nleaked\n", b"one\nclean\n"):
        wanted = WantedErasure(digests=(digest_of(text),))
        erase(app.store, app.default_project, wanted, reason="leak", stamp=PERSON)

    assert [writer(app, agent, "a", line) for line in (1, 2)] == [first.seq, latest.seq]


def test_the_words_of_a_secret_are_shown_nobody(app: Application, agent: Caller) -> None:
    token = "ghp_" + "a1B2" * 9
    create(app, agent, "a", f"token = '{token}'\n")

    answer = app.call("why", {"path": "a", "line": 1}, agent)

    assert token not in answer.text()
    assert token not in answer.model_dump_json()


@pytest.mark.holds("FIL-why-5")
@pytest.mark.parametrize("seed", range(8))
def test_blame_is_that_of_a_model_that_tags_each_line(open_app: OpenApp, seed: int) -> None:
    """Lines are distinct, so a line is its writer's until it goes; going back brings it back."""
    app, agent, chance = open_app(), a_caller(), random.Random(seed)
    lines = [f"0.{number}" for number in range(8)]
    name, count = "f0", 0
    made = create(app, agent, name, "".join(f"{one}\n" for one in lines))
    written = dict.fromkeys(lines, made.seq)
    points = [(seq(app), list(lines))]
    for turn in range(1, 14):
        choice = chance.random()
        if choice < 0.15:
            count += 1
            op(app, agent, "move", name, to=f"f{count}")
            name, points = f"f{count}", []
        elif choice < 0.35 and points:
            point, lines = chance.choice(points)
            lines = list(lines)
            restore(app, agent, path=name, point=f"s:{point}", to="after")
        else:
            place = chance.randrange(len(lines) + 1)
            lines[place : place + chance.randrange(3)] = [
                f"{turn}.{number}" for number in range(chance.randrange(1, 3))
            ]
            made = edit(app, agent, name, "".join(f"{one}\n" for one in lines))
            written |= {line: made.seq for line in lines if line.startswith(f"{turn}.")}
        points.append((seq(app), list(lines)))

    told = why(app, agent, name, 1, end_line=len(lines))

    found = {
        lines[number - 1]: one.seq
        for one in told
        for number in range(one.first_line, one.last_line + 1)
    }
    assert found == {line: written[line] for line in lines}


# Git.


def git(folder: Path, *arguments: str, author: str = "Ada") -> str:
    who = ["-c", f"user.name={author}", "-c", f"user.email={author}@example.org"]
    command = ["git", *who, "-c", "commit.gpgsign=false", *arguments]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.holds("FIL-why-6")
def test_where_the_recorder_does_not_know_git_goes_on(
    app: Application, agent: Caller, files: Path
) -> None:
    git(files, "init", "-q", "-b", "main")
    for author, text in (("Ada", "1\n2\n"), ("Bob", "1\n2\n3\n")):
        (files / "a").write_text(text)
        git(files, "add", "a")
        git(files, "commit", "-qm", f"By {author}\n\nMore.", author=author)
    bob, ada = git(files, "log", "--format=%H").splitlines()
    mine = edit(app, agent, "a", "0\n1\n2\n3\n")

    told = [why(app, agent, "a", line)[0] for line in range(1, 5)]

    assert (told[0].seq, told[0].commit) == (mine.seq, None)
    assert [one.source for one in told[1:]] == ["found"] * 3
    commits = [one.commit for one in told[1:]]
    assert [one.id for one in commits if one] == [ada, ada, bob]
    assert [one.author for one in commits if one] == ["Ada", "Ada", "Bob"]
    assert commits[2] is not None
    assert commits[2].summary == "By Bob"


def test_a_line_that_git_does_not_have_has_no_commit(
    app: Application, agent: Caller, files: Path
) -> None:
    git(files, "init", "-q", "-b", "main")
    (files / "a").write_text("1\n")

    [one] = why(app, agent, "a", 1)

    assert (one.source, one.commit) == ("unrecorded", None)


# The rules.


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12)
)
def test_lines_that_stay_are_the_same_lines_on_both_sides(was: list[str], now: list[str]) -> None:
    old, new = (("".join(f"{one}\n" for one in side)).encode() for side in (was, now))

    kept, fresh = through([LineSpan(0, 0, len(now))], changed_regions(lines_of(old), lines_of(new)))

    assert sum(one.length for one in [*kept, *fresh]) == len(now)
    for span in kept:
        for offset in range(span.length):
            assert now[span.asked + offset] == was[span.here + offset]
    assert all(span.asked == span.here for span in fresh)


@settings(deadline=None)
@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_what_is_recorded_of_a_comparison_is_the_comparison(old: str, new: str) -> None:
    compared = compare(old.encode(), new.encode())

    assert compared.regions is not None
    assert unpacked(compared.regions) == changed_regions(
        lines_of(old.encode()), lines_of(new.encode())
    )
