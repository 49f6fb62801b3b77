"""Sources that were made to do harm, or were damaged: left out with a reason, never a crash."""

import json
import os
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hansard.app.application import Application
from hansard.app.settings import Settings
from hansard.app.start import MEMORY, start
from hansard.foreign import limits
from hansard.foreign.formats import FORMATS
from hansard.foreign.items import Skipped
from hansard.kernel.operation import Caller
from hansard.kernel.problem import Problem
from tests.foreign.taking_over import SAMPLES, sample, take

LINES = ["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "server-memory"]


def reading(name: str, path: Path) -> list[Any]:
    return list(FORMATS[name].read(path))


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_none_is_left_out_by_its_place_and_the_rest_is_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LINE_BYTES_MAX", 100_000)
    good = sample(name, tmp_path).read_bytes()
    expected = [
        one for one in reading(name, sample(name, tmp_path)) if not isinstance(one, Skipped)
    ]
    deep = b'{"a":' * 300 + b"1" + b"}" * 300
    bad = [
        b"{",
        b"[1,2]",
        b"null",
        b'"\\ud800"',
        b"\xff\xfe",
        deep,
        b'{"a":"' + b"x" * 200_000 + b'"}',
    ]
    path = tmp_path / f"bad-{name}.jsonl"
    path.write_bytes(b"\n".join([*bad, good]))

    found = reading(name, path)

    skipped = [one for one in found if isinstance(one, Skipped)]
    assert [one for one in found if not isinstance(one, Skipped)] == expected
    assert [one.place for one in skipped[: len(bad)]] == [
        f"{path.name}:{number}" for number in range(1, len(bad) + 1)
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", LINES)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_field_may_be_of_any_type(tmp_path: Path, name: str, data: st.DataObject) -> None:
    """Replaces a value somewhere in a real transcript by anything at all."""
    rows = [json.loads(line) for line in sample(name, tmp_path).read_text().splitlines()]
    row = data.draw(st.sampled_from(rows))
    place: Any = row
    for _ in range(data.draw(st.integers(0, 4))):
        keys = list(place) if isinstance(place, dict) else range(len(place))
        inner = [place[key] for key in keys if isinstance(place[key], dict | list) and place[key]]
        if not inner:
            break
        place = data.draw(st.sampled_from(inner))
    key = data.draw(
        st.sampled_from(list(place) if isinstance(place, dict) else list(range(len(place))))
    )
    place[key] = data.draw(JSON)
    path = tmp_path / "odd.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in rows))
    app = start(Settings(store=MEMORY, workspace=str(tmp_path), embedder="none"))

    take(app, path, name)
    again = take(app, path, name)

    app.close()
    assert not again.new.total()


def test_links_pipes_and_devices_below_a_folder_are_not_read(
    app: Application, tmp_path: Path
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "s.jsonl").write_bytes((SAMPLES / "claude-code.jsonl").read_bytes())
    (folder / "file.jsonl").symlink_to(outside / "s.jsonl")
    (folder / "folder").symlink_to(outside)
    os.mkfifo(folder / "pipe.jsonl")

    report = take(app, folder, "claude-code")

    assert not report.new.total()


def test_names_and_texts_that_act_on_a_terminal_or_hide_are_kept_as_data(
    app: Application, agent: Caller, tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    name = "bill\u202eing\x1b[31m\x00\n- fake"
    path.write_text(
        json.dumps({"type": "entity", "name": name, "entityType": "a\nb", "observations": ["\x07"]})
    )

    take(app, path, "server-memory")

    [found] = app.call("list_records", {}, agent).model_dump(mode="json")["records"]
    assert "\n" not in found["title"]
    assert "\x1b" not in found["title"]
    assert found["type"] == "a b"


def test_a_packed_value_that_names_a_class_is_not_made_into_one(
    app: Application, tmp_path: Path
) -> None:
    """The framework's own reader would import the module and call what is named."""
    import sqlite3

    flag = tmp_path / "executed"
    call = ormsgpack.packb(("os", "mkdir", str(flag)), option=ormsgpack.OPT_NON_STR_KEYS)
    evil = {
        "v": 1, "id": "1", "ts": "2026", "channel_versions": {}, "versions_seen": {},
        "channel_values": {"x": ormsgpack.Ext(1, call)},
    }  # fmt: skip
    path = tmp_path / "c.sqlite"
    database = sqlite3.connect(path)
    database.execute(
        "create table checkpoints (thread_id, checkpoint_ns, checkpoint_id, "
        "parent_checkpoint_id, type, checkpoint, metadata)"
    )
    database.execute(
        "create table writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, "
        "type, value)"
    )
    rows = [
        ("t", "", "1", None, "msgpack", ormsgpack.packb(evil), b"{}"),
        ("t", "", "2", "1", "msgpack", b"\xc1broken", b"{"),
        ("t", "", "3", "1", "pickle", b"cos\nsystem\n", b"{}"),
        ("t", "", "4", "1", "msgpack", ormsgpack.packb([1]), b"{}"),
    ]
    database.executemany("insert into checkpoints values (?, ?, ?, ?, ?, ?, ?)", rows)
    database.commit()
    database.close()

    report = take(app, path)

    assert not flag.exists()
    assert report.skipped.total() == 3
    assert report.new["checkpoints"] == 4


def test_a_database_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"SQLite format 3\0" + b"\x07" * 5_000)

    with pytest.raises(Problem):
        reading("langgraph", path)


@pytest.mark.parametrize("kind", [["summary"], {"a": 1}, 1.5, None])
@pytest.mark.parametrize("name", FORMATS)
def test_what_is_no_word_is_no_kind_of_line(tmp_path: Path, name: str, kind: Any) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps({"type": kind, "payload": {"type": kind}, "name": kind}) + "\n")

    assert not FORMATS[name].fits(path)


def test_how_a_change_of_codex_ended_may_be_anything(tmp_path: Path) -> None:
    text = sample("codex", tmp_path).read_text()
    assert '"status":"completed"' in text.replace('": "', '":"')
    path = tmp_path / "odd.jsonl"
    path.write_text(text.replace('": "', '":"').replace('"status":"completed"', '"status":[1]'))
    app = start(Settings(store=MEMORY, workspace=str(tmp_path), embedder="none"))

    take(app, path, "codex")

    app.close()
