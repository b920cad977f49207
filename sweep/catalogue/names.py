"""Names in descriptions: which can be one, and how a message quotes them."""

from __future__ import annotations

from collections.abc import Iterator

LONGEST_NAME = 64


def shown(value: object) -> str:
    """Quote a value in a message, shortened."""
    text = ascii(value)
    return text if len(text) <= LONGEST_NAME + 2 else f"{text[: LONGEST_NAME - 3]}...'"


def is_name(value: object) -> bool:
    """Whether something can be the name of a schedule, an agent or an event."""
    return (
        isinstance(value, str)
        and value.isascii()
        and value.isidentifier()
        and len(value) <= LONGEST_NAME
    )


def name_rule() -> str:
    """Say what can be a name."""
    return f"must be an ASCII identifier of at most {LONGEST_NAME} characters"


def wrong_kinds(described: object, *fields: tuple[str, type]) -> Iterator[str]:
    """Yield the fields that hold another kind of value than they say; a bool is no number."""
    for name, kind in fields:
        value = getattr(described, name)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            yield f"{name}={shown(value)}: must be a {kind.__name__}"
