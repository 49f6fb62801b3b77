"""What a decision looks like in Git, whatever text is in it."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hansard.decisions.git import decision_page
from hansard.decisions.git.decision_page import DecisionPage

HASH = "0" * 64

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
"""What callers may give: any character but NUL and halves of pairs."""

NASTY = st.sampled_from([
    "---", "\n---\n", "~~~\n~~~~", "Hansard-Seq: 9\nDecision-Id: D999", "\n\nDecision-Id: D999\n",
    "<script>", "\x1b[2J", "\r", "\u202e", "--amend", "# x", "diff --git a b", "\u2028", "x <a@b>",
])  # fmt: skip

HOSTILE = st.lists(TEXTS | NASTY, max_size=5).map("".join)


def a_page(**given: Any) -> DecisionPage:
    plain = DecisionPage(
        id="D002",
        title="Use PostgreSQL",
        target="database",
        rationale="It serves many writers.",
        consequences=(),
        cites=(),
        supersedes=(),
        enforcement=None,
        proposal=None,
        proposed_by=None,
        author_kind="agent",
        author="claude",
        at="2026-01-01T00:00:07.500000Z",
        clock="2026-01-01T00:00:09.000000Z",
        seq=12,
        hash=HASH,
    )
    return DecisionPage(**{name: getattr(plain, name) for name in DecisionPage.__slots__} | given)


def front_matter(page: bytes) -> dict[str, Any]:
    """Read the front matter as a reader of it would: lines up to the second delimiter."""
    lines = page.decode().split("\n")
    assert lines[0] == "---"
    pairs = (line.partition(": ") for line in lines[1 : lines.index("---", 1)])
    return {name: json.loads(value) for name, _, value in pairs}


def test_a_page_reads_well() -> None:
    page = a_page(supersedes=("D001",), consequences=("One more server",), cites=("R001",))

    assert (
        decision_page.render(page).decode()
        == f"""---
id: "D002"
title: "Use PostgreSQL"
target: "database"
status: "active"
superseded_by: null
supersedes: ["D001"]
enforcement: null
cites: ["R001"]
author: "agent:claude"
proposal: null
proposed_by: null
recorded: "{page.at}"
seq: 12
---

# Use PostgreSQL

## Rationale

~~~text
It serves many writers.
~~~

## Consequences

~~~text
One more server
~~~
"""
    )


def test_a_commit_reads_well() -> None:
    page = a_page(supersedes=("D001",))

    assert (
        decision_page.commit(page, tree="1" * 40, parent="2" * 40).decode()
        == f"""\
tree {"1" * 40}
parent {"2" * 40}
author claude <agent@hansard.invalid> 1767225607 +0000
committer Hansard <hansard@hansard.invalid> 1767225609 +0000

Supersede D001 with D002: Use PostgreSQL (database)

  It serves many writers.

Decision-Id: D002
Target: database
Status: active
Supersedes: D001
Hansard-Seq: 12
Hansard-Hash: {HASH}
"""
    )


def test_the_subject_says_what_was_done() -> None:
    def subject(**given: Any) -> str:
        message = decision_page.commit(a_page(**given), tree="1" * 40, parent=None).decode()
        return message.partition("\n\n")[2].split("\n")[0]

    assert subject().startswith("Record D002: ")
    assert subject(proposal="P001", proposed_by="agent:x").startswith("Accept P001 as D002: ")
    assert subject(supersedes=("D1", "D3", "D4", "D5", "D6")).startswith(
        "Supersede D1, D3, D4 and 2 more with D002: "
    )
    assert len(subject(title="long " * 100, target="far " * 100)) < 160


@given(title=HOSTILE, target=HOSTILE, rationale=HOSTILE, author=HOSTILE)
def test_no_text_forges_any_part_of_a_commit(
    title: str, target: str, rationale: str, author: str
) -> None:
    page = a_page(title=title, target=target, rationale=rationale, author=author)

    header, _, message = (
        decision_page.commit(page, tree="1" * 40, parent=None).decode().partition("\n\n")
    )

    names = [line.partition(" ")[0] for line in header.split("\n")]
    assert names == ["tree", "author", "committer"]
    assert header.count("<") == header.count(">") == 2
    assert not [char for char in message if ord(char) < 32 and char not in "\n\t"]
    flush_left = [line for line in message.split("\n")[1:] if line and not line.startswith("  ")]
    assert [line.partition(":")[0] for line in flush_left] == [
        "Decision-Id", "Target", "Status", "Hansard-Seq", "Hansard-Hash",
    ]  # fmt: skip
    assert decision_page.trailers(message)["Decision-Id"] == "D002"


@given(title=HOSTILE, target=HOSTILE, rationale=HOSTILE, consequence=HOSTILE)
def test_no_text_forges_any_part_of_a_page(
    title: str, target: str, rationale: str, consequence: str
) -> None:
    page = a_page(title=title, target=target, rationale=rationale, consequences=(consequence,))

    rendered = decision_page.render(page)

    matter = front_matter(rendered)
    assert (matter["title"], matter["target"], matter["status"]) == (title, target, "active")
    assert headings_outside_fences(rendered) == 3
    assert b"\x1b" not in rendered


@given(title=HOSTILE, rationale=HOSTILE)
def test_superseding_changes_the_status_of_a_page_and_nothing_else(
    title: str, rationale: str
) -> None:
    before = decision_page.render(a_page(title=title, rationale=rationale))

    after = decision_page.mark_superseded(before, "D007")

    expected = front_matter(before) | {"status": "superseded", "superseded_by": "D007"}
    assert front_matter(after) == expected
    assert after.partition(b"\n---\n")[2] == before.partition(b"\n---\n")[2]


def test_text_without_control_characters_is_kept_as_it_is() -> None:
    text = "# only a heading\n\n  indented\ttab\n--amend\n~~~\n<b>&amp;</b> ünï 🎉"

    assert f"\n{text}\n".encode() in decision_page.render(a_page(rationale=text))


def test_pages_are_spread_over_folders_by_their_ids() -> None:
    places = [decision_page.place_of(f"D{number:03d}") for number in range(1, 5_001)]

    folders = {folder for folder, _ in places}
    assert len(folders) == 256
    assert max(sum(1 for folder, _ in places if folder == one) for one in folders) < 50
    assert {len(folder) for folder in folders} == {2}


def headings_outside_fences(page: bytes) -> int:
    """Count headings as a reader of Markdown does, who passes over what stands between fences."""
    fence, count = "", 0
    for line in page.decode().partition("\n---\n")[2].split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("~~~"):
            fence = line.removesuffix("text")
        elif line.startswith("#"):
            count += 1
        else:
            assert line == "", f"{line!r} stands outside"
    assert not fence
    return count
