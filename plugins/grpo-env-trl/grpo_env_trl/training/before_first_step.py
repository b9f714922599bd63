"""Errors before the first step: settings that TRL looks at only when the training begins."""

from collections.abc import Callable
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from transformers import TrainerCallback

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import UsageError, one_line


class BeforeFirstStep(TrainerCallback):
    """A context manager and trainer callback: an error before the first step becomes one line.

    `measure` is called once the model is as it trains, and distributed over the processes; its errors are its own.
    `begin` is called as the first step begins.
    """

    def __init__(self, measure: Callable[[], object], begin: Callable[[], object]) -> None:
        self._measure = measure
        self._begin = begin
        self._over = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Evaluate the model before its first step."""
        _check_saves(kwargs.get("model"))
        self._over = True
        self._measure()
        self._over = False

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """From now on an error may come from anywhere, and keeps its traceback."""
        if not self._over:
            self._begin()
        self._over = True

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Of a resumed training that had no step left, too."""
        self._over = True

    def __enter__(self) -> "BeforeFirstStep":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._over or isinstance(exc, GrpoEnvError) or not isinstance(exc, Exception):
            return
        text = f"{type(exc).__name__}: {one_line(exc)}".rstrip(".")
        raise UsageError(f"The training cannot begin: {text}.", "Correct the setting that it names.") from exc


def _check_saves(model: Any) -> None:
    """Raise where no checkpoint could be saved: transformers refuses a generation config that contradicts itself."""
    config = getattr(model, "generation_config", None)
    if config is not None and not hasattr(model, "peft_config"):  # an adapter is saved without it
        with TemporaryDirectory() as folder:
            config.save_pretrained(folder)
