"""Recognizes secrets by their shape: a table of known tokens, and the scan of a content.

What this cannot catch: a secret without a shape of its own (a bare random word, a passphrase, a
PIN), one that is encoded, encrypted, compressed or split over lines, and tokens of services that
are not in the table. What it catches wrongly is recorded without its content, never changed.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from hansard.recorder.contents.diffs import same_beginning

ENTROPY_BITS_MIN = 2.8
"""Per character: below this a value is a word or a placeholder rather than a password."""

_AHEAD_BYTES = 300
"""How far behind its anchor a secret that begins before it may end."""

SHORT_BYTES = 1_024
"""Up to this size one search for all anchors at once is faster than one for each of them."""

_ENTROPY_CHARS = 4_096
"""How much of a long value is weighed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A shape that secrets have, looked for only around its anchors, which are found fast."""

    name: str
    anchors: tuple[bytes, ...]
    """Every secret of the shape has one of them; in lower case where case does not matter."""
    pattern: re.Pattern[bytes]
    is_likely: Callable[[re.Match[bytes]], bool] = field(default=lambda _: True)
    back: int = 0
    """How many bytes before its anchor a secret may begin."""
    any_case: bool = False


def rules_matched(content: bytes) -> list[str]:
    """Name the rules by which a content holds a secret; none means that it may be recorded."""
    found: dict[str, None] = {}
    for text in _readings(content):
        lowered = text.lower()
        if len(text) <= SHORT_BYTES and not _any_anchor().search(lowered):
            continue
        for rule in _rules_hinted(text, lowered):
            if any(_matches(rule, text, lowered)):
                found[rule.name] = None
    return list(found)


def rules_matched_since(content: bytes, clean: bytes) -> list[str]:
    """Name the rules by which a content holds a secret, given another that holds none.

    No shape spans two lines, so only the lines between those that both begin and end with count.
    """
    if len(_readings(content)) > 1 or len(_readings(clean)) > 1:
        return rules_matched(content)
    same = same_beginning(content, clean)
    start = content.rfind(b"\n", 0, same) + 1
    rest = content[start:]
    end = len(rest) - same_beginning(rest[::-1], clean[start:][::-1])
    line_end = rest.find(b"\n", end)
    return rules_matched(rest if line_end < 0 else rest[:line_end])


def mask(text: str) -> str:
    """Put the name of the rule in place of each secret in a text that is recorded for reading."""
    raw = text.encode()
    lowered = raw.lower()
    spans = sorted(
        (*match.span("secret"), rule.name)
        for rule in _rules_hinted(raw, lowered)
        for match in _matches(rule, raw, lowered)
    )
    parts, reached = [], 0
    for start, end, name in spans:
        if start >= reached:
            parts += [raw[reached:start], f"[redacted: {name}]".encode()]
        reached = max(reached, end)
    return b"".join([*parts, raw[reached:]]).decode()


def _matches(rule: Rule, text: bytes, lowered: bytes) -> Iterator[re.Match[bytes]]:
    """Give the secrets of one shape, each with the first anchor that lies in it."""
    searched = lowered if rule.any_case else text
    for anchor in rule.anchors:
        at = searched.find(anchor)
        while at >= 0:
            match = _match_around(rule, text, at)
            if match and rule.is_likely(match):
                yield match
            at = searched.find(anchor, at + len(anchor))


def _rules_hinted(text: bytes, lowered: bytes) -> list[Rule]:
    """Give the rules of which an anchor is in a text: of most texts none, which is seen fast."""
    exact, any_case = _anchors()
    there = {place for anchor, place in exact if anchor in text}
    there |= {place for anchor, place in any_case if anchor in lowered}
    return [RULES[place] for place in sorted(there)]


@cache
def _anchors() -> tuple[list[tuple[bytes, int]], list[tuple[bytes, int]]]:
    """List all anchors with the places of their rules: those of a certain case, and the others."""
    every = [(anchor, place) for place, rule in enumerate(RULES) for anchor in rule.anchors]
    exact = [(anchor, place) for anchor, place in every if not RULES[place].any_case]
    return exact, [one for one in every if one not in exact]


@cache
def _any_anchor() -> re.Pattern[bytes]:
    """Give what finds any anchor in a text of lower case."""
    anchors = {anchor.lower() for rule in RULES for anchor in rule.anchors}
    return re.compile(b"|".join(re.escape(one) for one in sorted(anchors)))


def _match_around(rule: Rule, text: bytes, at: int) -> re.Match[bytes] | None:
    if not rule.back:
        return rule.pattern.match(text, at)
    match = rule.pattern.search(text, max(0, at - rule.back), at + _AHEAD_BYTES)
    return match if match and match.start() <= at else None


def _readings(content: bytes) -> list[bytes]:
    """Give a content as it is, and in UTF-8 if it is text in UTF-16, as Windows may write it."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return [content, content.decode("utf-16", "replace").encode("utf-8", "replace")]
    return [content]


def _entropy_bits(value: bytes) -> float:
    counts = Counter(value[:_ENTROPY_CHARS])
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for n in counts.values())


def _is_random(match: re.Match[bytes]) -> bool:
    return _entropy_bits(match["secret"]) >= ENTROPY_BITS_MIN


_PLACEHOLDER = re.compile(
    rb"(?i)example|sensitive|placeholder|change_?me|dummy|sample|redacted|secret|passw|your|xxxx|\*\*\*|"
    rb"[${<\[(%]|^pass$|^(?:none|null|true|false|undefined|os\.|process\.|self\.|env[.\[])"
)
"""Values that stand for a secret, or say where it is taken from."""


_CODE = re.compile(rb"[.()\[\]{},;]|^[A-Z][A-Za-z]+[0-9]*[A-Z][a-z]")


def _is_password(match: re.Match[bytes]) -> bool:
    """Whether a value looks chosen so that nobody can guess it."""
    value = match["secret"]
    if _PLACEHOLDER.search(value) or not _is_random(match):
        return False
    if match["quote"]:
        # A word alone, however it is written, is a name or a label.
        return re.fullmatch(rb"[A-Za-z_.:/-]+", value) is None
    # Without quotes it may be code: a call or an attribute has signs of its own, and a name of a
    # type has its digits in front of capitals.
    has_both = re.search(rb"[0-9]", value) and re.search(rb"[A-Za-z]", value)
    return bool(has_both) and not _CODE.search(value)


def _is_chosen(match: re.Match[bytes]) -> bool:
    """Whether a value is more than a word or a number."""
    value = match["secret"]
    has_both = re.search(rb"[0-9]", value) and re.search(rb"[A-Za-z]", value)
    return bool(has_both) and not _PLACEHOLDER.search(value)


def _is_user_info(match: re.Match[bytes]) -> bool:
    return not _PLACEHOLDER.search(match["secret"])


def _shape(pattern: bytes) -> re.Pattern[bytes]:
    """Make a pattern of a token that stands by itself."""
    return re.compile(rb"(?<![A-Za-z0-9_])(?P<secret>" + pattern + rb")(?![A-Za-z0-9_-])")


RULES = (
    Rule("aws_access_key", (b"AKIA", b"ASIA"), _shape(rb"(?:AKIA|ASIA)[A-Z2-7]{16}")),
    Rule(
        "private_key",
        (b"-----BEGIN ",),
        re.compile(
            rb"(?P<secret>-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
            rb"(?:[^-]+-----END [A-Z0-9 ]+-----)?)"
        ),
    ),
    Rule(
        "github_token",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
        _shape(rb"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255}"),
    ),
    Rule(
        "gitlab_token",
        (b"glpat-", b"gldt-", b"glrt-", b"glptt-", b"glcbt-", b"gloas-"),
        _shape(rb"gl(?:pat|dt|rt|ptt|cbt|oas)-[A-Za-z0-9_.=-]{20,300}"),
    ),
    Rule(
        "slack_token",
        (b"xoxb-", b"xoxp-", b"xoxa-", b"xoxr-", b"xoxs-", b"xoxe", b"xapp-"),
        _shape(rb"(?:xox[abeprs](?:\.xox[bp])?|xapp)-[A-Za-z0-9-]{10,400}"),
    ),
    Rule(
        "slack_webhook",
        (b"hooks.slack.com/",),
        re.compile(rb"(?P<secret>hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_/+-]{20,})"),
    ),
    Rule(
        "stripe_key",
        (b"sk_live_", b"rk_live_", b"pk_live_", b"sk_test_", b"rk_test_", b"pk_test_"),
        _shape(rb"[rsp]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
        _is_random,
    ),
    Rule("stripe_webhook", (b"whsec_",), _shape(rb"whsec_[A-Za-z0-9+/=]{24,120}")),
    Rule("google_api_key", (b"AIza",), _shape(rb"AIza[A-Za-z0-9_-]{35}")),
    Rule(
        "google_oauth", (b"ya29.", b"GOCSPX-"), _shape(rb"ya29\.[\w-]{20,500}|GOCSPX-[\w-]{20,60}")
    ),
    Rule("anthropic_key", (b"sk-ant-",), _shape(rb"sk-ant-[A-Za-z0-9_-]{24,300}"), _is_random),
    Rule(
        "openai_key",
        (b"sk-",),
        _shape(rb"sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{32,300}"),
        _is_random,
    ),
    Rule("huggingface_token", (b"hf_",), _shape(rb"hf_[A-Za-z]{30,60}"), _is_random),
    Rule("npm_token", (b"npm_",), _shape(rb"npm_[A-Za-z0-9]{36}")),
    Rule("pypi_token", (b"pypi-AgE",), _shape(rb"pypi-AgE[A-Za-z0-9_-]{50,1000}")),
    Rule(
        "docker_token", (b"dckr_pat_", b"dckr_oat_"), _shape(rb"dckr_[po]at_[A-Za-z0-9_-]{20,60}")
    ),
    Rule("sendgrid_key", (b"SG.",), _shape(rb"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}")),
    Rule("twilio_key", (b"SK",), _shape(rb"SK[0-9a-f]{32}")),
    Rule("mailgun_key", (b"key-",), _shape(rb"key-[0-9a-f]{32}")),
    Rule("telegram_token", (b":AA",), _shape(rb"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}"), back=10),
    Rule(
        "digitalocean_token",
        (b"doo_v1_", b"dop_v1_", b"dor_v1_"),
        _shape(rb"do[opr]_v1_[0-9a-f]{64}"),
    ),
    Rule(
        "shopify_token",
        (b"shpat_", b"shpca_", b"shppa_", b"shpss_"),
        _shape(rb"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ),
    Rule("vault_token", (b"hvs.", b"hvb."), _shape(rb"hv[sb]\.[A-Za-z0-9_-]{24,300}")),
    Rule("age_key", (b"AGE-SECRET-KEY-1",), _shape(rb"AGE-SECRET-KEY-1[A-Z0-9]{58}")),
    Rule(
        "jwt",
        (b"eyJ",),
        _shape(rb"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}"),
    ),
    Rule(
        "azure_key",
        (b"AccountKey=", b"SharedAccessKey="),
        re.compile(rb"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,100}={0,2})"),
    ),
    Rule(
        "password_in_url",
        (b"://",),
        re.compile(rb"://[^\s:/?#@'\"]{0,100}:(?P<secret>[^\s/?#@'\"]{3,200})@"),
        _is_user_info,
    ),
    # A line of an environment file, where even a short value is one.
    Rule(
        "environment_secret",
        tuple(b"PASSW SECRET TOKEN API_KEY APIKEY ACCESS_KEY PRIVATE_KEY CREDENTIAL".split()),
        re.compile(
            rb"(?m)^(?:export )?[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|ACCESS_KEY|"
            rb"PRIVATE_KEY|CREDENTIAL)[A-Z0-9_]{0,60}=(?P<secret>[^\s\"'#]{6,300})[ \t\r]*$"
        ),
        _is_chosen,
        back=70,
    ),
    # A name that asks for a secret, and a value that looks like one.
    Rule(
        "assigned_secret",
        tuple(
            b"passw passphrase secret token api_key apikey api-key pwd access_key "
            b"private_key client_key credential".split()
        ),
        re.compile(
            rb"(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|pwd|access[_-]?key|"
            rb"private[_-]?key|client[_-]?key|credential)s?[a-z0-9_-]{0,20}"
            rb"[\"']?[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}(?:[rbuf]{0,2}(?P<quote>[\"'`]))?"
            rb"(?P<secret>(?(quote)[^\s\"'`]{8,200}(?=[\"'`])|[^\s\"'`<>,;|]{12,200}))"
        ),
        _is_password,
        any_case=True,
    ),
)
"""One row a shape."""
