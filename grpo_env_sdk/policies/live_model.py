"""The model behind a policy, where it runs in this process and scorers may use it too."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LiveModel:
    """A model that scorers may use, as the `live_model` of a policy."""

    model: Any = None
    tokenizer: Any = None
    around_score: Callable[[], AbstractContextManager[Any]] = nullcontext
    """Entered around each call of a scorer, in its thread."""
    alone: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext
    """Entered around each score that uses the model: while it lasts, nothing else does."""


def live_model_of(policy: Any) -> LiveModel | None:
    """The live model of a policy; None for one that is elsewhere, or is no model."""
    return getattr(policy, "live_model", None)
