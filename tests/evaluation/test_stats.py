import itertools
import math
import random
import statistics
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grpo_env_sdk.evaluation.stats import Mean, mean_of, pass_all, pass_at, percentile, sign_test, student_t


@pytest.mark.parametrize(
    ("freedom", "table"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042)]
)
def test_students_t_is_what_the_tables_say(freedom, table):
    assert student_t(freedom) == pytest.approx(table, rel=2e-3)


def test_an_interval_is_that_of_students_t_with_one_more_value_on_either_side():
    values = [0.1, 0.4, 0.5, 0.9, 1.0]
    squares = sum((value - 0.58) ** 2 for value in values)
    unseen = 0.48 * (1 + 0.48**2 / squares)
    longer = [*values, 0.58 - unseen, 0.58 + unseen]
    found = mean_of({i: [value] for i, value in enumerate(values)})
    assert (found.mean, found.low) == (
        pytest.approx(0.58), pytest.approx(0.58 - 2.776 * statistics.pstdev(longer) / math.sqrt(7), rel=1e-2),
    )  # fmt: skip


def test_changes_of_passes_have_the_interval_of_bonett_and_price():
    rose, fell, count = 2, 1, 60
    found = mean_of({i: [float(i < rose) - float(i >= count - fell)] for i in range(count)}, (-1.0, 1.0))
    more, less, of = rose + 1, fell + 1, count + 2
    half = student_t(count - 1) * math.sqrt(((more + less) / of - ((more - less) / of) ** 2) / of)
    assert (found.low, found.high) == pytest.approx(((more - less) / of - half, (more - less) / of + half))


def test_samples_of_one_row_count_as_one_where_they_agree():
    rows = {i: [float(i % 2)] for i in range(10)}
    copied = {i: [float(i % 2)] * 8 for i in range(10)}
    assert mean_of(copied).low == pytest.approx(mean_of(rows).low)


def test_a_row_counts_once_however_many_of_its_samples_have_a_value():
    assert mean_of({0: [1.0, 1.0, 1.0], 1: [0.0]}) == mean_of({0: [1.0], 1: [0.0]})


def test_a_mean_that_is_rounded_to_zero_has_no_sign():
    assert str(mean_of({0: [-0.0001], 1: [-0.0001]}, exact=True)) == "0.000 [0.000, 0.000]"


def test_too_few_values_have_no_interval():
    assert mean_of({}).mean is None
    assert (mean_of({0: [1.0, 0.0]}).mean, mean_of({0: [1.0, 0.0]}).low) == (0.5, None)


def test_values_whose_sum_or_squares_no_float_holds_have_a_mean_and_an_interval():
    assert mean_of({0: [1.7e308], 1: [1.7e308], 2: [1.7e308]}).mean == pytest.approx(1.7e308)
    large, small = mean_of({0: [1e200], 1: [3e200]}, (0.0, 4e200)), mean_of({0: [1.0], 1: [3.0]}, (0.0, 4.0))
    assert [end / 1e200 for end in (large.mean, large.low, large.high)] == pytest.approx(
        [small.mean, small.low, small.high]
    )
    apart = mean_of({0: [1.7e308], 1: [-1.7e308]})
    assert (apart.mean, math.isfinite(apart.low), str(apart)) == (0.0, True, "0.000 [-1.8e+308, 1.8e+308]")


def test_an_interval_stays_within_the_bounds_of_its_values():
    rows = {0: [1.0], 1: [1.0], 2: [1.0], 3: [0.0]}
    assert mean_of(rows).high > 1.0
    assert mean_of(rows, (0.0, 1.0)).high == 1.0
    assert mean_of(rows).low < 0.0 <= mean_of(rows, (0.0, 1.0)).low


@pytest.mark.parametrize(("value", "count", "bounds", "shown"), [
    (1.0, 20, (0.0, 1.0), "1.000 [0.832, 1.000]"),
    (0.0, 2, (0.0, 1.0), "0.000 [0.000, 0.842]"),
    (0.0, 5, (-1.0, 1.0), "0.000 [-0.522, 0.522]"),
    (3.0, 20, (0.0, 1.0), "3.000"), (1.0, 20, (0.0, math.inf), "1.000"), (1.0, 20, None, "1.000"),
    (1e200, 20, (0.0, 1e200), "1e+200 [8.32e+199, 1e+200]"),
])  # fmt: skip
def test_equal_rows_have_the_interval_of_what_so_few_may_miss_and_without_a_range_none(value, count, bounds, shown):
    rows = {row: [value, value] for row in range(count)}
    assert str(mean_of(rows, bounds)) == shown
    assert mean_of(rows, bounds, exact=True).low == pytest.approx(value)


@pytest.mark.parametrize(("rows", "least"), [(5, 0.99), (20, 0.95), (50, 0.93), (100, 0.93), (200, 0.93)])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0)])
def test_an_interval_covers_the_mean_where_few_rows_differ(rows, least, bounds):
    """Of rows that pass or not, and of changes of such rows; the coverage is exact."""
    found = [mean_of({row: [float(row < passes)] for row in range(rows)}, bounds) for passes in range(rows + 1)]
    for p in (0.02, 0.04, 0.08, 0.2, 0.5):
        chances = (math.comb(rows, passes) * p**passes * (1 - p) ** (rows - passes) for passes in range(rows + 1))
        covered = sum(chance for one, chance in zip(found, chances, strict=True) if one.low <= p <= one.high)
        assert covered >= least


def coverage(rows, truth, runs=300):
    """How many of some simulated runs have an interval that covers the true mean; `rows` draws those of one run."""
    draw = random.Random(1)
    found = [mean_of(dict(enumerate(rows(draw))), (0.0, 1.0)) for _ in range(runs)]
    return sum(one.low <= truth <= one.high for one in found) / runs


def test_an_interval_covers_the_mean_where_few_rows_are_hard_and_each_has_several_samples():
    def rows(draw):
        rates = [0.8 if draw.random() < 0.1 else 1.0 for _ in range(50)]
        return [[float(draw.random() < rate) for _ in range(8)] for rate in rates]

    assert coverage(rows, 0.98) >= 0.93


def test_an_interval_covers_the_mean_of_partial_rewards_that_are_mostly_the_highest():
    def rows(draw):
        return [[1.0 if draw.random() < 0.93 else draw.random()] for _ in range(60)]

    assert coverage(rows, 0.93 + 0.07 / 2) >= 0.93


def test_an_interval_is_not_much_wider_than_students_where_rows_vary_evenly():
    values = [statistics.NormalDist(0.5, 0.1).inv_cdf((i + 0.5) / 100) for i in range(100)]
    found = mean_of({i: [value] for i, value in enumerate(values)}, (0.0, 1.0))
    usual = student_t(99) * statistics.stdev(values) / 10
    assert usual < found.high - found.mean < 1.06 * usual


def test_rows_of_one_cluster_count_as_one():
    draw = random.Random(2)
    documents = [[float(draw.random() < 0.7)] for _ in range(30)]
    copied = {(document, row): value for document, value in enumerate(documents) for row in range(4)}
    found = mean_of(copied, (0.0, 1.0), cluster_of={row: row[0] for row in copied})
    assert astuple(found) == pytest.approx(astuple(mean_of(dict(enumerate(documents)), (0.0, 1.0))))
    assert found.low < mean_of(copied, (0.0, 1.0)).low


def test_clusters_leave_the_mean_over_rows_and_rows_without_one_are_independent():
    rows = {0: [1.0], 1: [1.0], 2: [1.0], 3: [0.0]}
    found = mean_of(rows, (0.0, 1.0), cluster_of={0: "a", 1: "a", 2: "a"})
    assert (found.mean, found.low, found.high) == (0.75, 0.0, 1.0)
    assert mean_of(rows, (0.0, 1.0), cluster_of={}) == mean_of(rows, (0.0, 1.0))
    assert mean_of(rows, cluster_of=dict.fromkeys(rows, "a")) == Mean(0.75)


def test_bounds_that_a_value_breaks_do_not_count():
    rows = {row: [3.0 * row] for row in range(4)}
    assert mean_of(rows, (0.0, 1.0)) == mean_of(rows)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=3), min_size=2, max_size=6))
def test_an_interval_contains_its_mean_and_lies_in_the_range(clusters):
    found = mean_of(dict(enumerate(clusters)), (0.0, 1.0))
    assert 0.0 <= found.low <= found.mean <= found.high <= 1.0


@given(st.integers(1, 12), st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_pass(samples, data):
    passes = data.draw(st.integers(0, samples))
    k = data.draw(st.integers(1, samples))
    subsets = list(itertools.combinations([1] * passes + [0] * (samples - passes), k))
    assert pass_at(k, samples, passes) == pytest.approx(sum(any(s) for s in subsets) / len(subsets))
    assert pass_all(k, samples, passes) == pytest.approx(sum(all(s) for s in subsets) / len(subsets))


def test_the_sign_test_is_the_binomial_and_leaves_ties_out():
    assert sign_test([1, 1, 1, 1, 1, 0, 0]) == pytest.approx(2 / 32)
    assert sign_test([0, 0]) is None
    assert sign_test([1, -1]) == 1.0
    assert sign_test([1.0] * 3000) == pytest.approx(0.0, abs=1e-9)
    assert sign_test([1.0, -1.0] * 600 + [1.0]) == pytest.approx(1.0, abs=0.05)


def test_percentiles_lie_between_values():
    assert percentile([], 0.5) is None
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile([0, 10], 0.9) == 9
