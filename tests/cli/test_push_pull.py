"""`hansard push` and `pull` between real stores: a folder, the far end of SSH, a server."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hansard.app.settings import Settings
from hansard.app.start import start
from tests.app.repositories import repository
from tests.cli.running import WAIT_S, Hansard, know_secret
from tests.conftest import a_caller
from tests.http.serving import make_token, revoke, serving, set_secret

SECRET = "a secret that only a person knows"
WORDS = ("--rationale", "Because it was measured twice.")


@pytest.fixture
def hansard(tmp_path: Path) -> Hansard:
    made = Hansard(tmp_path)
    (tmp_path / "workspace").mkdir()
    made.environment |= {
        "HANSARD_WORKSPACE": str(tmp_path / "workspace"),
        "HANSARD_PROJECT": "shop",
        "HANSARD_EMBEDDER": "none",
    }
    app = start(Settings(store=str(made.store), embedder="none"))
    app.call("create_project", {"id": "shop", "name": "Shop"}, a_caller())
    app.close()
    decide(made, "one")
    return made


def decide(hansard: Hansard, target: str, store: Path | None = None) -> None:
    flags = ("--store", str(store)) if store else ()
    ran = hansard("decisions", "record", "--title", "T", "--target", target, *WORDS, *flags)
    assert ran.code == 0, ran.err


def moved(hansard: Hansard, *arguments: str, **environment: str) -> dict[str, object]:
    ran = hansard(*arguments, "--json", **environment)
    assert ran.code == 0, ran.err
    found: dict[str, object] = json.loads(ran.out)
    return found


@pytest.fixture
def far(tmp_path: Path) -> Path:
    return tmp_path / "far"


def test_a_folder_there_and_back(hansard: Hansard, far: Path) -> None:
    first = moved(hansard, "push", str(far))
    again = hansard("push", str(far))
    decide(hansard, "two", far)
    back = moved(hansard, "pull", str(far))

    assert first["entries"] == first["seq"]
    assert "Nothing new" in again.out
    assert back["entries"] == int(str(back["seq"])) - int(str(first["seq"]))
    assert hansard("verify").code == 0
    assert hansard("verify", "--store", str(far)).code == 0


def test_histories_that_part_are_told_with_where_and_what(hansard: Hansard, far: Path) -> None:
    at = moved(hansard, "push", str(far))["seq"]
    decide(hansard, "mine")
    decide(hansard, "theirs", far)

    ran = hansard("push", str(far), "--json")

    told = json.loads(ran.out)["error"]
    assert (ran.code, told["code"], told["details"]["common"]) == (1, "HISTORIES_DIVERGED", at)
    assert told["details"]["target"]["entries"] == 3
    assert hansard("pull", str(far)).code == 1


def test_collecting_a_copy_says_why_some_of_it_stays_and_it_goes_on_taking_in(
    hansard: Hansard, far: Path
) -> None:
    app = start(Settings(store=str(hansard.store), project="shop", embedder="none"))
    saved = app.call("workflow_checkpoint_save", {"context": {"n": 1}}, a_caller()).model_dump()
    app.call("workflow_checkpoint_delete", {"checkpointId": saved["checkpointId"]}, a_caller())
    app.close()
    moved(hansard, "push", str(far))
    there = ("--days", "0", "--store", str(far))

    collected = hansard("gc", "--apply", *there)
    told = moved(hansard, "gc", *there)
    decide(hansard, "two")

    assert "shop: some of it stays" in collected.out
    assert told["waiting"] == ["shop"]
    assert int(str(moved(hansard, "push", str(far))["entries"])) > 0
    assert "stays" not in hansard("gc", "--goes-on-here", *there).out


def test_nothing_to_pull_from_is_said_and_made_by_nobody(hansard: Hansard, far: Path) -> None:
    assert "There is no store" in hansard("pull", str(far)).err
    assert not far.exists()


@pytest.fixture
def ssh(hansard: Hansard, tmp_path: Path) -> Hansard:
    """Has a stand-in for SSH, which runs the words for the shell of the other machine here."""
    script = tmp_path / "ssh"
    script.write_text(
        '#!/bin/sh\nshift\nhost=$1\nshift\n[ "$host" = box ] || exit 255\nexec sh -c "$*"\n'
    )
    script.chmod(0o755)
    remote = shlex.join(["env", "HANSARD_EMBEDDER=none", sys.executable, "-m", "hansard.cli.main"])
    hansard.environment |= {"HANSARD_SSH": str(script), "HANSARD_REMOTE_PROGRAM": remote}
    return hansard


def test_the_far_end_of_ssh_there_and_back(ssh: Hansard, tmp_path: Path) -> None:
    far = tmp_path / "a folder's name; touch x"

    first = moved(ssh, "push", f"box:{far}")
    decide(ssh, "two", far)
    back = moved(ssh, "pull", f"box:{far}")

    assert first["entries"] == first["seq"]
    assert int(str(back["entries"])) > 0
    assert "Nothing new" in ssh("pull", f"box:{far}").out
    assert ssh("verify", "--store", str(far)).code == 0


def test_a_machine_that_does_not_answer_or_is_none_is_said(ssh: Hansard, far: Path) -> None:
    ran = ssh("push", f"nowhere:{far}", "--json")
    assert json.loads(ran.out)["error"]["code"] == "PEER_UNREACHABLE"
    assert ssh("push", f"-oProxyCommand=touch:{far}").code != 0
    assert not far.exists()


def test_the_far_store_asks_for_its_secret_by_ssh_too(
    ssh: Hansard, far: Path, tmp_path: Path
) -> None:
    moved(ssh, "push", f"box:{far}")
    know_secret(far, SECRET)
    decide(ssh, "two")

    refused = ssh("push", f"box:{far}", "--json")
    key = tmp_path / "key"
    key.write_text(SECRET)
    key.chmod(0o600)
    proved = ssh("push", f"box:{far}", "--json", HANSARD_PERSON_KEY=str(key))

    error = json.loads(refused.out)["error"]
    assert (error["code"], error["details"]["code"]) == ("PEER_REFUSED", "PERMISSION_DENIED")
    assert json.loads(proved.out)["entries"] > 0, proved.err


def test_a_server_there_and_back_with_an_admins_token(hansard: Hansard, tmp_path: Path) -> None:
    home = tmp_path / "server"
    home.mkdir()
    text, identity = make_token(home, "admin")
    weak, _ = make_token(home, "agent")
    with serving(home) as server:
        first = moved(hansard, "push", server.base, HANSARD_TOKEN=text)
        again = hansard("push", server.base, HANSARD_TOKEN=text)
        decide(hansard, "two", home / "store")
        back = moved(hansard, "pull", server.base, HANSARD_TOKEN=text)
        refused = hansard("push", server.base, "--json", HANSARD_TOKEN=weak)
        revoke(home, identity)
        ended = hansard("push", server.base, "--json", HANSARD_TOKEN=text)
        none = hansard("push", server.base)

    assert first["entries"] == first["seq"]
    assert "Nothing new" in again.out
    assert int(str(back["entries"])) > 0
    details = json.loads(refused.out)["error"]["details"]
    assert details["code"] == "PERMISSION_DENIED"
    assert json.loads(ended.out)["error"]["details"]["code"] == "UNAUTHORIZED"
    assert "token" in none.err
    assert hansard("verify", "--store", str(home / "store")).code == 0


def test_a_server_takes_entries_into_a_project_that_is_there_only_from_who_is_proved(
    hansard: Hansard, tmp_path: Path
) -> None:
    home = tmp_path / "server"
    home.mkdir()
    unproved, _ = make_token(home, "admin", proof="unproved")
    with serving(home) as server:
        moved(hansard, "push", server.base, HANSARD_TOKEN=unproved)
        set_secret(home, SECRET)
        decide(hansard, "two")
        refused = hansard("push", server.base, "--json", HANSARD_TOKEN=unproved)
        proved, _ = make_token(home, "admin")
        taken = moved(hansard, "push", server.base, HANSARD_TOKEN=proved)

    assert json.loads(refused.out)["error"]["details"]["code"] == "PERMISSION_DENIED"
    assert int(str(taken["entries"])) > 0


def test_a_token_does_not_go_to_another_machine_in_the_open(hansard: Hansard) -> None:
    ran = hansard("push", "http://example.org", HANSARD_TOKEN="x")

    assert "https" in ran.err


@pytest.mark.slow("kills the push again and again")
def test_killed_at_any_point_the_far_store_has_all_or_nothing(hansard: Hansard, far: Path) -> None:
    moved(hansard, "push", str(far))
    for number in range(20):
        decide(hansard, f"target {number}")
    before = hansard("log", "--json", "--limit", "1", "--store", str(far)).out
    whole = hansard("log", "--json", "--limit", "1").out

    for _ in range(6):
        process = hansard.start("push", str(far))
        heads = set()
        while process.poll() is None:
            heads.add(hansard("log", "--json", "--limit", "1", "--store", str(far)).out)
            if len(heads) > 1 or process.poll() is not None:
                break
            os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=WAIT_S)
        assert hansard("log", "--json", "--limit", "1", "--store", str(far)).out in {before, whole}

    assert hansard("push", str(far)).code == 0
    assert hansard("log", "--json", "--limit", "1", "--store", str(far)).out == whole
    assert hansard("verify", "--store", str(far)).code == 0


def test_exchange_on_a_terminal_says_what_it_is_for(hansard: Hansard) -> None:
    assert "other end of SSH" in hansard.on_a_terminal("exchange").out


def test_exchange_answers_what_is_no_message_by_ending(hansard: Hansard) -> None:
    process = subprocess.run(
        hansard.command("exchange"),
        env=hansard.environment,
        input=b"hello\n",
        capture_output=True,
        check=False,
        timeout=WAIT_S,
    )

    assert process.returncode == 1
    assert b"no message" in process.stderr


def test_a_repository_goes_on_in_the_project_of_its_name_that_was_pulled(
    hansard: Hansard, tmp_path: Path, far: Path
) -> None:
    moved(hansard, "push", str(far))
    hansard.environment["HANSARD_PROJECT"] = ""
    stores = {name: str(tmp_path / name / "store") for name in ("shop", "other")}
    told = {}
    for name, store in stores.items():
        here = {"HANSARD_STORE": store, "HANSARD_WORKSPACE": str(repository(tmp_path / name))}
        told[name] = hansard("pull", str(far), "shop", **here).out
        hansard("decisions", "record", "--title", "T", "--target", "here", *WORDS, **here)
        assert hansard("verify", **here).code == 0
        listed = hansard("projects", "--json", **here).out.splitlines()
        told[f"{name} has"] = " ".join(sorted(json.loads(one)["id"] for one in listed))

    assert "goes on in that one" in told["shop"]
    assert told["shop has"] == "shop"
    assert "goes on" not in told["other"]
    assert told["other has"] == "other shop"
