"""Proving: a sound store is not accused, and a document's mark is that of its texts."""

from collections.abc import Mapping

from hansard.kernel.engine import Engine, Row, Topic, WriteTx
from hansard.kernel.limits import BODY_BYTES_MAX
from hansard.testing.suite.base import (
    DATED,
    LABELS,
    OTHER,
    PAPERS,
    PROJECT,
    THINGS,
    Noted,
    Opener,
    SuiteBase,
    look,
    put_all,
    record_all,
)
from hansard.testing.suite.search import STRANGE_TEXTS, publish

LONG_KEY = "k" * 3_000


class ProvingSuite(SuiteBase):
    """What `check`, `marks` and `mark` promise."""

    def test_nothing_is_wrong_with_a_sound_store(self, engine: Engine) -> None:
        """Neither at a glance nor thoroughly, empty or not."""
        assert engine.check(thorough=True) == []

        record_all(engine, Noted(text="one"), Noted(text="two"))
        record_all(engine, Noted(text="theirs"), project=OTHER)
        put_all(engine, {"a": {"color": "red"}})
        publish(engine, {"a": {"title": "quill"}, "b": {"title": "ink", "body": "ink"}})
        engine.write(PROJECT, lambda tx: tx.index(PAPERS, "a", None))

        assert engine.check(thorough=False) == []
        assert engine.check(thorough=True) == []

    def test_every_key_is_filed_as_its_row_says(self, engine: Engine) -> None:
        """Whatever its values are, and also if it is only history."""
        rows: dict[str, Row] = {
            "plain": {"color": "red", "size": 3, "weight": 1.5, "is_new": True},
            "nothing": {},
            "nulls": {"color": None, "size": None, "weight": None, "is_new": None},
            "strange": {"color": "a\"b'c\\\n雪😀", "size": -(2**53), "weight": 1e-300},
            "whole": {"color": "", "size": 0, "weight": 2, "is_new": False},
            LONG_KEY: {"color": "long " * 1_000, "size": 2**62, "weight": 0.1 + 0.2},
        }
        put_all(engine, rows)
        engine.write(PROJECT, _put_twice)
        engine.write(PROJECT, lambda tx: tx.delete(DATED, "a", seq=3))

        assert look(engine, lambda tx: tx.filed(THINGS, limit=100)) == dict.fromkeys(rows, True)
        assert look(engine, lambda tx: tx.filed(DATED, limit=100)) == {"a": True, "b": True}
        assert look(engine, lambda tx: tx.filed(DATED, limit=100), OTHER) == {}

    def test_a_document_has_the_mark_of_its_texts(self, engine: Engine) -> None:
        """Whatever the texts are."""
        many = " ".join(f"w{number:x}" for number in range(BODY_BYTES_MAX // 6))[:BODY_BYTES_MAX]
        texts = [*STRANGE_TEXTS, "same " * 20_000, f"{many} {'again ' * 300}"]
        papers = {
            f"{number:02}": {"title": text[:2_000], "body": text}
            for number, text in enumerate(texts)
        }
        publish(engine, papers)

        expected = {(PROJECT, key): engine.mark(PAPERS, each) for key, each in papers.items()}
        assert marks_of(engine, PAPERS) == expected

    def test_other_texts_have_other_marks(self, engine: Engine) -> None:
        """Also where the words are the same, but not their number, order or column."""
        texts: list[Mapping[str, str]] = [
            {},
            {"title": "quill"},
            {"body": "quill"},
            {"title": "quill quill"},
            {"title": "quill", "body": "quill"},
            {"title": "quill ink"},
        ]

        assert len({engine.mark(PAPERS, each) for each in texts}) == len(texts)

    def test_marks_follow_what_is_indexed(self, engine: Engine, open_engine: Opener) -> None:
        """Indexed again, taken away, cleared; in other projects and topics; by another engine."""
        publish(engine, {key: {"title": "quill"} for key in ("a", "b", LONG_KEY)})
        engine.write(OTHER, lambda tx: tx.put(THINGS, "a", {}, seq=1))
        engine.write(OTHER, lambda tx: tx.index(PAPERS, "a", {"title": "lantern"}))
        engine.write(OTHER, lambda tx: tx.index(LABELS, "a", {"label": "lantern"}))
        publish(engine, {"a": {"title": "ink"}})
        engine.write(PROJECT, lambda tx: tx.index(PAPERS, "b", None))

        ink, quill, lantern = (
            engine.mark(PAPERS, {"title": word}) for word in ("ink", "quill", "lantern")
        )
        expected = {(PROJECT, "a"): ink, (PROJECT, LONG_KEY): quill, (OTHER, "a"): lantern}
        assert marks_of(engine, PAPERS) == expected
        assert marks_of(open_engine(), PAPERS) == expected
        assert marks_of(engine, LABELS).keys() == {(OTHER, "a")}

        engine.write(PROJECT, lambda tx: tx.clear([THINGS], [PAPERS]))

        assert marks_of(engine, PAPERS) == {(OTHER, "a"): lantern}
        assert engine.check(thorough=True) == []


def marks_of(engine: Engine, topic: Topic) -> dict[tuple[str, str], str]:
    """Gather the marks of all documents."""
    found: dict[tuple[str, str], str] = {}

    def take(project: str, key: str, mark: str) -> None:
        found[project, key] = mark

    engine.marks(topic, take)
    return found


def _put_twice(tx: WriteTx) -> None:
    for seq, state in enumerate(("open", "done"), start=1):
        for key in "ab":
            tx.put(DATED, key, {"state": state, "size": seq}, seq=seq)
