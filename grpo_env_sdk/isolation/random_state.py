"""The random state that a process has but once, Python's and numpy's: seeded, told, and put back."""

import contextlib
import random
from collections.abc import Iterator
from typing import Any


def chance() -> Any:
    """The state as it is."""
    import numpy

    return random.getstate(), numpy.random.get_state()


def restore(state: Any) -> None:
    """Go on as from a state that `chance` gave."""
    import numpy

    random.setstate(state[0])
    numpy.random.set_state(state[1])


def sow(seed: int) -> None:
    """Let what is drawn from now on follow from a seed."""
    import numpy

    random.seed(seed)
    numpy.random.seed(seed % 2**32)


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Whatever is drawn or seeded in between, the state is afterwards what it was."""
    state = chance()
    try:
        yield
    finally:
        restore(state)
