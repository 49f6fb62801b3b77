"""Collections to measure a search on, made by rule: what people said, code, needles, decisions.

What is asked is never what is written: questions of talks, needles and chains are in other words.
Nothing here is taken from a published collection, so that those stay fit to measure with.
"""

import ast
import random
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from hansard.kernel.languages import is_small
from hansard.kernel.words import split

DATA = Path(__file__).parent / "data"

PEOPLE = (
    "Ana Boris Chen Dina Emil Farah Goran Hana Ines Jonas Kaya Leo Mira Nils Olga Pavel".split()
)

SESSIONS = 20
TOLD_IN_SESSION = (3, 5)
CHATTER_AROUND = (1, 3)
DATED_SHARE = 0.3
"""Of the questions, so many name the month in which it was said."""

ALIKE_SHARE = 0.6
"""Of the questions, so many share words with what was told, as questions of people do."""

ADDRESSED_SHARE = 1 / 7

FUNCTIONS = 1_500
FUNCTION_LINES = (4, 60)


@dataclass(frozen=True, slots=True)
class Text:
    """Something to be found: of what was said in turn, the whole that it is part of, and who."""

    title: str
    body: str
    whole: str | None = None
    who: str | None = None
    at: date | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts by key, and questions with the keys of what answers them."""

    name: str
    texts: Mapping[str, Text]
    questions: Sequence[tuple[str, set[str]]]


@dataclass(slots=True)
class _Family:
    """A thing that one may tell, with what is said around it and asked for it."""

    lines: dict[str, list[str]] = field(default_factory=dict)

    def any_of(self, name: str, chance: random.Random) -> str | None:
        lines = self.lines.get(name)
        return chance.choice(lines) if lines else None

    def slots(self, chance: random.Random) -> dict[str, str]:
        names = self.lines.keys() - {"lead", "say", "re", "ask"}
        return {name: chance.choice(self.lines[name][0].split(" | ")) for name in sorted(names)}


def blocks(name: str) -> list[dict[str, list[str]]]:
    """Read a file of blocks, each of lines that say what they are."""
    read: list[dict[str, list[str]]] = []
    for block in (DATA / name).read_text().split("\n\n"):
        lines: dict[str, list[str]] = {}
        for line in block.splitlines():
            if line and not line.startswith("#"):
                kind, _, text = line.partition(": ")
                lines.setdefault(kind, []).append(text)
        if lines:
            read.append(lines)
    return read


def lines_of(name: str) -> list[str]:
    """Read a file of lines, without those that explain it."""
    return [one for one in (DATA / name).read_text().splitlines() if one and one[0] != "#"]


def talk(seed: int) -> Collection:
    """Let two people talk in sessions over a year, and ask for what each of them told."""
    chance = random.Random(seed)
    made = _Talk(chance, chance.sample(PEOPLE, 2))
    families = [_Family(one) for one in blocks("talks.txt")]
    day = date(2023, 1, 9)
    for number in range(1, SESSIONS + 1):
        made.session(number, day, chance.sample(families, chance.randint(*TOLD_IN_SESSION)))
        day += timedelta(days=chance.randint(6, 28))
    return Collection(f"talk {seed}", made.texts, made.questions)


class _Talk:
    """A talk as it is made."""

    def __init__(self, chance: random.Random, people: Sequence[str]) -> None:
        self.texts: dict[str, Text] = {}
        self.questions: list[tuple[str, set[str]]] = []
        self._chance = chance
        self._people = people
        self._chatter = lines_of("chatter.txt")
        self._told: set[tuple[str, str]] = set()
        self._spoken = 0

    def session(self, number: int, day: date, families: Sequence[_Family]) -> None:
        whole = f"Session {number}"
        for family in families:
            self._chat(whole, day)
            self._tell(family, whole, day)
        self._chat(whole, day)

    def _chat(self, whole: str, day: date) -> None:
        for line in self._chance.sample(self._chatter, self._chance.randint(*CHATTER_AROUND)):
            self._say(self._next(), line, whole, day)

    def _tell(self, family: _Family, whole: str, day: date) -> None:
        chance, slots = self._chance, family.slots(self._chance)
        lead = family.any_of("lead", chance)
        if lead:
            self._say(self._next(), lead, whole, day)
        who = self._next()
        key = self._say(who, family.lines["say"][0 if lead else -1].format(**slots), whole, day)
        reaction = family.any_of("re", chance)
        if reaction:
            self._say(self._next(), reaction, whole, day)
        *others, alike = family.lines["ask"]
        asked = alike if chance.random() < ALIKE_SHARE else chance.choice(others)
        if (who, family.lines["ask"][0]) in self._told or chance.random() < DATED_SHARE:
            asked = f"{asked.rstrip('?')} in {day:%B %Y}?"
        self._told.add((who, family.lines["ask"][0]))
        self.questions.append((asked.format(who=who), {key}))

    def _next(self) -> str:
        """Let them speak in turn, now and then one of them twice."""
        self._spoken += 1 if self._chance.random() < 0.95 else 2
        return self._people[self._spoken % 2]

    def _say(self, who: str, line: str, whole: str, day: date) -> str:
        key = f"t{len(self.texts)}"
        self.texts[key] = Text(who, line, f"{whole}, {day:%-d %B %Y}", who, day)
        return key


def addressing(talked: Collection) -> Collection:
    """Let one turn of seven name whom it is said to."""
    chance = random.Random(talked.name)
    people = sorted({str(text.who) for text in talked.texts.values()})
    texts = {}
    for key, text in talked.texts.items():
        other = next(name for name in people if name != text.who)
        said = chance.choice(lines_of("addressing.txt")).format(other=other, said=text.body)
        texts[key] = replace(text, body=said) if chance.random() < ADDRESSED_SHARE else text
    return Collection(f"{talked.name}, addressing", texts, talked.questions)


def technical() -> Collection:
    """Take notes of a team on its software, asked for by name: a name that is nobody's."""
    pairs = [line.split(" | ") for line in lines_of("technical.txt")]
    texts = {f"s{number}": Text("-", note) for number, (note, _) in enumerate(pairs)}
    asked = [(question, {f"s{number}"}) for number, (_, question) in enumerate(pairs)]
    return Collection("technical", texts, asked)


def joined(asked: Collection, others: Collection) -> Collection:
    """Put texts among others, in any order, with the questions of the first."""
    texts = {**asked.texts, **others.texts}
    keys = list(texts)
    random.Random(1).shuffle(keys)
    name = f"{asked.name} in {others.name}"
    return Collection(name, {key: texts[key] for key in keys}, asked.questions)


def sessions(talked: Collection) -> Collection:
    """Make each session of a talk one text, to be found by what was told in it."""
    wholes: dict[str, list[str]] = {}
    for text in talked.texts.values():
        wholes.setdefault(str(text.whole), []).append(f"{text.who}: {text.body}")
    texts = {whole: Text(whole, "\n".join(lines)) for whole, lines in wholes.items()}
    asked = [
        (question, {str(talked.texts[key].whole) for key in right})
        for question, right in talked.questions
    ]
    return Collection(f"{talked.name}, sessions", texts, asked)


def code(seed: int) -> Collection:
    """Take functions of the standard library, to be found by what their docstrings say first."""
    chance = random.Random(seed)
    root = Path(sysconfig.get_paths()["stdlib"])
    folders = ("", "json", "email", "http", "logging", "asyncio", "concurrent/futures", "urllib")
    paths = sorted(path for folder in folders for path in (root / folder).glob("*.py"))
    functions = [one for path in paths for one in _functions(path, root)]
    chosen = chance.sample(functions, min(FUNCTIONS, len(functions)))
    texts = {f"f{number}": Text(name, body) for number, (name, body, _) in enumerate(chosen)}
    asked = [(question, {f"f{number}"}) for number, (_, _, question) in enumerate(chosen)]
    return Collection("code", texts, asked[::4])


def _functions(path: Path, root: Path) -> Iterator[tuple[str, str, str]]:
    """Give name, source without docstring, and the first sentence of that."""
    source = path.read_text(encoding="utf-8", errors="replace")
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        said, first = ast.get_docstring(node), node.body[0]
        long = (node.end_lineno or 0) - (first.end_lineno or 0)
        if not said or not FUNCTION_LINES[0] <= long <= FUNCTION_LINES[1]:
            continue
        question = said.split("\n\n")[0].replace("\n", " ").split(". ")[0]
        if 5 <= len(question.split()) <= 30 and node.name.lower() not in question.lower():
            head = lines[node.lineno - 1 : first.lineno - 1]
            body = "\n".join([*head, *lines[first.end_lineno or 0 : node.end_lineno]])
            yield f"{path.relative_to(root)}: {node.name}", body, question


def perturbed(one: Collection) -> Iterator[Collection]:
    """Change a collection by rule in ways in which others differ from it."""
    texts, asked = one.texts, one.questions
    half = {key: text for number, (key, text) in enumerate(texts.items()) if number % 2}
    there = [(question, right & half.keys()) for question, right in asked]
    yield Collection("half of the texts", half, [pair for pair in there if pair[1]])
    untitled = {key: replace(text, title="-") for key, text in texts.items()}
    yield Collection("without titles", untitled, asked)
    short = {key: replace(text, body=_sentences(text.body, 2)) for key, text in texts.items()}
    yield Collection("the first two sentences", short, asked)
    keywords = [(" ".join(_telling(question)), right) for question, right in asked]
    yield Collection("questions without small words", texts, keywords)
    few = [(" ".join(sorted(_telling(question), key=len)[-4:]), right) for question, right in asked]
    yield Collection("questions of four words", texts, few)
    long = [
        (f"I would like to know, if anybody has written about this, {question} Thank you.", right)
        for question, right in asked
    ]
    yield Collection("questions with much around them", texts, long)


def _telling(question: str) -> list[str]:
    return [word for word in split(question) if not is_small(word, "english")]


def _sentences(text: str, count: int) -> str:
    return ". ".join(text.split(" . ")[:count])


def needles(others: int, seed: int) -> Collection:
    """Hide notes among others that share the common words of what is asked."""
    pairs = [line.split(" | ") for line in lines_of("needles.txt")]
    texts = {f"n{number}": Text("Note", note) for number, (note, _) in enumerate(pairs)}
    texts |= {
        f"h{number}": Text("Note", straw) for number, straw in enumerate(islice(hay(seed), others))
    }
    keys = list(texts)
    random.Random(seed).shuffle(keys)
    asked = [(question, {f"n{number}"}) for number, (_, question) in enumerate(pairs)]
    return Collection(f"needles in {others:,}", {key: texts[key] for key in keys}, asked)


def hay(seed: int) -> Iterator[str]:
    """Write notes without end, each of them a sentence of what an office writes down."""
    chance = random.Random(seed)
    kinds = {name: words[0].split(" | ") for name, words in blocks("hay.txt")[0].items()}
    shapes = blocks("hay.txt")[1]["shape"]
    while True:
        yield chance.choice(shapes).format(
            **{name: chance.choice(words) for name, words in kinds.items()},
            number=chance.randint(2, 99),
        )


@dataclass(frozen=True, slots=True)
class Chain:
    """Decisions about one target, the last of which holds, and a question for it."""

    target: str
    titles: Sequence[str]
    why: str
    question: str


def chains(
    count: int,
    seed: int,
    name: str = "chains.txt",
    *,
    parts: str = "parts.txt",
    are_mixed: bool = False,
) -> list[Chain]:
    """Decide about parts of a product, topic by topic; every other one only once if so wanted."""
    made = [
        Chain(
            f"{topic['was'][0].split()[1].lower()} of the {part} {number}",
            [topic["was"][0].format(part=part), topic["now"][0].format(part=part)],
            topic["why"][0].format(part=part),
            topic["ask"][0].format(part=part),
        )
        for number, topic in enumerate(blocks(name))
        for part in lines_of(parts)
    ]
    chosen = random.Random(seed).sample(made, min(count, len(made)))
    if not are_mixed:
        return chosen
    once = [replace(one, titles=one.titles[-1:]) for one in chosen[::2]]
    return [one for pair in zip(once, chosen[1::2], strict=True) for one in pair]
