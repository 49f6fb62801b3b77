"""Which Host and Origin headers a request may carry: parsed and compared as a whole."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hansard.app.settings import LOOPBACK

_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?)(?::([0-9]{1,5}))?")
PORT_MAX = 65_535


@dataclass(frozen=True, slots=True)
class Authority:
    """A host as URLs write it, and a port if one is named."""

    host: str
    port: int | None = None


def parse(text: str) -> Authority | None:
    """Read `host` or `host:port`; `None` for anything else, such as what holds a user or a path."""
    found = _AUTHORITY.fullmatch(text.lower())
    if found is None:
        return None
    port = int(found[3]) if found[3] else None
    return None if port is not None and port > PORT_MAX else Authority(found[1], port)


def in_url(host: str) -> str:
    """Write a host as URLs do."""
    return f"[{host}]" if ":" in host else host


class Origins:
    """Knows the names of a server: this machine's own, and the configured ones."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        """Accept `hosts` too; one without a port is reached by any port."""
        self._here = {in_url(host) for host in LOOPBACK}
        self._told = [one for host in hosts if (one := parse(host))]

    def is_host(self, header: str | None) -> bool:
        """Whether a request that was sent to this name was meant for this server."""
        sent_to = parse(header or "")
        if sent_to is None:
            return False
        return sent_to.host in self._here or any(
            told.host == sent_to.host and told.port in (None, sent_to.port) for told in self._told
        )

    def is_origin(self, header: str | None, own_port: int | None) -> bool:
        """Whether a page of this origin is this server's own, on `own_port`; programs name none."""
        if not header:
            return True
        scheme, separator, rest = header.partition("://")
        page = parse(rest)
        if not separator or page is None or scheme not in ("http", "https"):
            return False
        if page.host in self._here and scheme == "http" and page.port == own_port:
            return True
        return any(
            told.host == page.host and _has_port(told, page, own_port) for told in self._told
        )


def _has_port(told: Authority, page: Authority, own_port: int | None) -> bool:
    """Whether a page's port is the one told; where none was, the scheme's own or ours."""
    ports: Sequence[int | None] = (None, own_port) if told.port is None else (told.port,)
    return page.port in ports
