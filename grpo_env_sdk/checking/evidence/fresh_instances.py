"""New instances of the environment under test, each of which built one split of its rows, shared by the checks."""

import ctypes
import threading
import time
from typing import Any

from grpo_env_sdk.checking.evidence.playing.env_under_test import BUILDING
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.rows import Rows, Split
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.isolation.process_state.random_state import preserved_random_state, seed_all
from grpo_env_sdk.late_patterns import regex


def splits_of(subject: Subject) -> tuple[Split, ...]:
    """The splits that together are all its rows, each built by itself; the last one has the fewest, usually."""
    return ("train", "test") if subject.loaded.splits_itself else ("all",)


_LEFT = regex(r"The constructor of |: build_dataset$")
TWICE, BUILD_SECONDS = ("contract", "twice"), ("contract", "seconds of a build")
"""The keys of how rows differ that a fresh instance built twice, and of what building them took."""


def fresh_instance(subject: Subject, split: Split) -> tuple[LoadedEnv, Rows]:
    """An instance that built this split alone, under another global random state, and its rows.

    The checks share one, unless building it again gave it other rows.
    """
    if subject.recall(TWICE):
        return built(subject, split)
    return subject.once(("fresh instance", split), lambda: built(subject, split))


def built(subject: Subject, split: Split) -> tuple[LoadedEnv, Rows]:
    """The same, always constructed and built again."""
    with preserved_random_state():
        seed_all(subject.settings.seed + 1)
        again = subject.another()
        subject.note_stage(BUILDING)
        started = time.process_time()
        rows = again.rows(split)
        subject.once(BUILD_SECONDS, lambda: time.process_time() - started)
        return again, rows


def with_value(subject: Subject, name: str, value: Any, seconds: float | None = None) -> tuple[LoadedEnv, Rows]:
    """An instance with another value of one parameter, and the rows of its smallest split; shared by the checks."""

    def build() -> tuple[LoadedEnv, Rows]:
        loaded = subject.with_config({name: value}, seconds)
        return loaded, loaded.rows(splits_of(subject)[-1])

    return subject.once(("config", name, repr(value)), build)


def end_left_threads() -> None:
    """End what still constructs an instance or builds rows after its deadline, and takes the processor from others."""
    for thread in threading.enumerate():
        if thread.ident and thread.name.startswith("grpo-env: ") and _LEFT.search(thread.name):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
