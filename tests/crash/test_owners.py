"""An effect of a process that is alive is nobody else's affair; when it is killed, it is."""

import signal
from pathlib import Path

import pytest

from hansard.kernel.effect import open_intents
from tests.crash import scenes, toys
from tests.crash.harness import SOON_S, playing
from tests.effects import settle
from tests.patience import wait_until


@pytest.mark.fault("many processes")
@pytest.mark.cold("the death of a process")
def test_an_effect_is_settled_by_others_when_its_process_is_dead_and_not_before(
    location: str, tmp_path: Path
) -> None:
    (tmp_path / scenes.LOCATION).write_text(location)
    (tmp_path / scenes.FILE).write_text(scenes.BEFORE)
    app = toys.open_application(location)
    store, project, effects = app.store, app.default_project, toys.effects(tmp_path)
    with playing(scenes.stop_in_an_effect, tmp_path) as child:
        child.until("acting")
        assert len(open_intents(store, project)) == 1
        assert settle(store, project, effects, toys.STAMP) == []
        child.process.send_signal(signal.SIGSTOP)
        assert settle(store, project, effects, toys.STAMP) == []

        child.process.kill()
        child.process.wait(SOON_S)

        # A server notices the death of its client a moment later.
        wait_until(lambda: bool(settle(store, project, effects, toys.STAMP)))
    assert open_intents(store, project) == []
    assert settle(store, project, effects, toys.STAMP) == []
    assert (tmp_path / scenes.FILE).read_text() == scenes.BEFORE
    app.close()
