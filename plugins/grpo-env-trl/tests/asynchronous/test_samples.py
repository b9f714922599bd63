import math

import pytest

from grpo_env_trl.asynchronous.samples import advantages


def test_an_advantage_is_measured_against_the_group_in_units_of_its_spread():
    assert advantages([0.0, 1.0]) == pytest.approx([-1.0, 1.0])
    assert advantages([0.0, 0.5, 1.0, 0.5]) == pytest.approx([-math.sqrt(2), 0.0, math.sqrt(2), 0.0])


def test_a_group_without_a_spread_has_no_advantages():
    assert advantages([0.1 + 0.2, 0.3, 0.3]) == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert advantages([0.7]) == [0.0]


def test_what_was_not_scored_has_no_advantage_and_changes_none():
    assert advantages([0.0, None, 1.0]) == pytest.approx([-1.0, None, 1.0])
    assert advantages([None, None]) == [None, None]
