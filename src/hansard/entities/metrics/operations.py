"""The operations of metrics, each declared once."""

from hansard.entities.metrics import contract
from hansard.entities.metrics.commands import record
from hansard.entities.metrics.queries import query
from hansard.kernel.operation import Operation

OPERATIONS = (
    Operation(
        "metric_record",
        "Record measurements, many at once. at: ISO time or epoch ms, default now.",
        contract.MetricRecord,
        contract.MetricsWrittenAnswer,
        record,
        writes=True,
        role="agent",
        session="begins",
    ),
    Operation(
        "metric_query",
        "Count, sum, min, max, mean, p50 and p95 of a metric by time bucket and by dimensions; "
        "without name, list the metrics; raw: the samples themselves.",
        contract.MetricQuery,
        contract.MetricAnswer,
        query,
        writes=False,
    ),
)
