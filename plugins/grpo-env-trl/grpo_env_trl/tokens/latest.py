"""A bounded cache: the values that were asked for last."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Keeps so many values, each made when it is first asked for; the one that nobody asked for longest goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[str, T] = OrderedDict()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: str, make: Callable[[], T]) -> T:
        """The value of this key."""
        if key in self._found:
            self._found.move_to_end(key)
        else:
            self._found[key] = make()
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        return self._found[key]
