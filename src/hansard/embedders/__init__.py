"""How text becomes vectors, and how what they are near to is found: by MiniLM here, or over HTTP.

Without the `[semantic]` extra there is neither, and a search goes by words alone.
"""

from collections.abc import Iterable
from typing import Literal

from hansard.embedders import local
from hansard.embedders.meanings import CAPABILITY, VectorMeanings
from hansard.kernel.deferred import Part
from hansard.kernel.meaning import Meanings, NoMeanings
from hansard.kernel.problem import InvalidInput
from hansard.kernel.store import Store

__all__ = ["INSTALL", "Choice", "VectorMeanings", "choose", "open_store"]

Choice = Literal["auto", "local", "http", "none"]

INSTALL = "pip install 'hansard[semantic]'"
"""How to get an embedder."""


def choose(choice: Choice, *, url: str = "", model: str = "", key: str | None = None) -> Meanings:
    """Make what finds by meaning, as the settings say: perhaps nothing, so that words alone count.

    `auto` is the server at the URL if there is one, else the model of the extra if that is there.
    """
    if choice == "auto":
        choice = "http" if url else "local"
        if not local.is_installed():
            choice = "none"
    if choice == "none":
        return NoMeanings()
    if not local.is_installed():
        raise InvalidInput(f"The embedder {choice} needs what is not installed", hint=INSTALL)
    if choice == "local":
        from hansard.embedders import shared

        return VectorMeanings(shared.SharedEmbedder(local.LocalEmbedder()))
    # Imported when chosen: it brings much along that nothing else here needs.
    from hansard.embedders import http

    if not http.is_address(url) or not model:
        raise InvalidInput(
            "The http embedder needs an embedder_url that begins with http:// or https://, "
            "and an embedder_model"
        )
    return VectorMeanings(http.HttpEmbedder(url, model, key))


def open_store(parts: Iterable[Part], store: Store) -> None:
    """Let what finds by meaning read this store, in every process, whether or not it follows."""
    for part in parts:
        if part.name == CAPABILITY and part.followers:
            part.followers(store)
