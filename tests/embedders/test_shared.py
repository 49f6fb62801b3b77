"""One process has the model for all of a user's: it comes when needed and goes when it is not."""

import os
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from hansard.embedders import model_process, model_wire
from hansard.embedders.embedder import EmbedderUnavailable
from hansard.embedders.local import LocalEmbedder
from hansard.embedders.shared import SharedEmbedder
from tests.patience import wait_until

pytestmark = pytest.mark.skipif(not model_wire.can_be_met(), reason="there are no such sockets")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder of a path that is short enough for a socket, to meet in."""
    with tempfile.TemporaryDirectory(prefix="h") as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        yield Path(runtime) / "hansard"
        with suppress(OSError, ValueError):
            os.kill(the_process(Path(runtime) / "hansard"), signal.SIGKILL)


def the_process(folder: Path) -> int:
    return int((folder / f"{model_wire.NAME}.lock").read_text())


def socket_of(folder: Path) -> Path:
    return folder / f"{model_wire.NAME}.sock"


def test_two_ask_one_process_and_get_what_the_model_makes(folder: Path) -> None:
    one, other, own = (
        SharedEmbedder(LocalEmbedder()),
        SharedEmbedder(LocalEmbedder()),
        LocalEmbedder(),
    )
    texts = ["a zebra", "zebra " * 300, ""]

    made = one.embed(texts)
    first = the_process(folder)

    assert [len(each) for each in made] == [1, 2, 1]
    for got, expected in zip(made, own.embed(texts), strict=True):
        assert np.array_equal(got, expected)
    assert np.array_equal(other.embed_query("a zebra"), own.embed_query("a zebra"))
    assert the_process(folder) == first != os.getpid()
    one.close()
    with pytest.raises(EmbedderUnavailable):
        one.embed_query("a zebra")

    # Killed, it is begun again by whoever needs it, and nobody notices.
    os.kill(first, signal.SIGKILL)
    assert np.array_equal(other.embed_query("a zebra"), own.embed_query("a zebra"))
    assert the_process(folder) != first
    other.close()


def test_where_others_could_look_in_nobody_is_met_and_the_model_is_loaded_here(
    folder: Path,
) -> None:
    folder.mkdir()
    folder.chmod(0o755)

    shared = SharedEmbedder(LocalEmbedder())

    assert np.array_equal(shared.embed_query("a zebra"), LocalEmbedder().embed_query("a zebra"))
    assert list(folder.iterdir()) == []
    shared.close()


def test_it_stays_while_somebody_is_connected_and_what_is_no_message_harms_nobody(
    folder: Path,
) -> None:
    folder.mkdir(mode=0o700)
    process = threading.Thread(target=serve_in, args=[folder], daemon=True)
    with socket.socket(socket.AF_UNIX) as odd, socket.socket(socket.AF_UNIX) as well:
        process.start()
        wait_until(lambda: _connects(well, socket_of(folder)))
        odd.connect(str(socket_of(folder)))
        odd.sendall(b"\xff\xff\xff\xff no length")
        with suppress(ConnectionResetError):
            assert odd.recv(1) == b""

        model_wire.send(well, {"texts": []})
        assert model_wire.receive(well) == ({"rows": []}, b"")
        assert process.is_alive()

    process.join()
    assert not socket_of(folder).exists()


def serve_in(folder: Path) -> None:
    with model_process.listening(folder) as listener:
        model_process.ModelProcess(listener, idle_s=1.0).serve()


def _connects(connection: socket.socket, path: Path) -> bool:
    try:
        connection.connect(str(path))
    except OSError:
        return False
    return True
