"""Search finds what looking at every document would find, on every engine."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hansard.engines.bm25 import ALL_FIRST_WORDS_MAX
from hansard.engines.memory import MemoryEngine
from hansard.engines.sqlite import SqliteEngine
from hansard.kernel.engine import AnyOf, Engine, Hit, Range, Where, WriteTx
from hansard.kernel.limits import QUERY_CHARS_MAX
from hansard.kernel.words import query_terms, stems
from hansard.testing.suite.base import PAPERS, SCHEMA, THINGS

ENGINES = ["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]

_projects = (f"project-{number}" for number in itertools.count())


@pytest.fixture(scope="module", params=ENGINES)
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    """Give an engine for all tests of this file; each takes a project of its own."""
    opened = _opened(request, tmp_path_factory.mktemp("store"))
    yield opened
    opened.close()


def _opened(request: pytest.FixtureRequest, folder: Path) -> Engine:
    match request.param:
        case "memory":
            return MemoryEngine(SCHEMA)
        case "sqlite":
            return SqliteEngine(folder, SCHEMA)
        case _:
            from hansard.engines.postgres import PostgresEngine

            url = request.getfixturevalue("postgres_url")
            return PostgresEngine(url, SCHEMA, namespace="hansard_test_search")


@dataclass(frozen=True)
class Paper:
    title: str
    body: str
    color: str | None
    size: int

    def has(self, word: str) -> bool:
        return word in {*stems(self.title), *stems(self.body)}

    def fits(self, where: Where) -> bool:
        return all(_fits(getattr(self, name), wanted) for name, wanted in where.items())


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, AnyOf):
        return value in wanted.values
    if isinstance(wanted, Range):
        return value in range(*map(int, (wanted.at_least or 0, wanted.below or 0)))
    return value == wanted


WORDS = st.sampled_from(
    "ledger ledgers ink the of fooBar foo_bar src/bar.py naïve naive 日本語 本 don't".split()
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
PAPER = st.builds(
    Paper,
    TEXTS,
    TEXTS,
    st.sampled_from(["red", "blue", None]),
    st.integers(min_value=0, max_value=9),
)
KEYS = st.sampled_from([f"k{number}" for number in range(12)])
CHANGES = st.lists(st.tuples(KEYS, PAPER | PAPER | PAPER | st.none()), min_size=8, max_size=30)
"""What is indexed under which key, one after the other; `None` takes it away."""

QUERIES = st.lists(
    WORDS | WORDS | st.sampled_from(["AND", "*", '"', "absent", "("]), min_size=1, max_size=4
).map(" ".join)
WHERES = st.sampled_from(
    [
        *({}, {}, {"color": "red"}, {"color": None}, {"size": Range(0, 1)}),
        {"color": AnyOf(["red", "blue"]), "size": Range(2, 7)},
    ]
)
QUESTIONS = st.lists(
    st.tuples(QUERIES, WHERES, st.sampled_from([1, 3, 100])), min_size=4, max_size=8
)


def kept(
    engine: Engine, changes: Sequence[tuple[str, Paper | None]]
) -> tuple[str, dict[str, Paper]]:
    """Index papers in a project of their own; gives it, and what is there in the end."""
    project, papers = next(_projects), dict[str, Paper]()

    def work(tx: WriteTx) -> None:
        for key, paper in changes:
            if paper is None:
                tx.index(PAPERS, key, None)
                papers.pop(key, None)
            else:
                tx.put(THINGS, key, {"color": paper.color, "size": paper.size}, seq=1)
                tx.index(PAPERS, key, {"title": paper.title, "body": paper.body})
                papers[key] = paper

    engine.write(project, work)
    return project, papers


def find(
    engine: Engine, project: str, query: str, where: Where | None = None, limit: int = 100
) -> list[Hit]:
    return engine.read(project, lambda tx: tx.search(PAPERS, query, where=where, limit=limit))


def check(
    hits: list[Hit], papers: Mapping[str, Paper], query: str, where: Where, limit: int
) -> None:
    """Compare hits with what looking at every paper finds."""
    terms = [term for term in query_terms(query) if not term.is_phrase]
    asked = [term.forms[0] for term in terms if term.is_word]
    fitting = {key: paper for key, paper in papers.items() if paper.fits(where)}
    some = {
        key
        for key, paper in fitting.items()
        if any(paper.has(form) for term in terms for form in term.forms)
    }
    # Of a longer question some words only lead to the others.
    is_short = len(asked) <= ALL_FIRST_WORDS_MAX
    every = {key for key in some if is_short and all(map(fitting[key].has, asked))}
    found = [hit.key for hit in hits]

    assert len(found) == len(set(found)) == min(limit, len(some))
    assert set(found) <= some
    assert set(found[: len(every)]) <= every
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(CHANGES, QUESTIONS)
def test_exactly_the_documents_with_the_words_are_found(
    engine: Engine,
    changes: list[tuple[str, Paper | None]],
    questions: list[tuple[str, Where, int]],
) -> None:
    project, papers = kept(engine, changes)

    for query, where, limit in questions:
        check(find(engine, project, query, where, limit), papers, query, where, limit)


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("parse fooBar here", ["fooBar", "foobar", "foo", "bar", "Foo bar"]),
        ("parse HTTPServer2 here", ["httpserver2", "http", "server2"]),
        ("parse foo_bar here", ["foo_bar", "foo", "bar", "fooBar foo bar"]),
        ("see src/kernel/engine.py", ["src/kernel/engine.py", "kernel", "engine.py", "py"]),
        ("running the migrations", ["runs", "migration", "migrate", "Migrating"]),
        ("Wir kündigen die Verträge mit den Häusern", ["Vertrag", "der Vertrag mit dem Haus"]),
        ("Les décisions étaient annulées par nous", ["décision", "quelle décision est annulée"]),
        ("Las decisiones fueron canceladas por nosotros", ["decisión", "cuál decisión cancelada"]),
        ("Мы отменили решения о базах данных", ["решение", "решений", "база"]),
        ("数据库迁移的决定", ["数据库", "迁移"]),
        ("fails with ERR_CONN-4521 at 9f8e7d6c", ["ERR_CONN-4521", "4521", "9f8e7d6c", "conn"]),
        ("Ångström café naïve", ["angstrom", "CAFE", "naive", "cafe\u0301"]),
        ("STRASSE", ["straße", "strasse"]),
        ("日本語のテキスト", ["日本語", "本語", "テキスト", "語", "日本"]),
        ("한국어를 배우다", ["한국어", "배우다", "한국"]),
        ("ภาษาไทย", ["ภาษา", "ไทย"]),
        ("हिन्दी में लिखा", ["हिन्दी", "लिखा"]),
        ("the user's guide", ["user guide", "user’s guide", "users"]),
        ("x" * 3_000, ["x" * 3_000, "x" * 64]),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_text_is_found_by_its_words_and_their_pieces(
    engine: Engine, text: str, queries: list[str]
) -> None:
    project, _ = kept(engine, [("a", Paper("", text, None, 0)), ("b", Paper("other", "", None, 0))])

    for query in queries:
        assert [hit.key for hit in find(engine, project, query)] == ["a"], query


@pytest.mark.parametrize(
    ("query", "whole", "apart"),
    [
        ("Store.write", "call Store.write later", "write later, call Store"),
        ("Store::write", "call Store::write later", "write later, call Store"),
        ("retryPolicy", "the retryPolicy of it", "it, policy of the retry"),
        ("max_retry_count", "set max_retry_count low", "set retry count low, max"),
        ("src/kernel/words.py", "see src/kernel/words.py first", "see words first, py kernel src"),
        ("3.11.7", "runs on 3.11.7 only", "7 runs on 11.3 only"),
        ("ERR_CONN-4521", "it says ERR_CONN-4521 then", "4521 it says, conn then err"),
        ('"lost the lease"', "who lost the lease waits", "the lease waits, who lost"),
        ("„verlorene Wette“", "eine verlorene Wette ist das", "Wette ist das eine verlorene"),
        (
            "where is the write lock taken?",
            "the write lock taken here",
            "lock it, write what is taken",
        ),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_what_is_joined_quoted_or_side_by_side_comes_before_its_parts_apart(
    engine: Engine, query: str, whole: str, apart: str
) -> None:
    papers = {"a": apart, "b": "of something else", "c": whole}
    project, _ = kept(engine, [(key, Paper("", text, None, 0)) for key, text in papers.items()])

    hits = find(engine, project, query)

    assert hits[0].key == "c"
    assert all(hit.score < hits[0].score for hit in hits[1:])


@pytest.mark.parametrize("rare", ["9f8e7d6c5b4a", "Fridolin", "E_0x80070005", "v2.7.1-rc3"])
def test_what_has_a_rare_word_comes_before_what_has_the_rest_of_a_question(
    engine: Engine, rare: str
) -> None:
    question = f"what did the deploy of {rare} change in the checkout of the shop"
    others = [(f"a{number}", "deploy change of the checkout shop") for number in range(60)]
    said = [*others, ("z", f"about {rare}, in a text that goes on for a while and says little")]
    project, _ = kept(engine, [(key, Paper("", text, None, 0)) for key, text in said])

    # Of the others each has four words of the question, which all of them have.
    assert find(engine, project, question)[0].key == "z"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        *(("hello", "hel*"), ("hello", "hel"), ("hello", "h?llo"), ("hello", "%"), ("hello", "\\")),
        *(("or", "x' OR 1=1 --"), ("and", "absent AND")),
        *(("foobar", "foo"), ("日本", "日木"), ("not", "NOT absent"), ("100", "10")),
    ],
)
def test_a_query_means_its_words_and_no_more(engine: Engine, text: str, query: str) -> None:
    project, _ = kept(engine, [("a", Paper(text, text, None, 0))])

    assert find(engine, project, query) == []


SIGNS = [
    *(
        '"',
        "'",
        "`",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "*",
        "^",
        "+",
        "-",
        ":",
        ",",
        ".",
        "&",
        "|",
        "!",
    ),
    *("<->", "--", ";", "\\", "/", "%", "_", "#", "$1", "?", "@", "~", "=", " ", "\t", "\n", "\0"),
    *("AND", "OR", "NOT", "NEAR", "NEAR(", "title", "body:", "rowid", "rank", "words", "ledger"),
    *("\ud800", "\udfff", "😀", "🏳️‍🌈", "\u202e", "\ufeff", "\u0301", "é", "日", "ﬁ", "½", "İ", "ß"),
]


def odd_strings() -> list[str]:
    """Make a thousand of them, the same every time."""
    chance = random.Random(3)
    made = ["".join(chance.choices(SIGNS, k=chance.randrange(1, 12))) for _ in range(960)]
    long = [sign * (QUERY_CHARS_MAX // len(sign)) for sign in chance.sample(SIGNS, k=40)]
    return made + long


def test_a_thousand_odd_strings_are_queries(engine: Engine) -> None:
    project, papers = kept(engine, [("a", Paper("ledger", "NEAR the end, words: 日本", "red", 1))])

    for query in odd_strings():
        check(find(engine, project, query), papers, query, {}, 100)

    assert [hit.key for hit in find(engine, project, "ledger")] == ["a"]


def test_equals_come_in_the_order_of_their_keys(engine: Engine) -> None:
    changes = [(key, Paper("same title", "same body", None, 0)) for key in "dbeac"]
    project, _ = kept(engine, [*changes, ("z", Paper("other", "", None, 0))])

    assert [hit.key for hit in find(engine, project, "same title")] == list("abcde")


def test_a_rare_word_outweighs_a_common_one(engine: Engine) -> None:
    papers = {f"common-{number:02}": Paper("common", "word", None, 0) for number in range(30)}
    project, _ = kept(engine, [*papers.items(), ("rare", Paper("rare", "word", None, 0))])

    assert find(engine, project, "common rare")[0].key == "rare"


def test_what_has_only_a_common_word_is_found_after_what_has_a_rare_one(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("sqlite", "postgres"):
        monkeypatch.setattr(f"hansard.engines.{module}.search.RARE_MAX", 3)
    common = {f"common-{number}": Paper("ink", "", None, 0) for number in range(9)}
    project, _ = kept(engine, [*common.items(), ("rare", Paper("quill", "", None, 0))])

    assert [hit.key for hit in find(engine, project, "ink quill")] == ["rare", *common]


def test_all_documents_with_a_rare_word_are_ranked(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("sqlite", "postgres"):
        monkeypatch.setattr(f"hansard.engines.{module}.search.NEWEST_MAX", 1)
    new = [(f"new-{number}", Paper("", f"quill w{number}", None, 0)) for number in range(5)]
    project, _ = kept(engine, [("best", Paper("quill", "quill", None, 0)), *new])

    assert find(engine, project, "quill", limit=1)[0].key == "best"


def test_what_has_both_of_two_common_words_comes_first_however_old_it_is(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("sqlite", "postgres"):
        monkeypatch.setattr(f"hansard.engines.{module}.search.RARE_MAX", 3)
        monkeypatch.setattr(f"hansard.engines.{module}.search.NEWEST_MAX", 4)
    inks = [(f"ink-{number}", Paper("ink", "", None, 0)) for number in range(9)]
    pens = [(f"pen-{number}", Paper("pen", "", None, 0)) for number in range(9)]
    project, _ = kept(engine, [("both", Paper("ink", "pen", None, 0)), *inks, *pens])

    assert find(engine, project, "ink pen", limit=3)[0].key == "both"


def test_more_of_the_words_is_better(engine: Engine) -> None:
    one, two = Paper("quill pen", "", None, 0), Paper("quill ink", "", None, 0)
    others = [(f"other-{number}", Paper("pen", "", None, 0)) for number in range(9)]
    project, _ = kept(engine, [("a", one), ("b", two), ("c", one), *others])

    assert [hit.key for hit in find(engine, project, "quill ink absent")] == ["b", "a", "c"]
