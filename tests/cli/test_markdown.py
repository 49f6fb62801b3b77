"""Markdown on a terminal: drawn for a person, whole, and without power over the terminal."""

import re

import pytest

from hansard.cli.terminal import markdown
from hansard.cli.terminal.output import ESCAPE
from tests.cli.running import Hansard

COLUMNS = 60
COLOUR = re.compile(re.escape(ESCAPE) + r"\[\d+m")
BODY = """\
# Why

- a **404** stays a `404`
- see [the page](http://example.org/a)

---

```python
def wait(): ...
```
"""


def drawn(text: str) -> list[str]:
    return list(markdown.drawn(text, COLUMNS))


def plain(text: str) -> str:
    return COLOUR.sub("", "\n".join(drawn(text)))


def test_marks_become_what_they_mean() -> None:
    shown = plain(BODY)

    assert "• a 404 stays a 404" in shown
    assert "the page (http://example.org/a)" in shown
    assert "def wait(): ..." in shown
    assert not set("#*`") & set(shown)


def test_colours_are_left_out_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert COLOUR.search("".join(drawn(BODY)))
    monkeypatch.setenv("NO_COLOR", "1")

    assert ESCAPE not in "".join(drawn(BODY))
    assert "• a 404 stays a 404" in "\n".join(drawn(BODY))


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>alert(1)</script>",
        "<!-- for agents only -->",
        "a <b onclick=x>b</b>",
        "[x]: http://example.org/secret",
        "![seen](http://example.org/unseen)",
    ],
)
def test_nothing_that_is_stored_is_invisible(hidden: str) -> None:
    words = re.findall(r"\w+", hidden)

    assert all(word in plain(hidden) for word in words)


@pytest.mark.parametrize("hostile", ["\x1b]0;owned\x07", "\x1b[2J", "\x9b5m", "\u202e", "\r"])
def test_what_is_stored_acts_on_no_terminal(hostile: str) -> None:
    for text in (
        hostile,
        f"`{hostile}`",
        f"- {hostile}",
        f"```\n{hostile}\n```",
        f"[a]({hostile})",
    ):
        shown = "\n".join(drawn(text))
        assert "\x1b" not in shown
        assert hostile not in shown
        assert COLOUR.sub("", shown).count(ESCAPE) == 0


def test_a_body_is_drawn_on_a_terminal_and_whole_in_a_pipe(hansard: Hansard) -> None:
    new = ("records", "new", "--title", "T", "--type", "note", "--summary", "s", "--body", BODY)
    assert hansard(*new).code == 0

    piped = hansard("records", "show", "R001").out
    seen = hansard.on_a_terminal("records", "show", "R001").out

    assert "- a **404** stays a `404`" in piped
    assert "\x1b" not in piped
    assert "**" not in seen
    assert "•" in seen
    assert "\x1b[90mnote, by cli, " in seen, "colours of ours are colours, not text"
    assert "ufdd0" not in seen
    assert "\x1b[31m" not in seen, "a list is not a diff: nothing in it was deleted"


def test_the_reasons_of_a_decision_are_drawn_on_a_terminal(hansard: Hansard) -> None:
    recorded = ("decisions", "record", "--title", "T", "--target", "x", "--rationale", BODY)
    assert hansard(*recorded, "--consequence", "a **must**").code == 0

    piped = hansard("decisions", "show", "D001").out
    seen = hansard.on_a_terminal("decisions", "show", "D001").out

    assert "- a **must**" in piped
    assert "rationale of D001" in piped
    assert "**" not in seen
    assert "rationale of D001" not in seen
    assert "a \x1b[1mmust" in seen


def test_the_width_is_kept_to() -> None:
    shown = plain("word " * 60).splitlines()

    assert len(shown) > 1
    assert all(len(line) <= COLUMNS for line in shown)
