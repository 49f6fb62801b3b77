"""`hansard rebuild`, `doctor`, `export-schema`, `serve`; and who sits at the command line."""

import json
import signal
import urllib.request
from pathlib import Path

import pytest

from hansard.app.settings import declarations
from hansard.cli.store.doctor import without_password
from hansard.cli.store.verdict import TO_DO, Check, verdict
from hansard.cli.terminal.text import printable
from tests.cli.running import WAIT_S, Hansard, know_secret
from tests.cli.test_verify import sql

ROOT = Path(__file__).parents[2]


def checks(shown: str) -> dict[str, list[dict[str, str]]]:
    by_what: dict[str, list[dict[str, str]]] = {}
    for check in json.loads(shown)["checks"]:
        by_what.setdefault(check["what"], []).append(check)
    return by_what


# rebuild


def test_a_rebuild_mends_what_was_altered(filled: Hansard) -> None:
    sql(filled, "DELETE FROM rows_sessions_v2")
    assert filled("verify").code == 2

    ran = filled("rebuild")

    assert ran.code == 0
    assert "default: derived again from 3 entries" in ran.out
    assert filled("verify").code == 0


def test_a_rebuild_of_one_project_leaves_the_others(filled: Hansard) -> None:
    ran = filled("rebuild", "--project", "default")

    assert ran.out == "default: derived again from 3 entries\n"
    assert filled("rebuild", "--project", "nowhere").code == 1


# doctor


def test_the_doctor_says_what_is_set_up(filled: Hansard) -> None:
    ran = filled("doctor", "--json")

    assert ran.code == 0
    found = checks(ran.out)
    assert set(found) >= {
        "hansard", "you", "setting", "folder", "disk", "store", "database", "durability",
        "content", "views", "intents", "search",
    }  # fmt: skip
    assert found["content"][0]["says"] == "1 project, 4 entries, 0 blobs"
    assert found["search"][0]["says"] == "words and meaning, by local minilm-l6"
    [person] = found.pop("person")
    assert (person["status"], "unproved" in person["says"]) == ("warn", True)
    assert {check["status"] for each in found.values() for check in each} == {"ok"}


def test_the_doctor_says_what_proves_a_person(filled: Hansard) -> None:
    ours, theirs = {"HANSARD_SECRET": "a secret of ours"}, {"HANSARD_SECRET": "a secret of theirs"}
    unknown = filled("doctor", "--json", **ours)
    know_secret(filled.store, "a secret of ours")

    proved, short = filled("doctor", "--json", **ours), filled("doctor", HANSARD_SECRET="short")
    elsewhere, other = filled("doctor", "--json"), filled("doctor", "--json", **theirs)

    told = [checks(ran.out)["person"][-1] for ran in (unknown, proved, elsewhere, other)]
    assert [one["status"] for one in told] == ["warn", "ok", "ok", "fail"]
    assert "set by human:ada at" in told[1]["says"]
    assert (short.code, "at least 16" in short.out + short.err) == (1, True)


def test_the_doctor_says_where_each_setting_comes_from(filled: Hansard) -> None:
    ran = filled("doctor", "--json", "--project", "mine", HANSARD_PORT="1234")

    settings = [check["says"] for check in checks(ran.out)["setting"]]
    assert len(settings) == len(declarations())
    assert "project = mine (--project)" in settings
    assert "port = 1234 (HANSARD_PORT)" in settings
    assert "errors = result (default)" in settings


def test_the_doctor_makes_no_store_and_warns_that_there_is_none(hansard: Hansard) -> None:
    ran = hansard("doctor", "--json")

    assert ran.code == 0
    assert checks(ran.out)["store"][0]["status"] == "warn"
    assert not hansard.store.exists()


def test_the_doctor_fails_where_the_store_cannot_work(hansard: Hansard) -> None:
    hansard.store.mkdir()
    (hansard.store / "hansard.db").write_bytes(b"not a database " * 1_000)

    ran = hansard("doctor")

    assert ran.code == 1
    assert "fail  store" in ran.out


def test_the_doctor_warns_of_views_that_will_be_derived_again(filled: Hansard) -> None:
    sql(filled, "UPDATE heads SET views = 'sessions:0' WHERE project = 'default'")

    assert checks(filled("doctor", "--json").out)["views"][0]["status"] == "warn"


def test_the_doctor_ends_with_its_verdict(filled: Hansard) -> None:
    ran, for_programs = filled("doctor"), filled("doctor", "--json")

    last = json.loads(for_programs.out)["verdict"]
    assert ran.out.splitlines()[-len(last) :] == last


def test_a_verdict_says_that_all_is_well_or_what_to_do_the_worst_first() -> None:
    well, odd = Check("ok", "disk", "much free"), Check("warn", "person", "no secret")
    broken = Check("fail", "store", "it is damaged: bring a backup back")

    assert [line for line, _ in verdict([well])] == ["All is well."]
    assert [line for line, _ in verdict([well, odd])] == [
        "It works; 1 thing is worth a look.",
        f"  person: {TO_DO['person']}",
    ]
    assert [line for line, _ in verdict([odd, well, broken])] == [
        "1 thing stands in the way of working.",
        "  store: it is damaged: bring a backup back",
        f"  person: {TO_DO['person']}",
    ]


def test_the_doctor_says_what_is_in_the_way(hansard: Hansard) -> None:
    hansard.store.mkdir()
    (hansard.store / "hansard.db").write_bytes(b"not a database " * 1_000)

    ran = hansard("doctor")

    assert ran.code == 1
    assert "1 thing stands in the way of working." in ran.out


def test_the_doctor_lists_defaults_only_when_asked(filled: Hansard) -> None:
    briefly, whole = filled("doctor", "--port", "1234"), filled("doctor", "--all")

    assert "port = 1234" in briefly.out
    assert "(default)" not in briefly.out
    assert "--all" in briefly.out
    assert whole.out.count("(default)") > 20


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("postgresql://anna:secret@host/db", "postgresql://anna:…@host/db"),
        ("postgresql://anna@host/db", "postgresql://anna@host/db"),
        (
            "postgresql://host/db?user=anna&password=secret&x=1",
            "postgresql://host/db?user=anna&password=…&x=1",
        ),
        ("some/folder", "some/folder"),
    ],
)
def test_a_password_is_not_shown(location: str, shown: str) -> None:
    assert without_password(location) == shown


# Who is there.


@pytest.mark.holds("ALL-10.7")
def test_without_a_terminal_the_caller_is_an_agent(filled: Hansard) -> None:
    [you] = checks(filled("doctor", "--json").out)["you"]

    assert you["says"] == "agent cli, role agent"


@pytest.mark.holds("ALL-10.6")
def test_on_a_terminal_the_caller_is_a_human(filled: Hansard) -> None:
    ran = filled.on_a_terminal("doctor", "--json", LOGNAME="anna")

    [you] = checks(ran.out)["you"]
    assert you["says"] == "human anna, role admin"


def test_text_is_made_printable() -> None:
    assert printable("plain é 漢") == "plain é 漢"
    assert printable("a\tb\x00\x9b\u200b") == "a\\tb\\x00\\x9b\\u200b"


# export-schema


@pytest.mark.holds("004-schema-2", "DEC-schema-1")
def test_export_schema_prints_the_committed_contract(hansard: Hansard) -> None:
    ran = hansard("export-schema")

    assert ran.code == 0
    assert ran.out == (ROOT / "schema" / "v1" / "hansard.json").read_text(encoding="utf-8")
    assert len(json.loads(ran.out)["hash"]) == 64


# serve


@pytest.mark.cold("a signal")
def test_serve_says_where_it_listens_answers_and_ends(hansard: Hansard) -> None:
    process = hansard.start("serve", "--port", "0")
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        url = line.split()[-1]
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(url.replace("/mcp", "/healthz"), timeout=WAIT_S) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)

        assert process.wait(WAIT_S) == 0
    finally:
        process.kill()
        process.communicate(timeout=WAIT_S)


def test_serve_refuses_to_listen_to_the_world(hansard: Hansard) -> None:
    ran = hansard("serve", "--host", "0.0.0.0")

    assert ran.code == 2
    assert "0.0.0.0" in ran.err
