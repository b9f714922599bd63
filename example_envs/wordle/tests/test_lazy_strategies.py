"""What can be had without doing the task: every strategy is measured, bounded, and told in the README."""

from pathlib import Path
from random import Random

import pytest

from grpo_env_wordle import WordleEnv
from grpo_env_wordle.marks import marks_of
from grpo_env_wordle.rows import DIFFICULTIES
from grpo_env_wordle.solver import best_guess
from grpo_env_wordle.wording import read_marks

README = Path(__file__).parent.parent / "README.md"


def again_and_again(text):
    while True:
        yield text


def do_nothing(env, row, rng):
    return again_and_again("")


def write_prose(env, row, rng):
    return again_and_again(f"I think that it is {best_guess(env.words)}.")


def name_all_words(env, row, rng):
    return again_and_again(" ".join(env.words))


def one_fixed_word(env, row, rng):
    return again_and_again(best_guess(env.words))


def one_word_of_the_row(env, row, rng):
    return again_and_again(rng.choice(row["choices"] or env.words))


def fixed_words_in_turn(env, row, rng):
    left = env.words
    while True:
        word = best_guess(left)
        yield word
        left = tuple(other for other in left if not set(other) & set(word)) or env.words


def any_words(env, row, rng):
    left = list(row["choices"] or env.words)
    while True:
        yield left.pop(rng.randrange(len(left)))


def any_word_that_fits(env, row, rng):
    left = row["choices"] or env.words
    while True:
        guess = rng.choice(left)
        marks = read_marks((yield guess)[-1]["content"])
        left = [word for word in left if marks_of(guess, word) == marks]


def gold(env, row, rng):
    return env.solve(row)


# What the README calls it, and its most on easy, normal and hard.
BOUNDS = {
    gold: ("the gold solution", 1.0, 1.0, 1.0),
    do_nothing: ("doing nothing", 0.0, 0.0, 0.0),
    write_prose: ("prose around a good guess", 0.0, 0.0, 0.0),
    name_all_words: ("naming all words at once", 0.0, 0.0, 0.0),
    one_fixed_word: ("the best fixed guess, again and again", 0.01, 0.15, 0.15),
    one_word_of_the_row: ("any word that may be guessed, again and again", 0.2, 0.1, 0.1),
    fixed_words_in_turn: ("good fixed guesses in turn", 0.01, 0.2, 0.15),
    any_words: ("any words that may be guessed, in turn", 0.5, 0.25, 0.15),
    any_word_that_fits: ("any word that fits what was told", 0.97, 0.95, 0.95),
}


@pytest.mark.parametrize("strategy", BOUNDS, ids=lambda strategy: strategy.__name__)
def test_a_strategy_scores_what_it_deserves_and_what_the_readme_says(strategy, play, rows_of):
    (told, *bounds), means = BOUNDS[strategy], []
    for difficulty, most in zip(DIFFICULTIES, bounds, strict=True):
        env, rng = WordleEnv(difficulty=difficulty), Random(0)
        scores = [play(env, row, strategy(env, row, rng)) for row in rows_of(difficulty)[:100]]
        means.append(sum(scores) / len(scores))
        assert means[-1] <= most + 1e-9
    shown = " | ".join(f"{mean:.2f}" for mean in means)
    assert f"| {told} | {shown} |" in README.read_text(encoding="utf-8")
