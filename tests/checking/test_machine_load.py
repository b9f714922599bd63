"""What a busy machine excuses: work takes longer there, and waiting does not."""

import pytest

from grpo_env_sdk.checking.evidence.machine_load import MOST_BUSY, Spent, Stopwatch, busy


@pytest.mark.parametrize(
    ("spent", "quiet", "busy_part"),
    [
        (Spent(8.0, 4.0), 1.0, 0.5),
        (Spent(8.0, 4.0, slower=2.0), 0.5, 1.0),  # it worked all the time that it was given
        (Spent(8.0, 0.0, slower=3.0), 1.0, 0.0),  # it slept
        (Spent(8.0, 2.0, slower=3.0), 0.5, 0.5),
        (Spent(8.0, 16.0, slower=2.0), 0.5, 4.0),  # on several processors
    ],
)
def test_only_work_is_slower_on_a_busy_machine(spent, quiet, busy_part):
    assert (spent.quiet_part, spent.busy_part) == (quiet, busy_part)


def test_a_measurement_never_excuses_more_than_a_busy_machine_may():
    assert 1.0 <= busy() <= MOST_BUSY
    spent = Stopwatch().stop()
    assert spent.seconds > 0
    assert 1.0 <= spent.slower <= MOST_BUSY * 1.001
