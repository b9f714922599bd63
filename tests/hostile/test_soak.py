"""Episodes that fail, hang and crash one after another; `tests.benchmarks.soak` does the same for half an hour."""

import os

import pytest

from tests.soak.watching import soak

SECONDS = float(os.environ.get("GRPO_ENV_TEST_SOAK_SECONDS", "25"))


@pytest.mark.slow
def test_episodes_that_fail_hang_and_crash_are_counted_by_cause_and_leave_nothing():
    found = soak("process", SECONDS, every=1.0)
    assert (found.exit_code, found.wrong, found.left) == (0, [], []), found.told
    assert sum(count for count, _ in found.counted.values()) > 100
    settled = found.samples[len(found.samples) // 2 :]
    assert max(sample.threads for sample in settled) <= 16
    assert max(sample.descriptors for sample in settled) <= 32
    assert max(sample.processes for sample in settled) <= 12
