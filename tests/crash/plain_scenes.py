"""Scenes of plain changes to files, to see what strikes them, and where."""

import os
import threading
from functools import partial

from tests.crash.stage import Stage

FILE = "file"


def write_in_two_threads(stage: Stage) -> None:
    """Write in a thread that was there before the gate, then in this one; tell what failed."""
    may_write = threading.Event()
    descriptor = os.open(stage.folder / FILE, os.O_WRONLY | os.O_CREAT)

    def write(where: str) -> None:
        try:
            os.write(descriptor, where.encode())
        except OSError as error:
            stage.tell(failed=where, errno=error.errno)

    def in_a_thread() -> None:
        may_write.wait()
        write("thread ")

    thread = threading.Thread(target=in_a_thread)
    thread.start()
    stage.gate("write")
    may_write.set()
    thread.join()
    write("main ")
    write("again ")
    stage.gate("later")
    write("later")
    stage.gate("end")


def write_elsewhere(stage: Stage) -> None:
    """Write to something that is no file of the folder, then to one of it, and sync it."""
    _, pipe = os.pipe()
    stage.gate("write")
    os.write(pipe, b"not a file")
    (stage.folder / FILE).write_bytes(b"a file")
    os.fsync(os.open(stage.folder, os.O_RDONLY | os.O_DIRECTORY))


def take_and_leave_room(stage: Stage) -> None:
    """Take room on the disk for a file, and let go of it by its name; tell what failed."""
    path = stage.folder / FILE
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    stage.gate("write")
    steps = (partial(os.posix_fallocate, descriptor, 0, 4096), partial(os.truncate, path, 0))
    for step in steps:
        try:
            step()
        except OSError as error:
            stage.tell(failed=True, errno=error.errno, size=path.stat().st_size)
    stage.gate("end")


def say_where(stage: Stage) -> None:
    """Write, and tell whether that was in the main thread."""
    stage.gate("write")
    for word in ("first", "second"):
        (stage.folder / FILE).write_text(word)
    stage.tell(is_main=threading.current_thread() is threading.main_thread())


def fall_over(stage: Stage) -> None:
    """Meet a bug when a file cannot be made durable."""
    with (stage.folder / FILE).open("wb") as file:
        stage.gate("write")
        os.fsync(file.fileno())


def be_killed_by_another(stage: Stage) -> None:
    """Die before anything could strike."""
    stage.gate("write")
    os.abort()
