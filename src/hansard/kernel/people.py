"""Tells people from things by how texts use a name: people are addressed. Pure.

`Thanks, Ana!` and `What do you think, Ana?` are said to somebody; `Redis, Kafka and Postgres` to
nobody. Texts speak about Ana too, as they do about things, which makes her no thing; that something
runs on her would.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from hansard.kernel.words import fold

_NO_NAMES = frozenset("i yes no right okay ok sure well so true exactly please now".split())
"""Words before a comma that begin sentences, but not lists."""

ASIDES_MIN = 3
"""Without a greeting, it takes this many uses that may address somebody."""

_GREETING = (
    "thanks|thank you|cheers|hi|hey|hello|dear|welcome|(?:good )?(?:morning|evening|night)|bye"
    "|goodbye|sorry|listen|haha|anyway|congratulations|congrats|happy birthday|well done|oh|ah|wow"
    "|come on|you know"
    "|(?:see|love|miss|bless|hug|trust|tell) (?:you|me)|(?:thank|hear|feel|with|for|about|are) you"
)
_BEFORE_GREETED = re.compile(rf"(?:^|[^\w-])(?i:{_GREETING})(?: again| so much| all)?,?\s+$")
_MENTION = re.compile(r"(?<!\w)@$")
_AFTER_GREETED = re.compile(
    r"\s*(?:$|[,.!?;:)\u2026\u2014\u2013-])"
    r"|\s+(?i:you|how|what|when|where|why|do|did|can|could|will|would|are|i)\b"
)
_BEFORE_THING = re.compile(
    r"\b(?i:an?|the|our|your|its|in|on|onto|into|via|using|uses?|used|runs?|running|installs?)\s+$"
)
_AT_HEAD = re.compile(r"(?:^|[.!?\u2026:]['\"\u201d)]?\s+|\n\s*)$")
_BEHIND_COMMA = re.compile(r"(?P<word>[\w'\u2019]+),\s+$")
_SPEAKS = re.compile(r"\s*(?::\s|\n|$)")
"""Who speaks: `Ana: …`, or her name alone. That proves nothing, since things have headings too."""

_AFTER_HEAD = re.compile(r"\s*(?:[!?]+(?:\s|$)|,\s*$|,\s+(?P<word>[\w'\u2019]+))")
_AFTER_TAIL = re.compile(r"\s*(?:[.!?,\u2026]|$)")

Use = Literal["greeted", "aside", "used", "told of"]


def is_addressed(name: str, texts: Iterable[str]) -> bool:
    """Whether the speakers of some texts address the bearer of a name."""
    uses = [use for text in texts for use in _uses(name, text)]
    greeted, aside = uses.count("greeted"), uses.count("aside")
    return (greeted > 0 or aside >= ASIDES_MIN) and uses.count("used") < greeted + aside


def _uses(name: str, text: str) -> Iterator[Use]:
    """Say how a text uses a name in each place."""
    for found in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE):
        before, after = text[max(found.start() - 60, 0) : found.start()], text[found.end() :][:60]
        if _AT_HEAD.search(before) and _SPEAKS.match(after):
            continue
        is_greeted = _BEFORE_GREETED.search(before) and _AFTER_GREETED.match(after)
        if is_greeted or _MENTION.search(before):
            yield "greeted"
        elif found[0] == name and (_is_at_head(before, after) or _is_at_tail(before, after)):
            yield "aside"
        else:
            yield "used" if _BEFORE_THING.search(before) else "told of"


def _is_at_head(before: str, after: str) -> bool:
    """Whether a sentence begins with a name and a comma, and does not go on listing."""
    goes_on = _AFTER_HEAD.match(after)
    return bool(goes_on and _AT_HEAD.search(before) and not _is_name(goes_on["word"]))


def _is_at_tail(before: str, after: str) -> bool:
    """Whether a name stands after a comma at the end of what is said, and ends no list."""
    comes = _BEHIND_COMMA.search(before)
    return bool(comes and _AFTER_TAIL.match(after) and not _is_name(comes["word"]))


def _is_name(word: str | None) -> bool:
    """Whether a word is written like a name."""
    if not word or not word[0].isupper():
        return False
    return fold(re.split("['\u2019]", word)[0]) not in _NO_NAMES
