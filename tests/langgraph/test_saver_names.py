"""Names that no engine takes are refused in words, on every engine alike."""

import pytest

from hansard.kernel.problem import InvalidInput
from hansard.langgraph import HansardSaver
from tests.langgraph.steps import config_of, put

NUL = "a\0b"


def test_a_name_with_a_nul_is_refused_wherever_it_would_be_kept(saver: HansardSaver) -> None:
    known = put(saver, {"fine": 1}, config_of())

    with pytest.raises(InvalidInput, match="NUL"):
        put(saver, {"fine": 1}, config_of(ns=NUL))
    with pytest.raises(InvalidInput, match="NUL"):
        put(saver, {"fine": 1}, config_of(thread=NUL))
    with pytest.raises(InvalidInput, match="NUL"):
        put(saver, {NUL: "long enough to be kept apart" * 1_000}, known)
    with pytest.raises(InvalidInput, match="NUL"):
        saver.put_writes(known, [("fine", 1)], NUL)


def test_a_name_with_a_nul_is_refused_wherever_it_is_looked_for(saver: HansardSaver) -> None:
    put(saver, {"fine": 1}, config_of())

    for asked in (config_of(ns=NUL), config_of(thread=NUL), config_of(identifier=NUL)):
        with pytest.raises(InvalidInput, match="NUL"):
            saver.get_tuple(asked)
        with pytest.raises(InvalidInput, match="NUL"):
            list(saver.list(asked))


@pytest.mark.parametrize("thread", ["user@x\torg", "a\nb", "a\u2028b", "a" + "\n" * 253 + "b"])
def test_a_thread_whose_id_is_on_several_lines_is_kept_under_it(
    saver: HansardSaver, thread: str
) -> None:
    put(saver, {"fine": 0}, config_of(thread="a%0Ab"))
    known = put(saver, {"fine": 1}, config_of(thread=thread))
    saver.put_writes(known, [("fine", 2)], "task")

    found = saver.get_tuple(config_of(thread=thread))

    assert found
    assert found.config == known
    assert found.checkpoint["channel_values"] == {"fine": 1}
    assert found.pending_writes == [("task", "fine", 2)]
    assert len(list(saver.list(config_of(thread=thread)))) == 1


def test_a_channel_that_is_part_of_no_key_may_have_any_name(saver: HansardSaver) -> None:
    known = put(saver, {NUL: 1}, config_of())
    saver.put_writes(known, [(NUL, 2)], "task")

    found = saver.get_tuple(known)

    assert found
    assert found.checkpoint["channel_values"] == {NUL: 1}
    assert found.pending_writes == [("task", NUL, 2)]
