"""What the example of `hansard demo` says: its records, files, plans, decisions and talk."""

from typing import Any

RECORDS = (
    (
        "goal",
        "",
        "goal",
        "No reader meets a dead link",
        "Check every link of a documentation site before it is published.",
        """Readers who meet a dead link leave. The check must take under a minute for 600 pages,
or nobody runs it before publishing.

Done when the site's own build runs it.""",
    ),
    (
        "crawl",
        "goal",
        "task",
        "Crawl a site in parallel",
        "Fetch pages, follow links within the site, check those that leave it.",
        """One request at a time takes four minutes for 600 pages.

- Never more than one request to a host at a time
- Remember what was seen
""",
    ),
    (
        "retry",
        "goal",
        "task",
        "Retry what fails for a moment",
        "Rate limits and restarts must not be reported as dead links.",
        """31 of 40 reports last week were false alarms.

Find out which statuses pass by themselves, and try those again.""",
    ),
    (
        "report",
        "goal",
        "task",
        "A report that people can read",
        "One page: what is broken, where it is linked, since when.",
        """Grouped by page, because people mend pages.

Plain text first; colours if it is a terminal.""",
    ),
    (
        "anchors",
        "crawl",
        "question",
        "Are fragments checked, too?",
        "`page.html#part`: the page may be there and the part gone.",
        "Parsing every target doubles the work. Perhaps only within the site?",
    ),
    (
        "javascript",
        "crawl",
        "task",
        "Links that scripts write",
        "Some pages build their navigation in the browser.",
        "Three of the sites we know do this.",
    ),
    (
        "mail",
        "crawl",
        "task",
        "Check mail addresses",
        "Links that begin with mailto.",
        "There are 12 of them on our site.",
    ),
    (
        "budget",
        "",
        "goal",
        "Stay polite",
        "No server should notice us.",
        "A site's owner who sees us in the logs should find a name, a purpose and an address.",
    ),
)
"""Short name, the parent's short name, type, title, summary and body."""

CRAWL_BODY = (
    "600 pages take 21 seconds with 16 workers, where one request at a time took four minutes.\n\n"
    "- Never more than one request to a host at a time\n- Remember what was seen\n"
    "- Redirects are followed, and counted once\n"
)
FINDING = (
    "Of 31 false alarms in one run, 20 were answers of status 429, 8 were 503 during a restart\n"
    "and 3 were time-outs. All but 2 pass when they are tried again after `Retry-After`."
)

CRAWL_PLAN = [
    "Fetch one page and find its links",
    "Let sixteen workers share a queue",
    "Stay polite: one request to a host at a time",
    "Test it against a small site of our own",
]
RETRY_PLAN = ["Decide which answers are worth a second try", "Wait as long as asked", "Test it"]
REPORT_PLAN = ["Group what is broken by page", "Say since when", "Colours on a terminal"]

README = (
    """# Lantern

Finds the dead links of a documentation site.

    lantern https://docs.example.org
""",
    """# Lantern

Finds the dead links of a documentation site, before your readers do.

    lantern https://docs.example.org

## The report

What is broken, on which page, and since when. The exit code is 1 if anything is.
""",
)

_HEAD = '"""Walks through a site and checks its links."""\n\n'
_FETCH = """
def links_of(page: str, base: str) -> list[str]:
    parser = Links()
    parser.feed(page)
    return [urljoin(base, href) for href in parser.found]
"""
_FIRST = (
    _HEAD
    + """import httpx
from urllib.parse import urljoin

from lantern.html import Links


def crawl(start: str) -> dict[str, int]:
    seen = {}
    queue = [start]
    while queue:
        url = queue.pop()
        answer = httpx.get(url)
        seen[url] = answer.status_code
        for link in links_of(answer.text, url):
            if link not in seen:
                queue.append(link)
    return seen

"""
    + _FETCH,
    _HEAD
    + """import asyncio
from urllib.parse import urljoin

import httpx

from lantern.html import Links

WORKERS = 16


async def crawl(start: str) -> dict[str, int]:
    seen = {}
    queue = asyncio.Queue()
    queue.put_nowait(start)
    async with httpx.AsyncClient() as client:
        while not queue.empty():
            url = queue.get_nowait()
            answer = await client.get(url)
            seen[url] = answer.status_code
            for link in links_of(answer.text, url):
                if link not in seen:
                    queue.put_nowait(link)
    return seen

"""
    + _FETCH,
    _HEAD
    + """import asyncio
from urllib.parse import urljoin

import httpx

from lantern.html import Links

WORKERS = 16


async def crawl(start: str) -> dict[str, int]:
    seen = {start: 0}
    queue = asyncio.Queue()
    queue.put_nowait(start)
    async with httpx.AsyncClient(follow_redirects=True) as client:
        workers = [asyncio.create_task(work(client, queue, seen)) for _ in range(WORKERS)]
        await queue.join()
        for worker in workers:
            worker.cancel()
    return seen


async def work(client: httpx.AsyncClient, queue: asyncio.Queue, seen: dict[str, int]) -> None:
    while True:
        url = await queue.get()
        answer = await client.get(url)
        seen[url] = answer.status_code
        for link in links_of(answer.text, url):
            if link not in seen:
                seen[link] = 0
                queue.put_nowait(link)
        queue.task_done()

"""
    + _FETCH,
)
_POLITE = _FIRST[2].replace(
    "from urllib.parse import urljoin\n",
    "from collections import defaultdict\nfrom urllib.parse import urljoin, urlsplit\n",
)
_POLITE = _POLITE.replace(
    "WORKERS = 16\n",
    'WORKERS = 16\nAGENT = "lantern (+https://lantern.example.org)"\n\n'
    "one_at_a_time = defaultdict(asyncio.Lock)\n",
)
_LOCKED = _POLITE.replace(
    "        answer = await client.get(url)\n",
    "        async with one_at_a_time[urlsplit(url).netloc]:\n"
    "            answer = await client.get(url)\n",
)
_NAMED = _LOCKED.replace(
    "httpx.AsyncClient(follow_redirects=True)",
    'httpx.AsyncClient(follow_redirects=True, headers={"User-Agent": AGENT})',
)
_RETRYING = _NAMED.replace(
    "from lantern.html import Links\n",
    "from lantern.html import Links\nfrom lantern.retry import patiently\n",
).replace("answer = await client.get(url)", "answer = await patiently(client, url)")
_WITHIN = (
    _RETRYING.replace(
        "        for link in links_of(answer.text, url):\n            if link not in seen:\n",
        "        # Pages elsewhere are checked, not walked through.\n"
        "        inside = url.startswith(start)\n"
        "        for link in links_of(answer.text, url) if inside else ():\n"
        "            if link not in seen:\n",
    )
    .replace("work(client, queue, seen)) for", "work(client, queue, seen, start)) for")
    .replace(
        "queue: asyncio.Queue, seen: dict[str, int]) -> None:",
        "queue: asyncio.Queue, seen: dict[str, int], start: str) -> None:",
    )
)
CRAWL = (*_FIRST, _LOCKED, _NAMED, _RETRYING, _WITHIN)
"""What the crawler was, revision by revision."""

RETRY = (
    '''"""Tries again what fails for a moment."""

import asyncio

import httpx

AGAIN = {429, 502, 503, 504}
TRIES = 3


async def patiently(client: httpx.AsyncClient, url: str) -> httpx.Response:
    for _ in range(TRIES):
        answer = await client.get(url)
        if answer.status_code not in AGAIN:
            break
        await asyncio.sleep(1)
    return answer
''',
    '''"""Tries again what fails for a moment."""

import asyncio

import httpx

AGAIN = {429, 502, 503, 504}
TRIES = 3
WAIT_MAX_S = 30.0


async def patiently(client: httpx.AsyncClient, url: str) -> httpx.Response:
    for turn in range(TRIES):
        answer = await client.get(url)
        if answer.status_code not in AGAIN:
            break
        await asyncio.sleep(wait_s(answer, turn))
    return answer


def wait_s(answer: httpx.Response, turn: int) -> float:
    """As long as the server asks, or twice as long each time."""
    asked = answer.headers.get("Retry-After", "")
    return min(float(asked) if asked.isdigit() else 2.0**turn, WAIT_MAX_S)
''',
)

_TEST = """from lantern.crawl import crawl


def test_every_page_is_visited_once(site):
    seen = site.run(crawl)

    assert len(seen) == 7
    assert site.requests_at_once["docs"] == 1
"""
TEST = (
    """from lantern.crawl import crawl


def test_every_page_is_visited(site):
    assert len(site.run(crawl)) == 7
""",
    _TEST,
    _TEST
    + """

def test_a_busy_server_is_no_dead_link(site):
    site.answer("/busy", 429, headers={"Retry-After": "1"}, times=1)

    assert site.run(crawl)["/busy"] == 200
""",
)

REPORT = (
    '''"""Says what is broken."""


def report(seen: dict[str, int]) -> str:
    broken = [f"{status} {url}" for url, status in seen.items() if status >= 400]
    return "\\n".join(broken)
''',
    '''"""Says what is broken, page by page."""

from collections import defaultdict

BROKEN = 400


def report(found: list[tuple[str, str, int]]) -> str:
    pages = defaultdict(list)
    for page, link, status in found:
        if status >= BROKEN:
            pages[page].append(f"  {status} {link}")
    return "\\n".join(line for page, links in pages.items() for line in (page, *links))
''',
    '''"""Says what is broken, page by page, and since when."""

from collections import defaultdict
from datetime import date

BROKEN = 400


def report(found: list[tuple[str, str, int]], since: dict[str, date]) -> str:
    pages = defaultdict(list)
    for page, link, status in found:
        if status >= BROKEN:
            pages[page].append(f"  {status} {link} (since {since.get(link, date.today())})")
    return "\\n".join(line for page, links in pages.items() for line in (page, *links))
''',
)

CLIENT_CHOICES: tuple[dict[str, Any], ...] = (
    {
        "title": "Use requests",
        "target": "HTTP client",
        "rationale": "Everybody knows it, and the first version asks one page at a time.",
        "consequences": ["No parallel requests without threads"],
    },
    {
        "title": "Use httpx, still one request at a time",
        "target": "HTTP client",
        "rationale": "requests cannot be awaited, and parallel crawling is the next step.",
        "consequences": ["The same calls work sync and async"],
    },
    {
        "title": "Use httpx with its async client",
        "target": "HTTP client",
        "rationale": "Sixteen workers take 21 seconds where one request at a time took four"
        " minutes; the sync client is no longer used anywhere.",
        "consequences": ["Everything that fetches is a coroutine", "Tests need an event loop"],
    },
)
OTHER_CHOICES: tuple[dict[str, Any], ...] = (
    {
        "title": "Never more than one request to a host at a time",
        "target": "politeness",
        "rationale": "Site owners block crawlers that they notice; being slow costs us nothing.",
    },
    {
        "title": "Retry 429 and 5xx three times, nothing else",
        "target": "retries",
        "rationale": "Of 31 false alarms, 29 were of these statuses and passed at a second try.",
        "consequences": ["A run may take up to 90 seconds longer"],
        "cites": ["path:lantern/retry.py"],
    },
    {
        "title": "Tests never leave this machine",
        "target": "path:tests/",
        "rationale": "A test that needs the network fails for reasons that are not ours.",
        "enforcement": "advise",
    },
)
PROPOSALS: tuple[dict[str, Any], ...] = (
    {
        "title": "Allow two requests to a host when it answers within 100 ms",
        "target": "politeness",
        "rationale": "Large sites on fast servers take minutes now; two at a time halve that"
        " and stay below what one reader with a browser causes.",
        "consequences": ["Must fall back to one as soon as an answer takes longer"],
    },
    {
        "title": "List redirects in a section of their own",
        "target": "report contents",
        "rationale": "They are not broken, but 14 of the last 20 dead links had been redirects"
        " for months before.",
    },
)


def _said(text: str) -> dict[str, Any]:
    return {"type": "text", "payload": {"content": text}}


CHAT: tuple[tuple[str, list[dict[str, Any]]], ...] = (
    ("maria", [_said("Why did the last run report 31 dead links? I can open all of them.")]),
    (
        "reviewer",
        [
            _said("Let me look at their statuses."),
            {
                "type": "toolRequest",
                "payload": {
                    "callId": "c1",
                    "shortId": "count_statuses",
                    "input": {"run": "last", "status": ">=400"},
                },
            },
            {
                "type": "toolResponse",
                "payload": {
                    "callId": "c1",
                    "status": "completed",
                    "output": "429: 20, 503: 8, time-out: 3",
                },
            },
            _said("20 are rate limits and 8 come from a restart. None of them is dead."),
        ],
    ),
    ("maria", [_said("Then try those again before you report them.")]),
    ("reviewer", [_said("Done: only 429 and 5xx, three times, as long as the server asks.")]),
)
