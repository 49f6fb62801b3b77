"""`hansard metrics export` and `import`: every sample of a project as a line of JSON."""

import sys
from dataclasses import replace
from itertools import count, islice
from typing import Annotated, Any

import orjson
import typer

from hansard.cli.cli_session import sitting
from hansard.cli.contents.json_lines import lines_of, parse_line
from hansard.cli.flags import Flags
from hansard.cli.opened_store import opened
from hansard.cli.options import Json, all_flags, settings_flags
from hansard.cli.terminal.text import print_told
from hansard.entities.metrics.batch import Sample
from hansard.entities.metrics.limits import SAMPLES_MAX
from hansard.entities.metrics.samples import walk_samples
from hansard.entities.metrics.times import to_iso
from hansard.kernel.blob import canonical_json, digest_of
from hansard.kernel.engine import ReadTx

_LINE = orjson.OPT_APPEND_NEWLINE


@settings_flags
def export(flags: Flags, *, context: typer.Context) -> None:
    """Print every sample that was recorded as a line of JSON, in the order of the journal."""
    with opened(all_flags(flags, context)) as (application, _):

        def work(tx: ReadTx) -> None:
            for sample in walk_samples(tx):
                sys.stdout.write(orjson.dumps(_line(sample), option=_LINE).decode())

        application.store.read(application.own_project(), work)


@settings_flags
def import_(
    flags: Flags,
    *,
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `export` wrote; - is stdin.")],
    json: Json = False,
) -> None:
    """Record the samples of a file. The same file again, by the same user, changes nothing."""
    numbered = enumerate(lines_of(file), start=1)
    waiting, recorded = (parse_line(line, number) for number, line in numbered), 0
    # Read before the store is opened: an unreadable file must not create a store.
    batch = list(islice(waiting, SAMPLES_MAX))
    with (
        opened(all_flags(flags, context), makes_store=True) as (application, settings),
        sitting(application, settings) as caller,
    ):
        for number in count():
            if not batch:
                break
            key = f"import-{number}-{digest_of(canonical_json(batch))}"
            application.call(
                "metric_record", {"samples": batch}, replace(caller, idempotency_key=key)
            )
            recorded += len(batch)
            batch = list(islice(waiting, SAMPLES_MAX))
    print_told(f"{recorded:,} samples are recorded", {"recorded": recorded}, json=json)


def _line(sample: Sample) -> dict[str, Any]:
    """Write a sample as `metric_record` takes it."""
    at = to_iso(sample.at_ms)
    dimensions = {"dimensions": sample.dimensions} if sample.dimensions else {}
    return {"name": sample.name, "at": at, "value": sample.value} | dimensions
