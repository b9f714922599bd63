"""The random state that a process has but once, Python's and numpy's: seeded, told, and put back."""

import contextlib
import random
from collections.abc import Iterator
from typing import Any


def random_state() -> Any:
    """The state as it is."""
    import numpy

    return random.getstate(), numpy.random.get_state()


def restore(state: Any) -> None:
    """Go on as from a state that `chance` gave."""
    import numpy

    random.setstate(state[0])
    numpy.random.set_state(state[1])


def seed_all(seed: int) -> None:
    """Let what is drawn from now on follow from a seed."""
    import numpy

    random.seed(seed)
    numpy.random.seed(seed % 2**32)


@contextlib.contextmanager
def preserved_random_state() -> Iterator[None]:
    """Whatever is drawn or seeded in between, the state is afterwards what it was."""
    state = random_state()
    try:
        yield
    finally:
        restore(state)
