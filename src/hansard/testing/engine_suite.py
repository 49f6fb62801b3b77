"""Every promise of the seam as a test. Subclass `EngineSuite`, say how to open your engine."""

from hansard.testing.suite.base import SCHEMA, Opener
from hansard.testing.suite.blobs import BlobSuite
from hansard.testing.suite.concurrency import ConcurrencySuite
from hansard.testing.suite.history import HistorySuite
from hansard.testing.suite.integrity import ProvingSuite
from hansard.testing.suite.journal import JournalSuite
from hansard.testing.suite.locks import LockSuite
from hansard.testing.suite.model import ModelSuite
from hansard.testing.suite.remembering import RememberingSuite
from hansard.testing.suite.rows import RowSuite
from hansard.testing.suite.search import SearchSuite
from hansard.testing.suite.transactions import TransactionSuite
from hansard.testing.suite.watching import WatchSuite

__all__ = ["SCHEMA", "EngineSuite", "Opener"]


class EngineSuite(
    JournalSuite,
    TransactionSuite,
    RowSuite,
    HistorySuite,
    SearchSuite,
    BlobSuite,
    ProvingSuite,
    LockSuite,
    WatchSuite,
    RememberingSuite,
    ConcurrencySuite,
    ModelSuite,
):
    """All that an engine must keep to."""
