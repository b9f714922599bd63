"""Plots of reports: their axes."""

import pytest

from grpo_env_sdk.report.svg import round_numbers

UNIT = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


@pytest.mark.parametrize(("low", "high", "expected"), [
    (0.1, 0.9, UNIT), (1.0, 1.0, UNIT), (0.0, 0.0, UNIT), (-1.0, -1.0, [-1.0, -0.8, -0.6, -0.4, -0.2, 0.0]),
    (607_000, 607_400, [607_000, 607_100, 607_200, 607_300, 607_400]),
])  # fmt: skip
def test_an_axis_has_round_numbers_around_what_is_drawn_and_zero_where_that_is_flat(low, high, expected):
    assert round_numbers(low, high) == expected
