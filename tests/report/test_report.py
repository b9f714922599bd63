"""Plots of reports: their axes."""

from itertools import product

import pytest

from grpo_env_sdk.report.exhibits import Plot
from grpo_env_sdk.report.svg import round_numbers, svg

UNIT = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


@pytest.mark.parametrize(("low", "high", "expected"), [
    (0.1, 0.9, UNIT), (1.0, 1.0, UNIT), (0.0, 0.0, UNIT), (-1.0, -1.0, [-1.0, -0.8, -0.6, -0.4, -0.2, 0.0]),
    (607_000, 607_400, [607_000, 607_100, 607_200, 607_300, 607_400]),
])  # fmt: skip
def test_an_axis_has_round_numbers_around_what_is_drawn_and_zero_where_that_is_flat(low, high, expected):
    assert round_numbers(low, high) == expected


ODD = (0, 1, -1.5, 5e-324, 1e-10, 1e-9, 1e15, -1e15, 1e15 - 0.125, 1e308, -1e308, 10**400, float("nan"), float("-inf"))


@pytest.mark.parametrize(("x", "y"), [*product(ODD, ODD)])
def test_whatever_numbers_a_plot_has_it_is_drawn_without_those_that_fit_on_no_axis(x, y):
    drawn = svg(Plot("Odd", {"a": [(x, y), (y, x), (0, 0)]}, bands={"a": [(x, y, x)]}))
    assert drawn.startswith("<svg")
    assert "nan" not in drawn
    assert "inf" not in drawn
