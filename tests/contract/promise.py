"""What a published contract promises those who program against it, and what would break it.

Run as a program when a version is released, it keeps the contract of that version for good:
`python -m tests.contract.promise`. From then on the tests hold every later contract against it.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from hansard import __version__
from hansard.app.published import committed_contract

Json = dict[str, Any]

RELEASED = Path(__file__).parent / "released"
CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
HEADING = re.compile(r"^## \[?(\d+\.\d+\.\d+)\]?", re.MULTILINE)

NAMED = {"operations": "name", "errors": "code", "events": "kind"}
"""What a contract lists, and by what each thing is known."""

FIXED = {
    "operations": ("role", "writes"),
    "errors": ("http_status", "rpc_code", "fixable"),
    "events": ("schema", "advances_tick", "activity"),
}
"""What never changes of a thing that was published."""

AT_MOST = ("maxItems", "maxLength", "maximum", "exclusiveMaximum")
AT_LEAST = ("minItems", "minLength", "minimum", "exclusiveMinimum")


def released_versions(changelog: str) -> list[str]:
    """List the versions that a changelog says were released."""
    return HEADING.findall(changelog)


def broken(before: Json, after: Json) -> list[str]:
    """Name everything in which a contract takes back what an earlier one of its version said."""
    if before["version"].split(".")[0] != after["version"].split(".")[0]:
        return []  # another major version is another contract, beside this one
    return [fault for part in NAMED for fault in _things(part, before, after)]


def _things(part: str, before: Json, after: Json) -> Iterator[str]:
    now: dict[str, list[Json]] = {}
    for one in after[part]:
        now.setdefault(one[NAMED[part]], []).append(one)
    for then in before[part]:
        name = then[NAMED[part]]
        # Several errors share a code: one of them must be what it was.
        faults = [list(_thing(part, name, then, one)) for one in now.get(name, ())]
        yield from min(faults, key=len, default=[f"{name} is gone"])


def _thing(part: str, name: str, then: Json, now: Json) -> Iterator[str]:
    yield from (f"{name}: {key} changed" for key in FIXED[part] if then[key] != now[key])
    if part == "operations":
        yield from (
            f"{name}: {one} is gone" for one in then.get("aliases", ()) if one not in now["aliases"]
        )
        yield from _taken(f"{name}(", then["inputSchema"], now["inputSchema"])
        yield from _given(f"{name} →", then["outputSchema"], now["outputSchema"])
        yield from _given(f"{name} → MCP", then["mcpOutputSchema"], now["mcpOutputSchema"])


def _taken(path: str, then: Json, now: Json) -> Iterator[str]:
    """Name what was taken as an argument and no longer is."""
    yield from _fields(path, then, now, _taken)
    yield from (
        f"{path} {name} is now needed"
        for name in now.get("required", ())
        if name not in then.get("required", ())
    )
    if lost := _kinds(then) - _kinds(now):
        yield f"{path} takes no {', '.join(sorted(lost))} any more"
    if "enum" in now and not set(then.get("enum", ["*"])) <= set(now["enum"]):
        yield f"{path} takes fewer words"
    if then.get("additionalProperties") is not False and now.get("additionalProperties") is False:
        yield f"{path} takes no other names any more"
    yield from (f"{path} {key} is stricter" for key in AT_MOST if _is_below(now, then, key))
    yield from (f"{path} {key} is stricter" for key in AT_LEAST if _is_below(then, now, key))


def _given(path: str, then: Json, now: Json) -> Iterator[str]:
    """Name what was always in an answer and no longer is."""
    yield from _fields(path, then, now, _given)
    yield from (
        f"{path} {name} may now be missing"
        for name in then.get("required", ())
        if name not in now.get("required", ())
    )
    if new := _kinds(now) - _kinds(then):
        yield f"{path} may now be {', '.join(sorted(new))}"


def _fields(path: str, then: Json, now: Json, each: Any) -> Iterator[str]:
    known = now.get("properties", {})
    for name, field in then.get("properties", {}).items():
        if name in known:
            yield from each(f"{path} {name}", field, known[name])
        else:
            yield f"{path} {name} is gone"
    if "items" in then and "items" in now:
        yield from each(f"{path} []", then["items"], now["items"])


def _kinds(schema: Json) -> set[str]:
    """Name the types that a schema allows; one that names none allows anything."""
    choices = [one for key in ("anyOf", "oneOf") for one in schema.get(key, ())]
    if choices:
        return set().union(*map(_kinds, choices))
    stated = schema.get("type", "anything")
    return {stated} if isinstance(stated, str) else set(stated)


def _is_below(one: Json, other: Json, key: str) -> bool:
    """Whether the first has a smaller bound, or the only one of the two that there is."""
    if key in AT_MOST:
        return key in one and one[key] < other.get(key, float("inf"))
    return key in other and one.get(key, float("-inf")) < other[key]


def main() -> int:
    """Keep the contract of this version, unless that was done."""
    kept = RELEASED / f"{__version__}.json"
    if kept.exists():
        sys.stderr.write(f"{kept} is there already; what was released does not change\n")
        return 1
    RELEASED.mkdir(exist_ok=True)
    kept.write_bytes(orjson.dumps(orjson.loads(committed_contract())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
