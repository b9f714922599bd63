"""Whether what a worker tells of its environment makes sense: types alone allow ranges of nothing and rows twice."""

from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.rollout.event_types import is_finite, is_range, rule_adds_up
from grpo_env_sdk.rollout.sent_rows import BOTH, SentRows

_MOST = 1 << 31


def nonsense_in(told: Mapping[str, Any], splits: Sequence[str]) -> list[str]:
    """The names of what cannot be true of any environment with these rows; each has the right type already."""
    checks = {
        "traits": _fit_traits(told["traits"]), "score_rule": rule_adds_up(told["score_rule"]),
        "user": (told["traits"].user == "model") == (told["user"] is not None),
        "splits": list(told["splits"]) == list(splits) and _fit_splits(told["splits"], told["splits_itself"]),
    }  # fmt: skip
    return [name for name, makes_sense in checks.items() if not makes_sense]


def _fit_splits(splits: Mapping[str, SentRows], splits_itself: bool) -> bool:
    """Whether each has its rows, and both together have all of them, once."""
    if not all(map(_fit_rows, splits.values())):
        return False
    if {*splits} != {*BOTH}:
        return True
    train, test = (splits[split] for split in BOTH)
    if splits_itself:  # each index is in its table, once
        whole = all(len(one.indices) == one.total and one.indices == sorted(one.indices) for one in (train, test))
        return whole and (train.offset, test.offset) == (0, train.total)
    same = (train.offset, train.total, train.columns) == (0, test.total, test.columns) and test.offset == 0
    every = {*train.indices, *test.indices}
    return same and len(every) == len(train.indices) + len(test.indices) == train.total


def _fit_rows(told: SentRows) -> bool:
    """Whether each row is there, and once: they are asked for until all have come."""
    indices, first, total = told.indices, told.offset, told.total
    if not (0 <= first < _MOST and 0 <= total < _MOST):
        return False
    return len(set(indices)) == len(indices) and all(first <= index < first + total for index in indices)


def _fit_traits(traits: Traits) -> bool:
    counts = [traits.max_turns, *(() if traits.max_live is None else (traits.max_live,))]
    times = [seconds for seconds in (traits.call_seconds, traits.episode_seconds) if seconds is not None]
    return (
        is_range(*traits.reward_range)
        and all(count > 0 for count in counts)
        and all(seconds > 0 and is_finite(seconds) for seconds in times)
    )
