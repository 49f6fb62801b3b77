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


def test_a_channel_that_is_part_of_no_key_may_have_any_name(saver: HansardSaver) -> None:
    known = put(saver, {NUL: 1}, config_of())
    saver.put_writes(known, [(NUL, 2)], "task")

    found = saver.get_tuple(known)

    assert found
    assert found.checkpoint["channel_values"] == {NUL: 1}
    assert found.pending_writes == [("task", NUL, 2)]
