"""The path rule and the table of protected names, as pure functions."""

import json
import unicodedata
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.kernel import limits
from hansard.kernel.problem import Problem
from hansard.recorder.problems import (
    PathInvalid,
    PathNotRegular,
    PathOutsideWorkspace,
    PathProtected,
)
from hansard.recorder.workspace import protected
from hansard.recorder.workspace.paths import parse

ROOT = "/home/someone/project"


@pytest.mark.holds("FIL-path-1")
@pytest.mark.parametrize(
    ("path", "components"),
    [
        ("a.py", ("a.py",)),
        ("src/a.py", ("src", "a.py")),
        ("./src//./a.py", ("src", "a.py")),
        (f"{ROOT}/src/a.py", ("src", "a.py")),
        (f"/{ROOT}//a.py", ("a.py",)),
        ("...a/..b/c...d", ("...a", "..b", "c...d")),
        ("%2e%2e/%2fetc", ("%2e%2e", "%2fetc")),
        ("~/x", ("~", "x")),
        ("~root/x", ("~root", "x")),
        ("$HOME/`id`;*?|<>\"'", ("$HOME", "`id`;*?|<>\"'")),
        (":(exclude)a/:b", (":(exclude)a", ":b")),
        ("-rf", ("-rf",)),
        (" leading", (" leading",)),
        ("ünïcödé/日本語/🚀.md", ("ünïcödé", "日本語", "🚀.md")),
        ("auxiliary/com10/console.c", ("auxiliary", "com10", "console.c")),
        ("x.aux", ("x.aux",)),
        (".gitignore", (".gitignore",)),
    ],
)
def test_an_ordinary_path_is_split_from_the_root(path: str, components: tuple[str, ...]) -> None:
    assert parse(path, ROOT) == components


@pytest.mark.holds("FIL-path-10", "FIL-path-18")
@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../x",
        "a/../b",
        "a/..",
        "./..//x",
        f"{ROOT}/../x",
        "/",
        "/etc/passwd",
        "//etc/passwd",
        f"{ROOT}-sibling/x",
        ROOT.rpartition("/")[0],
        f"/proc/self/root{ROOT}/x",
        "file:///etc/passwd",
        f"file://{ROOT}/a.py",
        "https://example.org/a.py",
    ],
)
def test_a_path_that_leaves_the_root_is_outside(path: str) -> None:
    with pytest.raises(PathOutsideWorkspace):
        parse(path, ROOT)


@pytest.mark.parametrize("path", [".", "./", "a/", "a/.", "a//", ROOT, f"{ROOT}/", f"{ROOT}/./"])
def test_a_path_that_names_a_folder_is_no_file(path: str) -> None:
    with pytest.raises(PathNotRegular):
        parse(path, ROOT)


@pytest.mark.holds("FIL-path-4", "FIL-path-5")
@pytest.mark.parametrize(
    "path",
    [
        "",
        " ",
        "a/ /b",
        "name ",
        "name\u00a0",
        "name.",
        "folder./x",
        "...",
        "a/..../b",
        "a\\b",
        "..\\x",
        "C:\\x",
        "C:/x",
        "c:x",
        "file.txt:stream",
        "a/.git::$INDEX_ALLOCATION/config",
        ":a:b",
        "AUX",
        "con.txt",
        "a/NUL/b",
        "com1.tar.gz",
        "LPT²",
        "aux .txt",
        "CONIN$",
        f"{ROOT}/a\nb",
    ],
)
def test_a_name_with_a_meaning_elsewhere_is_invalid(path: str) -> None:
    with pytest.raises(PathInvalid):
        parse(path, ROOT)


@pytest.mark.holds("FIL-path-2", "FIL-path-3")
@pytest.mark.parametrize(
    "character",
    [
        *"\0\t\n\r\x1b\x7f\x80\x9f",  # control
        *"\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",  # bidi
        *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f\ufe0f\u3164\U000e0041",  # zero-width
        *"\u2028\u2029",  # lines
        *"\ud800\udfff\udc80",  # surrogates, alone
        *"\ufff9\U0001d173\u206a",  # other formats
    ],
)
@pytest.mark.parametrize("form", ["a{}b", "{}", "d{}/f", "f{}", ROOT + "/{}"])
def test_what_cannot_be_seen_or_encoded_is_invalid(character: str, form: str) -> None:
    with pytest.raises(PathInvalid):
        parse(form.format(character), ROOT)


@pytest.mark.holds("FIL-path-2")
@pytest.mark.parametrize("path", ["e\u0301.txt", "d/o\u0302/x", "\u212b", "\u1100\u1161"])
def test_a_name_not_in_the_normal_form_is_invalid(path: str) -> None:
    with pytest.raises(PathInvalid):
        parse(path, ROOT)
    assert parse(unicodedata.normalize("NFC", path), ROOT)


@pytest.mark.holds("FIL-path-6", "FIL-path-7")
@pytest.mark.parametrize(
    ("fits", "too_much"),
    [
        ("a" * 255, "a" * 256),
        ("é" * 127 + "a", "é" * 128),
        ("/".join(["a"] * 64), "/".join(["a"] * 65)),
        ("/".join(["a" * 255] * 16), "/".join(["a" * 255] * 17)),
    ],
    ids=["name", "name-in-bytes", "levels", "bytes"],
)
def test_a_path_is_bounded(fits: str, too_much: str) -> None:
    parse(fits, ROOT)
    with pytest.raises(PathInvalid):
        parse(too_much, ROOT)


def test_dots_that_name_nothing_do_not_count_as_levels() -> None:
    assert len(parse("./" * 100 + "/".join(["a"] * limits.PATH_LEVELS_MAX), ROOT)) == 64


def test_a_root_may_have_a_name_that_a_path_may_not() -> None:
    root = "/home/e\u0301:\\odd /.git"

    assert parse(f"{root}/a.py", root) == ("a.py",)


def test_a_path_may_begin_with_any_name_of_the_root() -> None:
    assert parse("/private/var/a", "/private/var", "/var") == ("a",)
    assert parse("/var/a", "/private/var", "/var") == ("a",)
    assert parse("/a", "/") == ("a",)


@given(st.text(alphabet=st.sampled_from("./a\\:~ \u200b\u202eé\u0301\0\n\ud800g"), max_size=30))
def test_whatever_is_parsed_is_a_plain_way_down(path: str) -> None:
    with suppress(Problem):
        _is_a_plain_way_down(path, parse(path, ROOT))


@given(st.text(alphabet=st.sampled_from("./a\\: \u200b\0\ud800"), max_size=30))
def test_a_refused_path_is_shown_in_a_form_that_can_be_sent(path: str) -> None:
    with pytest.raises(Problem) as refused:
        parse(f"../{path}", ROOT)

    assert str(refused.value.details["path"]).isprintable()
    assert json.dumps(refused.value.as_dict(), ensure_ascii=False).encode()


def _is_a_plain_way_down(path: str, components: tuple[str, ...]) -> None:
    assert components
    for component in components:
        assert component.encode()
        assert component not in {"", ".", ".."}
        assert not set(component) & set("/\\\0")
    assert parse("/".join(components), ROOT) == components
    assert parse(f"{ROOT}/{path}", ROOT) == components


@pytest.mark.holds("FIL-path-22", "FIL-path-23")
@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".git",
        "sub/.git/hooks/pre-commit",
        ".GIT/HEAD",
        ".gIt/HEAD",
        ".ｇｉｔ/config",
        ".ＧＩＴ",
        "．git/x",
        "․git/x",
        ".ⓖⓘⓣ/x",
        ".𝓰𝓲𝓽/x",
        ".gıt/x",
        "GIT~1/config",
        "git~2",
        "a/.mcp.json",
        ".MCP.JSON",
        "MCP~1.JSO",
        ".vscode/settings.json",
        "packages/x/.vscode/tasks.json",
        "VSCODE~1/tasks.json",
        "x.code-workspace",
        ".cursor/mcp.json",
        ".v\u017fcode/x",
        ".claude/settings.local.json",
        ".claude",
        ".gemini/settings.json",
        ".codex/config.toml",
        ".windsurf/hooks.json",
        ".idea/workspace.xml",
        ".devcontainer/devcontainer.json",
        ".devcontainer.json",
        ".github/hooks/x.json",
        ".\u212airo/hooks/x",
    ],
)
def test_what_hosts_run_is_protected_from_agents_only(path: str) -> None:
    components = path.split("/")

    with pytest.raises(PathProtected):
        protected.require_free(components, store=None, for_agent=True)
    protected.require_free(components, store=None, for_agent=False)


@pytest.mark.parametrize(
    "path",
    [
        ".gitignore",
        ".gitattributes",
        ".github/workflows/ci.yml",
        "git/config",
        "bare/HEAD",
        "gitx~1",
        "x~1",
        ".env",
        ".npmrc",
        ".envrc",
        "mcp.json/x",
        "vscode/settings.json",
        "claude/settings.json",
        "CLAUDE.md",
        "hooks/.github",
        "code-workspace",
        ".hansard",
    ],
)
def test_an_ordinary_name_is_free(path: str) -> None:
    assert protected.reason(path.split("/"), store=(".hansard", "store"), for_agent=True) is None


@pytest.mark.holds("FIL-path-21")
@pytest.mark.parametrize("for_agent", [True, False])
@pytest.mark.parametrize(
    "path",
    [
        "data/store",
        "data/store/hansard.db",
        "DATA/Store/x",
        ".hansard-tmp-owner-1-2",
        "a/.Hansard-TMP-x",
        ".hansard-tmp-",
    ],
)
def test_the_store_and_our_temporaries_are_protected_from_all(path: str, for_agent: bool) -> None:
    with pytest.raises(PathProtected):
        protected.require_free(path.split("/"), store=("data", "store"), for_agent=for_agent)


def test_beside_the_store_is_free() -> None:
    assert protected.reason(["data", "store2"], store=("data", "store"), for_agent=True) is None


def test_a_store_around_the_workspace_protects_all_of_it() -> None:
    assert protected.reason(["a"], store=(), for_agent=False) is not None


@pytest.mark.holds("FIL-path-24")
def test_the_table_is_written_as_it_is_compared_and_says_why() -> None:
    for pattern, why in protected.TABLE.items():
        assert [protected.fold(name) for name in pattern.split("/")] == pattern.split("/")
        assert len(why.split()) >= 3
