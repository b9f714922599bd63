"""Which row of which environment comes next."""

from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grpo_env_trl.bridges.mixture_draws import DrawCounts, drawn, steps_of
from grpo_env_trl.env_weights import Weight, weight_of


def args(**changes):
    usual = {"generation_batch_size": 24, "num_generations": 4, "num_iterations": 1, "per_device_train_batch_size": 24,
             "gradient_accumulation_steps": 1, "max_steps": 10, "num_train_epochs": 2}  # fmt: skip
    return SimpleNamespace(**usual | changes)


def envs_in(order, sizes):
    ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    return [next(which for which, end in enumerate(ends) if place < end) for place in order]


def test_every_batch_has_the_environments_by_weight():
    sizes = (50, 30)
    order = drawn(sizes, "ab", [weight_of(2, "a"), Weight()], DrawCounts.of(args(), 80, 1), seed=0)
    found = envs_in(order, sizes)
    assert [Counter(found[at : at + 6]) for at in range(0, 60, 6)] == [{0: 4, 1: 2}] * 10


def test_weights_may_be_as_large_as_numbers_are():
    order = drawn((5, 5), "ab", [weight_of(1e308, "a"), weight_of(1e308, "b")], DrawCounts.of(args(), 10, 1), seed=0)
    assert Counter(envs_in(order[:6], (5, 5))) == {0: 3, 1: 3}


@given(
    weights=st.lists(st.floats(0.01, 100), min_size=1, max_size=5), prompts=st.integers(1, 9), seed=st.integers(0, 9)
)
def test_what_does_not_divide_is_carried_over(weights, prompts, seed):
    sizes = [7] * len(weights)
    counts = DrawCounts(30, prompts, 1, 1)
    order = drawn(
        sizes, [str(place) for place in range(len(sizes))], [weight_of(one, "") for one in weights], counts, seed
    )
    found = envs_in(order, sizes)
    assert len(found) == 30 * prompts
    for count in range(1, len(found) + 1):
        for which, weight in enumerate(weights):
            assert abs(found[:count].count(which) - count * weight / sum(weights)) < len(weights)


def test_each_row_of_an_environment_comes_once_before_any_comes_again():
    order = drawn((5, 100), "ab", [Weight(), Weight()], DrawCounts(10, 6, 1, 1), seed=3)
    small = [place for place in order if place < 5]
    rounds = [small[at : at + 5] for at in range(0, 30, 5)]
    assert all(sorted(one) == [0, 1, 2, 3, 4] for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1


def test_a_longer_training_begins_with_the_same_rows_and_another_seed_with_others():
    short, long = (drawn((9, 9), "ab", [Weight(), Weight()], DrawCounts(many, 4, 1, 1), seed=1) for many in (5, 50))
    assert long[: len(short)] == short
    assert drawn((9, 9), "ab", [Weight(), Weight()], DrawCounts(5, 4, 1, 1), seed=2) != short


def test_the_order_of_an_environment_does_not_depend_on_the_others():
    alone = drawn((9,), "a", [Weight()], DrawCounts(3, 3, 1, 1), seed=1)
    beside = drawn((9, 4), "ab", [Weight(), Weight()], DrawCounts(6, 3, 1, 1), seed=1)
    assert [place for place in beside if place < 9] == alone


def test_without_a_seed_rows_come_as_they_are():
    assert drawn((3, 3), "ab", [Weight(), Weight()], DrawCounts(4, 2, 1, 1), seed=None) == [0, 3, 1, 4, 2, 5, 0, 3]


def test_weights_by_step_count_optimizer_steps():
    counts = DrawCounts.of(args(per_device_train_batch_size=12, max_steps=8), 20, 1)
    assert (counts.generations, counts.prompts, counts.steps) == (4, 6, 8)
    order = drawn((9, 9), "ab", [weight_of("1@0,0@4", "a"), weight_of("0@0,1@4", "b")], counts, seed=0)
    assert envs_in(order, (9, 9)) == [0] * 12 + [1] * 12


def test_epochs_count_the_rows_of_all_environments():
    counts = DrawCounts.of(args(max_steps=-1), 60, 1)
    assert (counts.generations, counts.steps) == (20, 20)
    assert DrawCounts.of(args(max_steps=-1, num_train_epochs=0.01), 60, 1).generations == 1


@pytest.mark.parametrize(("rows", "steps"), [(10, 7), (15, 11)])
def test_epochs_go_on_in_the_batch_in_which_one_ends_on_any_number_of_processes(rows, steps):
    by_epochs = {"generation_batch_size": 32, "num_generations": 8, "max_steps": -1, "num_train_epochs": 3}
    for processes in (1, 4):
        given = args(**by_epochs, per_device_train_batch_size=32 // processes)
        assert steps_of(given, rows, processes) == steps
