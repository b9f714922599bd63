"""Attributes of a class whose names are one slip from those that are read here, such as `max_turn` or `sovle`."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.isolation.author_code.author_classes import by_authors
from grpo_env_sdk.isolation.author_code.code_names import names_in
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, name_of

_READ = frozenset((
    "build_dataset", "score_episode", "get_tools", "call_tool", "solve", "open_shared", "setup", "reward_range",
    "max_turns", "max_live", "call_seconds", "episode_seconds", "parallel", "uses_model", "replayable",
    "isolate_globals", "raw_prompts",
))  # fmt: skip
"""What is read from a class of an author; shorter names are too near to other words."""
_MARKS = ("__grpo_tool__", "__grpo_reward__", "__grpo_metric__")


def misspelt_names(env: Any) -> Iterator[tuple[str, str]]:
    """Each attribute of the class that nothing uses and that is nearly one of ours, which the class lacks."""
    own = {name: value for base in by_authors(type(env)) for name, value in vars(base).items()}
    named = set[str]().union(*map(names_in, own.values()))
    for name, value in own.items():
        if name in _READ or name in named or any(hasattr(value, mark) for mark in _MARKS):
            continue
        meant = next((known for known in sorted(_READ - own.keys()) if _is_one_slip(name, known)), None)
        if meant is not None:
            place = defined_at(value) if callable(value) else ""
            what = f"{name_of(env)}.{name} is never used{place and f' ({place})'}."
            yield what, f"Did you mean {meant!r}?"


def _is_one_slip(name: str, known: str) -> bool:
    """Whether one letter is missing, added, another one, or in the place of its neighbour."""
    if abs(len(name) - len(known)) > 1:
        return False
    start = next((at for at, pair in enumerate(zip(name, known, strict=False)) if len(set(pair)) > 1), len(name))
    one, two = name[start:], known[start:]
    swapped = one[:2] == two[1::-1] and one[2:] == two[2:]
    return swapped or one[1:] == two[1:] or one[1:] == two or one == two[1:]
