"""How work that takes a while says where it is."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Is called with what is done, how much of it is done, and of how much."""
