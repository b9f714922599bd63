"""What a manifest, a summary and an episode's record look like: each is read as data that anybody may have written."""

import json
import math
import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.runs.value_tests import (
    Test,
    called,
    count,
    figure,
    flag,
    label,
    list_of,
    map_of,
    mapping,
    number,
    optional,
    shape,
    text,
    whole,
    words_of,
)
from grpo_env_sdk.types import STOP_REASONS

MOST_BYTES = 16 * 2**20
"""The largest manifest or summary: read, its values take many times that."""
MOST_LINE = 64 * 2**20
"""The longest record of an episode."""
_DEEPEST = 200


def read_data(path: Path) -> Any:
    """The JSON of a file; a ValueError where it is no regular file of its folder, too large, or not JSON."""
    with open_regular(path) as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    return parsed(text)


def open_regular(path: Path) -> Any:
    """A file opened for reading; a ValueError where it is a link, a folder or a device."""
    state = path.lstat()
    if not stat.S_ISREG(state.st_mode):
        kind = "a link" if stat.S_ISLNK(state.st_mode) else "not a file"
        raise ValueError(f"{path.name} is {kind}")
    # without waiting, as it may have become a pipe meanwhile
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")


def parsed(text: bytes) -> Any:
    """The value of a JSON text; a ValueError where it is not JSON, or nested too deeply."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            item
            for outer in level
            for item in (outer.values() if type(outer) is dict else outer if type(outer) is list else ())
            if type(item) is dict or type(item) is list
        ]
        if not level:
            return value
    raise ValueError("it is nested too deeply")


def check_manifest(data: Any) -> None:
    """Raise a ValueError that names the first key of a manifest with a value of the wrong type."""
    _check(data, _MANIFEST, {"env"})


def check_summary(data: Any) -> None:
    """Raise a ValueError that names the first key of a summary with a value of the wrong type."""
    _check(data, _SUMMARY, ())


def read_record(line: bytes) -> dict[str, Any]:
    """The record in a line of `episodes.jsonl`, as who writes it and who reads it test it.

    A `RefusedError` names the first key that is missing or of the wrong type; any other ValueError says what is wrong.
    """
    if len(line) > MOST_LINE:
        raise ValueError(f"it has more than {MOST_LINE >> 20} MiB")
    data: dict[str, Any] = parsed(line)
    _check(data, _RECORD, _NEEDED)
    if not 0 <= data["opening"] <= len(data["messages"]):
        raise RefusedError("opening", "opening is beyond the messages")
    return data


def readable_summary(data: Mapping[str, Any]) -> dict[str, Any]:
    """What of a summary is read again: with keys that a terminal shows as they are, without figures that are none."""
    kept = {key: _labelled(value) for key, value in data.items()}
    return {key: value for key, value in kept.items() if key not in _SUMMARY or _SUMMARY[key](value)}


def as_label(text: str) -> str:
    """The text as a terminal may show it, with escapes for what it would obey."""
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _labelled(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {as_label(str(key)): _labelled(item) for key, item in value.items()}
    return value


class RefusedError(ValueError):
    """A key of a record with a value that it cannot have."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(what)
        self.key = key


def _check(data: Any, tests: Mapping[str, Test], needed: Collection[str]) -> None:
    if not isinstance(data, dict):
        raise ValueError("it is not an object")
    for key in sorted(set(needed) - data.keys()):
        raise RefusedError(key, f"it has no {key}")
    for key, test in tests.items():
        if key in data and not test(data[key]):
            wanted = words_of(test)
            raise RefusedError(key, f"its {key} is {shown(data[key])}" + (wanted and f", and must be {wanted}"))


def shown(value: Any, most: int = 60) -> str:
    """A value of a file as JSON, for an error: at most so many characters of it."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        text = "too large to show"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _is_range(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(end is None or number(end) or end in (math.inf, -math.inf) for end in value)
        and (None in value or value[0] <= value[1])
    )


_range = called("a list of two numbers, the lower one first", _is_range)
_SAMPLING = shape({}, {
    "temperature": optional(number), "top_p": optional(number), "max_tokens": optional(count), "seed": whole,
    "logprobs": flag, "extra": mapping,
})  # fmt: skip
_PRICES = optional(shape({"prompt": number, "completion": number}))
_ENVIRONMENT: dict[str, Test] = {
    "env_version": optional(label), "distribution": optional(label), "source_hash": optional(label),
    "dataset_fingerprint": optional(label), "config": mapping, "tokenizer": optional(text), "split": label,
    "rows": count, "reward_range": _range, "part_ranges": map_of(_range), "tools": list_of(mapping), "replayable": flag,
    "user_model": optional(text), "user_base_url": optional(label), "requirements": map_of(text),
}  # fmt: skip
"""What a manifest says of each of its environments; their other keys are for information."""


def _environments(value: Any) -> bool:
    return map_of(shape({}, _ENVIRONMENT))(value)


_MANIFEST: dict[str, Test] = {
    "env": label, "env_version": optional(label), "distribution": optional(label), "source_hash": optional(label),
    "dataset_fingerprint": optional(label), "config": mapping, "split": label, "rows": count, "samples": count,
    "policy": text, "base_url": optional(label), "sampling": _SAMPLING, "limits": map_of(optional(number)),
    "reward_range": _range, "part_ranges": map_of(_range), "tools": list_of(mapping), "replayable": flag,
    "created": label, "versions": map_of(text), "training": mapping, "rescored_from": text, "files": map_of(text),
    "requirements": map_of(text),
    "plan": shape({}, {"by": optional(text), "cluster": optional(text), "pass_at": optional(number), "prices": _PRICES,
                       "concurrency": count, "max_errors": optional(number), "rows": optional(count),
                       "row_indices": list_of(count), "env_retries": count, "usual_limits": list_of(text)}),
    "user_model": optional(text), "user_base_url": optional(label), "environments": _environments,
    "resume_with": shape({}, {"num_processes": count, "num_machines": count, "max_steps": count,
                              "accelerate_config": text}),
    "forced": list_of(shape({"at": text, "differences": list_of(text)})),
}  # fmt: skip

_ENDS = {"mean": optional(number), "low": optional(number), "high": optional(number)}
_MEAN, _GROUP = shape(_ENDS), shape(_ENDS, {"n": count})
_CLUSTER = shape({"column": label, "n": count})

_HELDOUT = shape({}, {
    **{name: optional(number) for name in ("mean", "low", "high", "greedy")},
    **dict.fromkeys(("rows", "scored", "greedy_scored", "trained_on"), count),
    "errors": map_of(count), "error_examples": map_of(text),
})  # fmt: skip
_COMPARED = shape({"rows": count, "of": count, "before": _MEAN, "after": _MEAN, "difference": _MEAN})


def _seconds(value: Any) -> bool:
    """Those of a training, or percentiles over episodes."""
    return number(value) or map_of(optional(number))(value)


_SUMMARY: dict[str, Test] = {
    "env": label, "policy": text, "run": optional(text), "episodes": count, "scored": count, "rows": count,
    "scored_rows": count, "reward": _MEAN, "rewards": map_of(_MEAN), "abstained": map_of(map_of(count)),
    "pass_at_k": map_of(number), "pass_all_k": map_of(number), "pass_rows": map_of(count),
    "zero_spread_share": optional(number), "out_of_range": count, "stop_reasons": map_of(count),
    "errors": map_of(count), "error_examples": map_of(text), "turns": optional(number),
    "tool_calls": shape({"mean": optional(number), "failed_share": optional(number)}), "tokens": map_of(count),
    "characters": optional(number), "seconds": _seconds, "metrics": map_of(figure),
    "by": shape({"column": label, "groups": map_of(_GROUP)}), "cluster": _CLUSTER, "baselines": map_of(_MEAN),
    "cost": optional(number), "finished": flag, "heldout": optional(map_of(_HELDOUT)), "steps": count,
    "heldout_compared": optional(map_of(optional(_COMPARED))),
    "env_retries": map_of(count), "environments": map_of(mapping),
}  # fmt: skip

_CALL = shape({"id": text, "name": text, "error": optional(text)}, {"seconds": number, "detail": optional(text)})
_MESSAGE = shape({"role": text}, {"tool_calls": optional(list_of(mapping))})


def _prompt(value: Any) -> bool:
    return text(value) or list_of(_MESSAGE)(value)


_stop_reason = called(f"one of {', '.join(STOP_REASONS)}", lambda value: value in STOP_REASONS)
_RECORD: dict[str, Test] = {
    "format": text, "env": text, "version": optional(text), "row_index": count, "sample": count,
    "row": shape({}, {"prompt": _prompt}), "seed": whole, "messages": list_of(_MESSAGE), "opening": count,
    "stop_reason": _stop_reason, "reward": optional(number), "rewards": map_of(optional(number)),
    "step_rewards": list_of(number), "turns": count, "tool_calls": list_of(_CALL), "timings": map_of(number),
    "usage": map_of(count), "token_ids": optional(list_of(list_of(whole))),
    "logprobs": optional(list_of(list_of(figure))), "metrics": map_of(figure),
    "error": optional(shape({"whose": text, "stage": text, "type": text, "message": text}, {"traceback": text})),
    "env_retries": count,
    "tools": optional(list_of(mapping)),
}  # fmt: skip
_NEEDED = {"env", "row", "seed", "messages", "opening", "stop_reason"}
