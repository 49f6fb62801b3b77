"""Whatever agents and people do in whatever order: going back gives what the model says.

After every step all bytes and modes on disk are compared, everything that was recorded of the files
that were touched, and the figures of every answer.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from hansard.kernel.engine import ReadTx
from hansard.recorder import file_changes, intents
from hansard.recorder.events import FileRef
from hansard.recorder.going_back import return_files, undo, undo_rules
from hansard.recorder.history.standing import taken_back_by
from hansard.recorder.tables import FILES, file_id
from tests.conftest import OpenApp
from tests.depth import deep
from tests.recorder.undo_hands import Chat, Elsewhere
from tests.recorder.undo_play import Player

AGENTS = 3
SHORT = 60
LONG = 300
HISTORIES = range(10, deep(13, 20))
"""With everything, ten long ones on each of three engines: nine thousand steps."""

APART = deep(300, 1_000)
"""By agents in processes of their own."""


@pytest.fixture
def player(open_app: OpenApp, files: Path, request: pytest.FixtureRequest) -> Player:
    chats = [Chat(open_app(), f"agent-{number}") for number in range(AGENTS)]
    return Player(chats, files, seed=request.param, has_real_clock=False)


@pytest.mark.holds("FIL-undo-1", "FIL-restore-2")
@pytest.mark.parametrize("player", [1, 2], indirect=True)
def test_a_short_random_history_goes_back_as_it_must(player: Player) -> None:
    player.play(SHORT)

    require_standing(player)


@pytest.mark.slow("makes thousands of durable changes and takes them back")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("player", HISTORIES, indirect=True)
def test_a_long_random_history_goes_back_as_it_must(player: Player) -> None:
    player.play(LONG)

    require_standing(player)


@pytest.mark.slow("starts agents in processes of their own")
@pytest.mark.timeout(3600)
def test_a_random_history_of_agents_in_processes_of_their_own(tmp_path: Path, files: Path) -> None:
    with ExitStack() as stack:
        hands = [
            stack.enter_context(closing(Elsewhere(str(tmp_path / "store"), files, f"agent-{n}")))
            for n in range(AGENTS)
        ]

        Player(hands, files, seed=21, has_real_clock=True).play(APART)


def require_standing(player: Player) -> None:
    """Hold what is said to stand against what does."""
    [chat, *_] = player.hands
    assert isinstance(chat, Chat)
    store, project = chat.app.store, chat.app.default_project
    [found] = store.read(project, lambda tx: tx.scan(FILES, limit=1))
    for rev in player.model.all_revs():
        key = file_id(found.row["workspace"], rev.path)

        def taker(tx: ReadTx, key: str = key, seq: int = rev.seq) -> int | None:
            return taken_back_by(tx, key, seq)

        assert (store.read(project, taker) is None) == rev.stands, rev


# Broken on purpose: the play must find these out.


def before_wins(changes: Sequence[Any], now: Any, takes: Any) -> Any:
    """Put back what was there before, whatever came since: what restore once did for Undo."""
    del takes
    then = now | {change.path: change.before for change in reversed(changes) if not change.to}
    return undo_rules.Taken(then, {path: path for path in then}, [])


def no_modes(known: FileRef | None, now: FileRef | None) -> bool:
    """Take a file for unchanged whose permissions somebody changed, as it once was."""
    if known is None or now is None:
        return known is now
    return known.digest == now.digest


def nothing_seen(*_: object) -> None:
    """Record nothing of what is about to be replaced."""


def all_stands(tx: ReadTx, made: Sequence[Any], seqs: object) -> tuple[list[Any], Any]:
    """Know of nothing that was taken back."""
    del tx, seqs
    return list(made), {}


BROKEN: list[tuple[Any, str, Callable[..., Any]]] = [
    (undo_rules, "take_back", before_wins),
    (intents, "_is_same", no_modes),
    (file_changes, "record_seen", nothing_seen),
    (return_files, "record_seen", nothing_seen),
    (undo, "standing", all_stands),
]


@pytest.mark.parametrize(("module", "name", "broken"), BROKEN, ids=[one[1] for one in BROKEN])
@pytest.mark.parametrize("open_engine", ["memory"], indirect=True)
@pytest.mark.parametrize("player", [5], indirect=True)
def test_a_broken_way_back_is_found_out(
    player: Player,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    broken: Callable[..., Any],
) -> None:
    monkeypatch.setattr(module, name, broken)

    with pytest.raises(AssertionError):
        player.play(400)
