# ruff: noqa: PLR2004 - the expected number is the point
"""Search: any string is a query, all words before some, and nothing of others."""

from collections.abc import Mapping

from hansard.kernel.engine import AnyOf, Engine, Where, WriteTx
from hansard.kernel.limits import BODY_BYTES_MAX, QUERY_CHARS_MAX
from hansard.testing.suite.base import (
    LABELS,
    OTHER,
    PAPERS,
    PROJECT,
    THINGS,
    Opener,
    SuiteBase,
    look,
)

Papers = Mapping[str, Mapping[str, str]]

STRANGE_QUERIES = [
    *("", " ", "\t\n", '"', "'", "''", '"quill', "quill'", "\\", "\\'", "%", "_", "*", ":*", "^"),
    *("(", ")", "((", "{}", "[]", "<->", "<1>", "&", "|", "!", "!!", "&|!()", "-", "--", ";", "#"),
    *("AND", "OR", "NOT", "NEAR", "AND OR NOT", "NEAR(quill ink)", "quill AND", "quill NEAR/2 ink"),
    *("title:", "title:quill", "-title:quill", "{title body}: quill", "quill*", "^quill", "+quill"),
    *("'quill':*A", "quill & !ink", "quill <-> ink", "quill | ", "%s", "%(x)s", "$1", "?", ":a"),
    *("\0", "quill\0ink", "\x01\x1f\x7f", "\u202equill", "\ufeff", "\u200b", "\ufffd"),
    *("\ud800", "quill \udfff", "\ud83d", "😀", "🏳️‍🌈", "日本語", "कमल", "ﬁ", "½", "İ", "ß" * 50),
    *("'; DROP TABLE papers; --", "<script>", "../../etc", "0", "-1", "1e999", "NULL", "nan"),
    *("a" * QUERY_CHARS_MAX, "quill " * 1_600, " ".join(map(str, range(2_000))), "(" * 5_000),
    *("the", "the and of", "to be or not to be", "a", "I"),
]

DRESSED_QUERIES = [
    *("quill", "QUILL", "Quill?", '"quill"', "quill*", "(quill", "-quill", "NOT quill"),
    *("quill AND", "OR quill", "title:quill", "quill\0", "^quill", "\\quill", "'quill' & !"),
]

STRANGE_TEXTS = [
    *("", "the", "\u200b", "😀", "naïve café", "src/kernel/engine.py", "snake_case_name"),
    *("quill" * 1_000, "x" * 3_000 + " quill", "'\"\\:*&|!()<>", "日本語 テキスト"),
]


class SearchSuite(SuiteBase):
    """What `index` and `search` promise."""

    def test_any_string_is_a_query(self, engine: Engine) -> None:
        """No string is an error, whatever it means elsewhere."""
        publish(engine, {"a": {"title": "quill", "body": "ink and paper, the old way"}})

        for query in STRANGE_QUERIES:
            assert set(search(engine, query)) <= {"a"}

    def test_nothing_is_an_operator(self, engine: Engine) -> None:
        """Words are found whatever stands around them, and case does not matter."""
        publish(engine, {"a": {"title": "The Quill", "body": "ink"}, "b": {"title": "hammer"}})

        for query in DRESSED_QUERIES:
            assert search(engine, query)[:1] == ["a"]

    def test_what_no_document_has_is_not_found(self, engine: Engine) -> None:
        """No words, no hits; unknown words, no hits."""
        publish(engine, {"a": {"title": "quill", "body": "ink"}})

        for query in ("", " ", "!?", "\ud800", "absent", "\U0010ffff"):
            assert search(engine, query) == []

    def test_all_the_words_come_before_some(self, engine: Engine) -> None:
        """A document with every word, however thinly, precedes one full of only some."""
        publish(
            engine,
            {
                "all": {"title": "thing", "body": "quill " + "filler " * 50 + "lantern anchor"},
                "two": {"title": "quill lantern", "body": "quill lantern " * 5},
                "one": {"title": "anchor", "body": "anchor anchor"},
                "none": {"title": "filler", "body": "hammer"},
            },
        )

        found = search(engine, "quill lantern anchor")

        assert found[0] == "all"
        assert sorted(found[1:]) == ["one", "two"]

    def test_other_projects_change_no_score(self, engine: Engine) -> None:
        """How rare a word is, and how long a document, is counted in the project alone."""
        papers = {"a": {"title": "quill", "body": "ink"}, "b": {"title": "ink", "body": "lantern"}}
        publish(engine, papers)
        before = look(engine, lambda tx: tx.search(PAPERS, "the quill and ink", limit=9))

        def publish_theirs(tx: WriteTx) -> None:
            for number in range(50):
                tx.put(THINGS, f"{number}", {}, seq=1)
                tx.index(PAPERS, f"{number}", {"title": "quill", "body": "quill " * 40})

        engine.write(OTHER, publish_theirs)

        assert look(engine, lambda tx: tx.search(PAPERS, "the quill and ink", limit=9)) == before

    def test_what_is_joined_or_quoted_comes_first_where_it_stands_so(self, engine: Engine) -> None:
        """Words side by side count beside each alone: names of code, paths, phrases."""
        texts = {
            "a": "the count of a retry is at its max in kernel and engine",
            "b": "set max_retry_count in kernel/engine.py, see Store.open and 3.11.7",
            "c": "7 and 11 and 3 are open in the store; engine of the kernel, count, retry, max",
        }
        publish(engine, {key: {"title": "t", "body": body} for key, body in texts.items()})

        for query in (
            *("max_retry_count", "kernel/engine.py", "Store.open", "3.11.7"),
            *('where is "max retry count" set', "what does max_retry_count mean in this kernel"),
        ):
            assert search(engine, query)[0] == "b", query

    def test_a_word_weighs_what_its_column_weighs(self, engine: Engine) -> None:
        """The same word counts for more in a column of more weight."""
        publish(
            engine,
            {
                "body": {"title": "lantern anchor", "body": "quill hammer"},
                "title": {"title": "quill hammer", "body": "lantern anchor"},
            },
        )

        assert search(engine, "quill") == ["title", "body"]

    def test_the_best_come_first_and_the_limit_cuts_the_worst(self, engine: Engine) -> None:
        """Scores never rise down the list, and a shorter answer is the longer one's beginning."""
        publish(
            engine,
            {
                f"{number:02}": {
                    "title": "quill " * (number % 4),
                    "body": "lantern " * (number % 3),
                }
                for number in range(24)
            },
        )

        hits = look(engine, lambda tx: tx.search(PAPERS, "quill lantern", limit=100))

        scores = [hit.score for hit in hits]
        assert len(hits) == 22
        assert scores == sorted(scores, reverse=True)
        limits = (0, 1, 5, 13, 21)
        shorter = look(
            engine, lambda tx: [tx.search(PAPERS, "quill lantern", limit=limit) for limit in limits]
        )
        assert shorter == [hits[:limit] for limit in limits]

    def test_a_word_is_found_by_its_beginning_where_that_is_asked(self, engine: Engine) -> None:
        """With `beginnings` a word of three letters or more also stands for longer ones."""
        texts = {"a": "kubernetes", "b": "OAuth2 token", "c": "kube", "d": "cub"}
        publish(engine, {key: {"title": "t", "body": body} for key, body in texts.items()})

        def found(query: str, *, beginnings: bool) -> set[str]:
            hits = look(engine, lambda tx: tx.search(PAPERS, query, limit=9, beginnings=beginnings))
            return {hit.key for hit in hits}

        assert found("kube", beginnings=False) == {"c"}
        assert found("kube", beginnings=True) == {"a", "c"}
        assert found("oauth", beginnings=True) == {"b"}
        assert found("ku", beginnings=True) == set()
        assert found("kube tok", beginnings=True) == {"a", "b", "c"}

    def test_documents_are_left_out_whose_row_does_not_match(self, engine: Engine) -> None:
        """The filter is on the row of the topic's table under the same key."""
        filters: list[tuple[Where | None, str]] = [
            (None, "abc"),
            ({}, "abc"),
            ({"color": "red"}, "ac"),
            ({"color": "red", "size": 3}, "c"),
            ({"color": AnyOf(["blue", "never"])}, "b"),
            ({"color": AnyOf(())}, ""),
            ({"color": None}, ""),
        ]
        rows = {"a": ("red", 1), "b": ("blue", 2), "c": ("red", 3)}

        def work(tx: WriteTx) -> None:
            for key, (color, size) in rows.items():
                tx.put(THINGS, key, {"color": color, "size": size}, seq=1)
                tx.index(PAPERS, key, {"title": "quill", "body": "ink"})

        engine.write(PROJECT, work)

        for where, expected in filters:
            assert "".join(sorted(search(engine, "quill", where))) == expected

    def test_a_document_without_its_row_is_not_found(self, engine: Engine) -> None:
        """A hit can always be followed to its row."""
        publish(engine, {"a": {"title": "quill"}, "b": {"title": "quill"}})

        engine.write(PROJECT, lambda tx: tx.delete(THINGS, "a", seq=2))

        assert search(engine, "quill") == ["b"]

    def test_indexing_again_replaces_and_none_removes(self, engine: Engine) -> None:
        """Old words no longer find it; removing what is not there is no error."""
        publish(engine, {"a": {"title": "quill", "body": "ink"}, "b": {"title": "quill"}})

        engine.write(PROJECT, lambda tx: tx.index(PAPERS, "a", {"title": "lantern"}))
        engine.write(PROJECT, lambda tx: tx.index(PAPERS, "b", None))
        engine.write(PROJECT, lambda tx: tx.index(PAPERS, "never", None))

        assert [search(engine, word) for word in ("quill", "ink", "lantern")] == [[], [], ["a"]]
        publish(engine, {"b": {"title": "quill"}})
        assert search(engine, "quill") == ["b"]

    def test_topics_and_projects_do_not_see_each_other(self, engine: Engine) -> None:
        """The same key and the same words, yet each finds only its own."""
        publish(engine, {"a": {"title": "quill"}})
        engine.write(PROJECT, lambda tx: tx.put(THINGS, "b", {}, seq=1))
        engine.write(PROJECT, lambda tx: tx.index(LABELS, "b", {"label": "quill"}))

        def publish_theirs(tx: WriteTx) -> None:
            for key in "abc":
                tx.put(THINGS, key, {}, seq=1)
            tx.index(PAPERS, "c", {"title": "quill"})

        engine.write(OTHER, publish_theirs)

        def found(topic: str, project: str) -> list[str]:
            wanted = PAPERS if topic == "papers" else LABELS
            return [
                hit.key
                for hit in look(engine, lambda tx: tx.search(wanted, "quill", limit=9), project)
            ]

        assert found("papers", PROJECT) == ["a"]
        assert found("labels", PROJECT) == ["b"]
        assert found("papers", OTHER) == ["c"]
        assert found("labels", OTHER) == []

    def test_any_text_can_be_indexed(self, engine: Engine) -> None:
        """No text is an error, and what stands beside it is found."""
        for text in STRANGE_TEXTS:
            publish(engine, {"a": {"title": "lantern", "body": text}})

            assert search(engine, "lantern") == ["a"]
            assert search(engine, text) in ([], ["a"])

    def test_words_of_paths_and_names_are_found_alone(self, engine: Engine) -> None:
        """What people type is a piece of a path or of a name."""
        publish(engine, {"a": {"title": "src/kernel/engine.py", "body": "see https://x.example/y"}})

        for word in ("kernel", "engine", "src", "example"):
            assert search(engine, word) == ["a"]

    def test_a_text_of_the_largest_size_can_be_indexed(self, engine: Engine) -> None:
        """Even where every word of it is another; its first words are found."""
        text = " ".join(f"w{number:x}" for number in range(BODY_BYTES_MAX // 6))[:BODY_BYTES_MAX]
        publish(engine, {"a": {"title": "lantern", "body": text}})

        assert search(engine, "lantern w1 w2") == ["a"]

    def test_it_is_told_how_many_documents_have_a_word(self, engine: Engine) -> None:
        """Of this project's documents, as they stand; what nobody has is none."""
        assert look(engine, lambda tx: tx.having(PAPERS, ["quill"])) == (0, [0])
        publish(engine, {"a": {"title": "quills"}, "b": {"body": "ink"}, "c": {"body": "quill"}})
        publish(engine, {"c": {"title": "a quill", "body": "a quill"}, "d": {"title": "lantern"}})

        counted = look(engine, lambda tx: tx.having(PAPERS, ["quill", "ink", "absent"]))

        assert counted == (4, [2, 1, 0])
        assert look(engine, lambda tx: tx.having(PAPERS, [])) == (4, [])
        assert engine.read(OTHER, lambda tx: tx.having(PAPERS, ["quill"])) == (0, [0])
        engine.write(PROJECT, lambda tx: tx.clear([THINGS], [PAPERS]))
        assert look(engine, lambda tx: tx.having(PAPERS, ["quill"])) == (0, [0])

    def test_it_is_told_which_of_many_words_some_document_has(self, engine: Engine) -> None:
        """However many are asked for; what only another project has is not known here."""
        many = [f"w{number}" for number in range(900)]
        assert look(engine, lambda tx: tx.known(PAPERS, ["quill"])) == {}
        publish(engine, {"a": {"title": "quills"}, "b": {"body": "ink"}, "c": {"body": "quill w7"}})

        known = look(engine, lambda tx: tx.known(PAPERS, ["quill", *many, "ink", "absent"]))

        assert known == {"quill": 2, "ink": 1, "w7": 1}
        assert look(engine, lambda tx: tx.known(PAPERS, [])) == {}
        assert engine.read(OTHER, lambda tx: tx.known(PAPERS, ["quill"])) == {}

    def test_documents_are_there_after_opening_again(
        self, engine: Engine, open_engine: Opener
    ) -> None:
        """What was indexed outlives the engine."""
        publish(engine, {"a": {"title": "quill"}})
        engine.close()

        assert search(open_engine(), "quill") == ["a"]


def publish(engine: Engine, papers: Papers) -> None:
    """Index documents, each with a row."""

    def work(tx: WriteTx) -> None:
        for key, texts in papers.items():
            tx.put(THINGS, key, {"color": "red"}, seq=1)
            tx.index(PAPERS, key, texts)

    engine.write(PROJECT, work)


def search(engine: Engine, query: str, where: Where | None = None) -> list[str]:
    """Give the keys that a query finds, best first."""
    hits = look(engine, lambda tx: tx.search(PAPERS, query, where=where, limit=100))
    return [hit.key for hit in hits]
