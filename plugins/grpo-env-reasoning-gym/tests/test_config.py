"""Size, seed, levels and a dataset's own parameters; what is wrong with them is told in its terms."""

import pytest

from grpo_env_sdk import load, make
from grpo_env_sdk.errors import ConfigError


def questions(name, **config):
    return [row["prompt"][0]["content"] for row in make(name, **config).build_dataset(None)]


def refused(**config):
    with pytest.raises(ConfigError) as caught:
        make("rg/chain_sum-v1", **config)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_rows_of_seed_0_are_those_of_reasoning_gym():
    import reasoning_gym

    theirs = reasoning_gym.create_dataset("chain_sum", seed=0, size=20)
    ours = make("rg/chain_sum-v1", size=20).build_dataset(None)
    assert [row["answer"] for row in ours] == [item["answer"] for item in theirs]


def test_neighbouring_seeds_share_no_question_as_they_do_in_reasoning_gym():
    first, second = (set(questions("rg/chain_sum-v1", size=50, seed=seed, min_digits=4)) for seed in (0, 1))
    assert not first & second


def test_a_parameter_of_the_dataset_is_given_by_its_own_name():
    rows = make("rg/chain_sum-v1", size=20, min_terms=3, max_terms=3).build_dataset(None)
    assert all(row["prompt"][0]["content"].count(" + ") + row["prompt"][0]["content"].count(" - ") == 2 for row in rows)


def test_json_becomes_what_the_dataset_wants():
    row = make("rg/word_sorting-v1", size=1, transformation="uppercase").build_dataset(None)[0]
    assert row["answer"].isupper()
    assert make("rg/time_intervals-v1", size=1, min_date="2020-01-01").items.dataset.config.min_date.year == 2020
    assert make("rg/countdown-v1", size=1, operators=["+", "-"]).items.dataset.config.operators == ("+", "-")


def test_a_level_makes_the_task_harder_and_an_own_parameter_wins_over_it():
    def shape(**config):
        made = make("rg/chain_sum-v1", size=1, **config).items.dataset.config
        return made.max_terms, made.max_digits

    assert shape(level=0) < shape(level=3)
    assert shape(levels={"num_digits": 3})[0] == shape(level=0)[0]
    assert shape(levels={"num_digits": 3})[1] > shape(level=0)[1]
    assert shape(level=3, max_terms=20) == (20, shape(level=3)[1])


def test_an_unknown_parameter_is_answered_with_the_nearest_of_the_datasets_own():
    assert "takes no config 'min_term'. Did you mean 'min_terms'? It takes: size" in refused(min_term=3)


def test_a_parameter_of_the_wrong_type_is_refused_before_anything_is_built():
    assert "config 'min_terms' is \"three\": 'three' is not of type 'integer'" in refused(min_terms="three")


def test_what_the_dataset_itself_refuses_is_told_in_its_words():
    assert "chain_sum of reasoning-gym does not take this config: max_terms must be >= min_terms" in refused(
        min_terms=9
    )


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"size": 0}, "size is 0. Give a whole number from 1 to 100000."),
        ({"seed": -1}, "seed is -1. Give a whole number from 0 to 42948."),
        ({"level": 99}, "level is 99. Give a level from 0 to 10."),
        ({"levels": {"num_term": 1}}, "The curriculum of chain_sum has no 'num_term'. Did you mean 'num_terms'?"),
        ({"levels": {"num_terms": 11}}, "levels['num_terms'] is 11. Give a level from 0 to 10."),
        ({"levels": {"num_terms": "high"}}, "'high' is not of type 'integer'"),
        ({"answer_in": "tag"}, "'tag' is not one of ['tags', 'last_line', 'whole']"),
    ],
)
def test_what_is_out_of_range_is_told_with_the_range(config, told):
    assert told in refused(**config)


def test_a_dataset_without_a_curriculum_says_so():
    with pytest.raises(ConfigError, match="acre of reasoning-gym has no curriculum"):
        make("rg/acre-v1", level=1)


def test_repeats_are_left_out_and_told_where_they_are_many():
    with pytest.warns(match=r"coin_flip: \d+ of 100 items repeat a question"):
        rows = load("rg/coin_flip-v1", {"size": 100, "min_trials": 3, "max_trials": 3}).rows()
    assert len({row["prompt"][0]["content"] for row in rows}) == len(rows) < 100
    few = load("rg/chain_sum-v1", {"level": 2}).rows()
    assert 180 < len(few) < 200


def test_a_dataset_that_is_slow_to_make_has_fewer_rows_unless_more_are_asked_for():
    assert len(make("rg/knight_swap-v1").items) == 40
    assert len(make("rg/knight_swap-v1", size=41).items) == 41
