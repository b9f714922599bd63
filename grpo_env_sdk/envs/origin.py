"""Where a loaded environment is from, so that another process can load it again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Origin:
    """The class or function that creates it, and the rewards that were added."""

    made_by: Callable[..., Any]
    rewards: Sequence[Any] = ()
