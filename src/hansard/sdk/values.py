"""Which Python values an operation accepts: those of JSON, which come back the same.

Over the wire nothing else can arrive. Here a tuple or a date could, and would come back as a list
or a text.
"""

from hansard.kernel.problem import InvalidInput

_PLAIN = (str, int, float, type(None))


def require_json(arguments: dict[str, object]) -> None:
    """Refuse, by its name, a value that is none of JSON's, or a key that is not text."""
    pending: list[tuple[object, str]] = [(value, name) for name, value in arguments.items()]
    while pending:
        item, path = pending.pop()
        if isinstance(item, dict):
            for key, inner in item.items():
                if not isinstance(key, str):
                    raise InvalidInput(f"{path}: the key {key!r} is not text", argument=path)
                pending.append((inner, f"{path}.{key}"))
        elif isinstance(item, list):
            pending.extend((inner, f"{path}.{index}") for index, inner in enumerate(item))
        elif not isinstance(item, _PLAIN):
            raise InvalidInput(
                f"{path}: {type(item).__name__} is no value that JSON has",
                hint="Give lists, dicts with text keys, texts, numbers, true, false or None",
                argument=path,
            )
