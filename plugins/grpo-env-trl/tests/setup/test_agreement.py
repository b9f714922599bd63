"""Processes that would train on different things are refused, with what differs."""

from copy import deepcopy

import pytest

from grpo_env_trl.setup.agreement import differences_among

MANIFEST = {
    "versions": {"trl": "1.16.0", "vllm": None},
    "environments": {
        "hotel-v1": {"env_version": "1.0", "source_hash": "aa", "dataset_fingerprint": "cc", "rows": 40},
        "dice-v1": {"env_version": "1.0", "source_hash": "bb", "dataset_fingerprint": "dd", "rows": 60},
    },
}


def changed(*path, to):
    found = deepcopy(MANIFEST)
    *folders, last = path
    at = found
    for name in folders:
        at = at[name]
    at[last] = to
    return found


def test_processes_that_have_the_same_agree():
    assert [*differences_among([MANIFEST, deepcopy(MANIFEST), deepcopy(MANIFEST)])] == []


@pytest.mark.parametrize(("other", "words"), [
    (changed("versions", "trl", to="1.15.0"), ["Process 2 has trl 1.15.0, and process 0 has 1.16.0", "same trl"]),
    (changed("versions", "vllm", to="0.32.0"), ["Process 2 has vllm 0.32.0, and process 0 has none"]),
    (changed("environments", "dice-v1", "source_hash", to="xx"), ["Process 2 has other code of dice-v1"]),
    (changed("environments", "hotel-v1", "env_version", to="2"), ["Process 2 has other code of hotel-v1"]),
    (changed("environments", "hotel-v1", "dataset_fingerprint", to="x"), ["other rows of hotel-v1", "(40 and 40)"]),
])  # fmt: skip
def test_what_differs_is_named_with_the_process(other, words):
    ((message, hint),) = differences_among([MANIFEST, deepcopy(MANIFEST), other])
    assert [word for word in words if word not in f"{message} {hint}"] == []
