"""A decision in Git: its page, commit message and author. Pure.

All of it holds text that others wrote. On a page that text is quoted in the front matter, or
between fences; in a message it is indented. So it can neither end its container nor pass for ours.
"""

import hashlib
import json
import re
from dataclasses import dataclass

from hansard.decisions.events import DecisionRecorded, DecisionSuperseded, ProposalAccepted
from hansard.kernel.clock import from_text

KINDS = frozenset({DecisionRecorded.kind, DecisionSuperseded.kind, ProposalAccepted.kind})
"""The events that make a decision, and so a page. A proposal is not one yet."""

SUBJECT_TITLE_CHARS = 80
SUBJECT_TARGET_CHARS = 40
SUBJECT_IDS_SHOWN = 3
"""What the first line of a message shows, so that `git log --oneline` stays one line."""

MESSAGE_RATIONALE_CHARS = 4_000
"""How much of the rationale a message repeats; the page has all of it."""

NAME_CHARS = 100
TRAILER_CHARS = 500
FENCE_MIN = 3
MAIL_DOMAIN = "hansard.invalid"
"""Reserved: no mail ever goes there."""


@dataclass(frozen=True, slots=True)
class DecisionPage:
    """A decision as Git shows it, with the entry that made it."""

    id: str
    title: str
    target: str
    rationale: str
    consequences: tuple[str, ...]
    cites: tuple[str, ...]
    supersedes: tuple[str, ...]
    enforcement: str | None
    proposal: str | None
    """The proposal it was made of, if it was made of one."""
    proposed_by: str | None
    author_kind: str
    author: str
    at: str
    clock: str
    """Never earlier than that of the commit before, whatever the wall clock did."""
    seq: int
    hash: str
    accepted_by: str | None = None
    """Who accepted the proposal; if that is missing, its author did."""
    is_listed: bool = False
    """Whether its commit also says in README.md what holds; those made before that do not."""


def place_of(decision: str) -> tuple[str, str]:
    """Give the folder and the file name of a decision's page."""
    assert re.fullmatch("[A-Z0-9]+", decision), f"{decision} is no id of ours"
    shard = hashlib.sha256(decision.encode()).hexdigest()[:2]
    return shard, f"{decision}.md"


def render(page: DecisionPage) -> bytes:
    """Write the page of a decision that has just been made."""
    matter = {
        "id": page.id,
        "title": page.title,
        "target": page.target,
        "status": "active",
        "superseded_by": None,
        "supersedes": list(page.supersedes),
        "enforcement": page.enforcement,
        "cites": list(page.cites),
        "author": f"{page.author_kind}:{page.author}",
        "proposal": page.proposal,
        "proposed_by": page.proposed_by,
        **({"accepted_by": page.accepted_by} if page.accepted_by else {}),
        "recorded": page.at,
        "seq": page.seq,
    }
    lines = [f"{name}: {_quoted(value)}" for name, value in matter.items()]
    parts = ["---", *lines, "---", "", f"# {literal(page.title)}"]
    parts += ["", "## Rationale", "", _fenced(page.rationale)]
    if page.consequences:
        parts += ["", "## Consequences"]
        for consequence in page.consequences:
            parts += ["", _fenced(consequence)]
    return ("\n".join(parts) + "\n").encode()


def mark_superseded(page: bytes, by: str) -> bytes:
    """Change what the front matter of a page says of its status, and nothing else."""
    matter, end, rest = page.decode().partition("\n---\n")
    changed = {"status": "superseded", "superseded_by": by}
    lines = [
        f"{name}: {_quoted(changed[name])}" if (name := line.partition(":")[0]) in changed else line
        for line in matter.split("\n")
    ]
    return ("\n".join(lines) + end + rest).encode()


def commit(page: DecisionPage, *, tree: str, parent: str | None) -> bytes:
    """Write the commit that adds a decision: the same bytes for the same entry, always."""
    committer = f"Hansard <hansard@{MAIL_DOMAIN}> {_seconds(page.clock)} +0000"
    lines = [
        f"tree {tree}",
        *([f"parent {parent}"] if parent else []),
        f"author {_author(page)} {_seconds(page.at)} +0000",
        f"committer {committer}",
        "",
        _message(page),
    ]
    return "\n".join(lines).encode()


def trailers(message: str) -> dict[str, str]:
    """Read the last paragraph of a message; of a name that is there twice, the last counts."""
    last = message.rstrip("\n").rpartition("\n\n")[2]
    pairs = (line.partition(": ") for line in last.split("\n"))
    return {name: value for name, colon, value in pairs if colon}


def one_line(text: str, chars_max: int) -> str:
    """Put text on one line of limited length, without invisible characters."""
    line = " ".join(_seen(text).split())
    return line if len(line) <= chars_max else line[: chars_max - 1].rstrip() + "…"


def _message(page: DecisionPage) -> str:
    rationale = page.rationale.strip()
    if len(rationale) > MESSAGE_RATIONALE_CHARS:
        rationale = rationale[:MESSAGE_RATIONALE_CHARS] + f"… (all of it is in {page.id}.md)"
    # Indented, no line of it can be a trailer, a divider or the beginning of a patch.
    body = "\n".join(f"  {line}".rstrip() for line in _seen(rationale).split("\n"))
    named = [
        ("Decision-Id", page.id),
        ("Target", one_line(page.target, TRAILER_CHARS)),
        ("Status", "active"),
        *(("Supersedes", old) for old in page.supersedes),
        *([("Proposal", page.proposal)] if page.proposal else []),
        *([("Proposed-By", one_line(page.proposed_by, NAME_CHARS))] if page.proposed_by else []),
        *([("Accepted-By", one_line(page.accepted_by, NAME_CHARS))] if page.accepted_by else []),
        ("Hansard-Seq", str(page.seq)),
        ("Hansard-Hash", page.hash),
    ]
    block = "\n".join(f"{name}: {value}" for name, value in named)
    return f"{_subject(page)}\n\n{body}\n\n{block}\n"


def _subject(page: DecisionPage) -> str:
    title = one_line(page.title, SUBJECT_TITLE_CHARS)
    target = one_line(page.target, SUBJECT_TARGET_CHARS)
    return f"{_deed(page)}: {title} ({target})"


def _deed(page: DecisionPage) -> str:
    if page.proposal:
        return f"Accept {page.proposal} as {page.id}"
    if not page.supersedes:
        return f"Record {page.id}"
    old = ", ".join(page.supersedes[:SUBJECT_IDS_SHOWN])
    more = len(page.supersedes) - SUBJECT_IDS_SHOWN
    return f"Supersede {old}{f' and {more} more' if more > 0 else ''} with {page.id}"


def _author(page: DecisionPage) -> str:
    name = one_line(page.author, NAME_CHARS).translate({ord("<"): "‹", ord(">"): "›"})  # noqa: RUF001
    return f"{name or 'unknown'} <{page.author_kind}@{MAIL_DOMAIN}>"


def _seconds(at: str) -> int:
    # Git knows no time before 1970.
    return max(0, int(from_text(at).timestamp()))


_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]"
)
"""Control characters but tab and newline, and what changes the order of others or has no width."""

_PICTURES = 0x2400
"""Where Unicode has pictures of the first 32 control characters."""


def _seen(text: str) -> str:
    """Replace what a terminal would act on with what a reader can see."""
    return _UNSEEN.sub(_picture, text.replace("\r\n", "\n"))


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_PICTURES + code) if code < ord(" ") else "\N{REPLACEMENT CHARACTER}"


def _quoted(value: object) -> str:
    """Write a value as JSON on one line, which is YAML too, whatever characters are in it."""
    written = json.dumps(value, ensure_ascii=False)
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def _fenced(text: str) -> str:
    """Put text between fences that are longer than any in it."""
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(FENCE_MIN, longest + 1)
    return f"{fence}text\n{_seen(text)}\n{fence}"


def literal(text: str) -> str:
    """Write text on one line of Markdown so that it is shown as it is."""
    return re.sub(r"([\\`*_\[\]<>&#|~$!])", r"\\\1", one_line(text, TRAILER_CHARS))
