"""The global random state of Python and numpy: read, restored, seeded."""

import contextlib
import random
from collections.abc import Iterator
from typing import Any


def random_state() -> Any:
    """The current state."""
    import numpy

    return random.getstate(), numpy.random.get_state()


def restore(state: Any) -> None:
    """Set the state that `random_state` returned."""
    import numpy

    random.setstate(state[0])
    numpy.random.set_state(state[1])


def seed_all(seed: int) -> None:
    """Seed both generators."""
    import numpy

    random.seed(seed)
    numpy.random.seed(seed % 2**32)


@contextlib.contextmanager
def preserved_random_state() -> Iterator[None]:
    """Restore the state at the end, whatever was drawn or seeded in between."""
    state = random_state()
    try:
        yield
    finally:
        restore(state)
