"""Recording samples: many of them in one journal entry."""

from collections.abc import Collection

from hansard.entities.metrics import contract, limits
from hansard.entities.metrics.batch import Dimensions, Sample, gather, pack
from hansard.entities.metrics.events import MetricsRecorded
from hansard.entities.metrics.rules import WHOLE, Series
from hansard.entities.metrics.times import to_ms
from hansard.entities.metrics.views import METRICS, SERIES
from hansard.kernel.blob import seal
from hansard.kernel.engine import ReadTx, WriteTx
from hansard.kernel.operation import Context
from hansard.kernel.problem import InvalidInput


def record(request: contract.MetricRecord, context: Context) -> contract.MetricsWrittenAnswer:
    """Record samples; those without a time are of this moment."""
    now_ms = to_ms(context.stamp.at)
    batch = gather(
        Sample(one.name, one.dimensions, now_ms if one.at is None else one.at, one.value)
        for one in request.samples
    )
    blob = seal(pack(batch))
    names = list(dict.fromkeys(name for name, _ in batch.series))
    count = len(batch.values)

    def work(tx: WriteTx) -> contract.MetricsWrittenAnswer:
        check_room(tx, batch.series)
        recorded = MetricsRecorded(
            samples=blob.digest, count=count, first_name=names[0], names=len(names)
        )
        context.record(tx, recorded)
        return contract.MetricsWrittenAnswer(recorded=count, session_id=context.session)

    return context.write(work, blobs=[blob])


def check_room(tx: ReadTx, series: Collection[tuple[str, Dimensions]]) -> None:
    """Refuse names and series beyond what may be kept, however their samples come."""
    rows = {name: tx.get(METRICS, name) for name, _ in series}
    new = [name for name, row in rows.items() if row is None]
    if new and tx.tally(METRICS).get(None, 0) + len(new) > limits.METRICS_MAX:
        raise InvalidInput(
            f"A project has at most {limits.METRICS_MAX:,} metrics, so {new[0]} cannot be added",
            hint="Put what tells them apart into dimensions of one metric",
            limit=limits.METRICS_MAX,
        )
    counts = {name: row["series"] if row else 0 for name, row in rows.items()}
    for name, dimensions in series:
        if tx.get(SERIES, Series(name, WHOLE, dimensions).key) is None:
            counts[name] += 1
    for name, count in counts.items():
        if count > limits.SERIES_MAX:
            raise InvalidInput(
                f"{name} would have {count:,} sets of dimensions; at most {limits.SERIES_MAX:,} "
                "may be told apart",
                hint="Leave out a dimension whose values hardly repeat, such as an id",
                limit=limits.SERIES_MAX,
            )
