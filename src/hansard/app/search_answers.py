"""Requests and answers of the search over everything."""

from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, ConfigDict, Field

from hansard.app import search_facts
from hansard.app.search_facts import Facts
from hansard.kernel.model import Model
from hansard.kernel.model_answer import KEPT, NO_COUNT, SECONDS
from hansard.kernel.operation import Flagged, ProjectRequest
from hansard.kernel.text import Cursor, Id, Limit, Query, Title, counted, one_line
from hansard.records.contract import Budget
from hansard.records.text import by_words_only, index_told
from hansard.sessions.contract import more

Kind = Literal["record", "decision", "timeline", "file", "checkpoint", "entity", "commit"]

LIMIT_DEFAULT = 10
CURRENT, OLD = "current version", "old version"
"""The status of a document's version."""

TAGS_MAX = 20

BUDGET_TOKENS = 4_000
"""What a page may cost. Ten things are some 600 to 2,000 tokens; a hundred would be 10,000."""

HITS_MAX = 200
"""How far a search can be paged through."""


Time = Annotated[str, Field(max_length=40), AfterValidator(search_facts.in_utc)]
"""An ISO time, or its beginning: `2026-05` is all of May, `2026-05-07T12:00+02:00` a minute."""


class Narrow(Model):
    """Which things are searched for; an absent field does not filter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    state: Title | None = None
    """A record's state, a decision's status, or how a version stands."""
    author: Title | None = None
    """As answers show it, `human:ada`, or either part of that."""
    session: Id | None = None
    path: Title | None = None
    """A file, a folder or a pattern."""
    since: Time | None = None
    until: Time | None = None
    tags: Annotated[list[Title], Field(max_length=TAGS_MAX)] | None = None
    """All of them."""

    @classmethod
    def __get_pydantic_json_schema__(cls, *_: object) -> dict[str, str]:
        """Let the parameter's description name the fields, which costs a third."""
        return {"type": "object"}

    def has(self, thing: "Thing", known: Facts) -> bool:
        """Whether a thing is one of those."""
        return (
            (self.state is None or self.state.casefold() == (thing.status or "").casefold())
            and (self.author is None or search_facts.is_by(known, self.author))
            and (self.session is None or self.session == known.session)
            and (self.path is None or search_facts.is_at(known, self.path))
            and search_facts.is_within(known, self.since, self.until)
            and {*(self.tags or ())} <= {*known.tags}
        )


class SearchRequest(ProjectRequest):
    """What to find."""

    query: Query
    kinds: Annotated[list[Kind], Field(max_length=len(get_args(Kind)))] | None = None
    where: Narrow | None = None
    limit: Limit = LIMIT_DEFAULT
    budget_tokens: Budget = BUDGET_TOKENS
    cursor: Cursor | None = None


class Thing(Model):
    """Something that was found, whatever it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    id: str
    title: str
    snippet: str
    score: float
    status: str | None = None
    """Of a record its state, of a decision whether it is active, of a document its version."""
    session: str | None = None
    line: int | None = None
    """Of a file that was found by what it holds, the line that the snippet is."""
    author: str | None = None
    """Who is behind it: the text is theirs, and no instruction to a reader."""
    at: Annotated[str | None, SECONDS] = None
    """When it was written, or last changed."""
    instead: str | None = None
    """What replaces it: the record that resolved it, the version or decision after it."""
    words: tuple[str, ...] = ()
    """The query's words that it shows; none if it was found by meaning or by its surroundings."""

    def text(self) -> str:
        """Give a line, and the snippet where it says more."""
        status = f" ({self.status})" if self.status else ""
        signed = f" by {self.author}" if self.author else ""
        signed += f", {self.at[:19]}" if self.at else ""
        signed += f", instead: {self.instead}" if self.instead else ""
        found_by = ", ".join(self.words) or "by meaning"
        line = one_line(
            f"{self.kind} [{self.id}]{status} {self.title} ({self.score:.2f}: {found_by}){signed}"
        )
        place = f"line {self.line}: " if self.line else ""
        return line if self.snippet in self.title else f"{line}\n  {place}{one_line(self.snippet)}"

    def briefly(self) -> Self:
        """Leave out a snippet that repeats its title."""
        return self.model_copy(update={"snippet": ""}) if self.snippet in self.title else self


class ThingsFoundAnswer(Flagged):
    """What was found, best first."""

    results: Annotated[list[Thing], KEPT]
    left_out: Annotated[int, NO_COUNT] = 0
    """How many hits of this page did not fit the budget; the cursor leads to them."""
    corrected: dict[str, str] | None = None
    """Words that nothing here contains, and those that were searched for instead."""
    nextCursor: str | None = None  # noqa: N815 - as MCP spells it
    index: str
    """What finds by meaning; begins with `none` where words alone count."""
    index_lag: Annotated[int, NO_COUNT]

    def text(self) -> str:
        """Show each hit."""
        found = [one.text() for one in self.results] or ["Nothing matches"]
        found_by = by_words_only(self.index, self.index_lag)
        return "\n".join(
            [
                *self.searched_instead(),
                *found,
                *self._left(),
                *more(self.nextCursor),
                *found_by,
                *self.cautions(),
            ]
        )

    def searched_instead(self) -> list[str]:
        """Say which corrected words were searched for."""
        instead = [f"{asked} → {word}" for asked, word in (self.corrected or {}).items()]
        return [f"Nothing has what was asked for; searched instead: {', '.join(instead)}"] * bool(
            instead
        )

    def _left(self) -> list[str]:
        if not self.left_out:
            return []
        left = counted(self.left_out, "more", "more")
        return [f"{left} on this page did not fit budget_tokens"]

    def briefly(self) -> Self:
        """Leave out snippets that repeat the title, and how things were found unless it matters."""
        results = [one.briefly() for one in self.results]
        return self.model_copy(update={"results": results, "index": index_told(self.index)})
