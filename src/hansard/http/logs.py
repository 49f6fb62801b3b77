"""The request log: never a body, a header, a query or a secret."""

import json
import logging
import sys
from datetime import UTC, datetime
from functools import partial
from typing import Any

REQUESTS = logging.getLogger("hansard.requests")

FIELDS = "hansard_fields"
"""Where a record carries its fields."""


def configure(form: str, worker: int | None = None) -> None:
    """Write to stderr from now on: `text`, `json`, or with `off` only what went wrong.

    Where several processes write to the same place, each line says which `worker` it is of.
    """
    if form == "off":
        return
    handler = logging.StreamHandler(sys.stderr)
    if worker is not None:
        handler.addFilter(partial(_name, worker))
    handler.setFormatter(AsJson() if form == "json" else AsText())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    REQUESTS.setLevel(logging.INFO)


def _name(worker: int, record: logging.LogRecord) -> bool:
    fields = getattr(record, FIELDS, None) or {"message": record.getMessage()}
    setattr(record, FIELDS, {"worker": worker, **fields})
    return True


def note(**fields: Any) -> None:
    """Write down that a request was answered."""
    REQUESTS.info("request", extra={FIELDS: fields})


class AsJson(logging.Formatter):
    """One object a line, whatever the message holds."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        shown: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        } | getattr(record, FIELDS, {})
        if record.exc_info:
            shown["trace"] = self.formatException(record.exc_info)
        return json.dumps(shown, ensure_ascii=True)


class AsText(logging.Formatter):
    """One line for people; what could act on a terminal is escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fields: dict[str, Any] = getattr(record, FIELDS, {})
        said = " ".join(f"{name}={_plain(value)}" for name, value in fields.items())
        line = f"{at} {record.levelname.lower()} {said or _plain(record.getMessage())}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _plain(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() else text.encode("unicode_escape").decode()
