"""What is right on other rows, and so is probably wrong on this one."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def others_from(items: Sequence[T], place: int) -> list[T]:
    """All items but the one in a place: those behind it, then those before it."""
    return [*items[place + 1 :], *items[:place]]
