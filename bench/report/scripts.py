"""Programs for libraries that are no servers; each runs in its library's own environment."""

import os
from collections.abc import Callable

POSTGRES = "HANSARD_BENCH_POSTGRES"
"""Names the PostgreSQL that is started for the run."""

GRAPHS = "langgraph-checkpoint-postgres"

TIMED = """
import json, statistics, sys, time
told = {}
def timed(what, call, calls=60):
    call()
    walls, cpus = [], []
    for _ in range(3):
        taken, before = [], time.process_time()
        for _ in range(calls):
            began = time.perf_counter()
            call()
            taken.append(time.perf_counter() - began)
        cpus.append((time.process_time() - before) / calls)
        walls.append(statistics.median(taken))
    told[what] = (statistics.median(walls) * 1000, statistics.median(cpus) * 1000)
"""

DBOS = """
from dbos import DBOS, DBOSConfig
DBOS(config={"name": "bench", "system_database_url": "sqlite:///FOLDER/dbos.sqlite"})
@DBOS.step()
def step(text):
    return text
@DBOS.workflow()
def workflow(text):
    return step(text)
DBOS.launch()
timed("workflow of one step, 1 KB", lambda: workflow("x" * 1000))
DBOS.destroy()
print(json.dumps(told))
"""

GRAPH = """
import uuid
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.postgres import PostgresSaver
with PostgresSaver.from_conn_string("URL") as saver:
    saver.setup()
    for size, length in (("1 KB", 1_000), ("100 KB", 100_000)):
        thread = {"configurable": {"thread_id": uuid.uuid4().hex, "checkpoint_ns": ""}}
        state = {"last": thread, "n": 0}
        def put():
            state["n"] += 1
            n = state["n"]
            versions = {"messages": f"{n:032}.0", "n": f"{n:032}.0"}
            state["last"] = saver.put(state["last"], {
                "v": 4, "ts": "2026-01-01T00:00:00+00:00", "id": str(uuid6()),
                "channel_values": {"messages": "value " * (length // 6) + str(n), "n": n},
                "channel_versions": versions, "versions_seen": {}, "updated_channels": ["messages"],
            }, {"source": "loop", "step": n}, versions)
        timed(f"put {size}", put)
        timed(f"get {size}", lambda: saver.get_tuple(thread))
print(json.dumps(told))
"""


def _dbos(folder: str) -> str:
    return TIMED + DBOS.replace("FOLDER", folder)


def _graph(folder: str) -> str:
    del folder
    return TIMED + GRAPH.replace("URL", os.environ[POSTGRES])


SCRIPTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "DBOS": ("dbos", _dbos),
    GRAPHS: ("langgraph-checkpoint-postgres", _graph),
}
