import json

import pytest
from grpo_env_sdk.envs.loading import make
from grpo_env_sdk.errors import ConfigError, EnvironmentFailedError

from grpo_env_wordle import WordleEnv
from grpo_env_wordle.rows import DIFFICULTIES
from grpo_env_wordle.solver import guesses_needed
from grpo_env_wordle.words import words_of


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_rows_are_the_same_each_time_and_no_game_is_in_both_splits(difficulty):
    train, test = (
        [json.dumps(row) for row in WordleEnv(difficulty=difficulty).build_dataset(None, split)]
        for split in ("train", "test")
    )
    assert len(set(train + test)) == len(train) + len(test)
    assert len(train) == (len(train) + len(test)) * 4 // 5
    assert test == [json.dumps(row) for row in WordleEnv(difficulty=difficulty).build_dataset(None, "test")]


def test_an_easy_row_names_ten_words_and_one_of_them_is_hidden(rows_of):
    for row in rows_of("easy"):
        assert len(set(row["choices"])) == 10
        assert row["secret"] in row["choices"]
        assert ", ".join(row["choices"]).upper() in row["prompt"][0]["content"]


def test_only_words_that_the_solver_finds_in_time_are_hidden():
    env = WordleEnv(letters=3, difficulty="normal", max_guesses=4)
    hidden = {row["secret"] for split in ("train", "test") for row in env.build_dataset(None, split)}
    assert hidden == {word for word, guesses in guesses_needed(words_of(3)).items() if guesses <= 4}
    assert 0 < len(hidden) < len(words_of(3))


def test_few_words_make_a_small_game():
    env = WordleEnv(letters=3, words=20)
    assert {word for row in env.build_dataset(None) for word in row["choices"]} == set(env.words)
    assert "8 guesses" in WordleEnv(max_guesses=8).build_dataset(None)[0]["prompt"][0]["content"]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"letters": 7}, "letters.* 7"),
        ({"difficulty": "brutal"}, "difficulty.*'brutal'"),
        ({"max_guesses": 1}, "max_guesses is 1; make it 2 or more"),
        ({"words": 5}, "words is 5; there are 20 to 755 of 5 letters"),
        ({"words": 9999, "letters": 3}, "words is 9999; there are 20 to 358 of 3 letters"),
        ({"word": 30}, "takes no config 'word'. Did you mean 'words'"),
    ],
)
def test_config_that_makes_no_game_is_refused_in_words(config, told):
    with pytest.raises((ConfigError, EnvironmentFailedError), match=told):
        make("wordle-v1", **config)


@pytest.mark.parametrize(("argument", "value"), [("letters", 2), ("difficulty", "")])
def test_the_class_itself_refuses_it_too(argument, value):
    with pytest.raises(ValueError, match=f"{argument} is {value!r}; it can be "):
        WordleEnv(**{argument: value})
