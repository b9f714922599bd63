"""The rows of the dataset: words that the solver finds in time; no game is in both splits."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Literal, get_args

from grpo_env_wordle.solver import guesses_needed
from grpo_env_wordle.wording import rules

Split = Literal["train", "test"]
Difficulty = Literal["easy", "normal", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)

EASY_GAMES, EASY_CHOICES = 1250, 10


@dataclass(frozen=True, slots=True)
class Game:
    """A word to find, the words that the prompt names, if any, and how many guesses the solver needs."""

    secret: str
    choices: tuple[str, ...]
    par: int


def make_rows(
    words: tuple[str, ...], difficulty: Difficulty, guesses: int, split: Split, seed: int
) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process: four fifths of the games, or the rest, held out."""
    games = _all_games(words, difficulty, guesses, seed)
    cut = len(games) * 4 // 5
    return [_row(game, difficulty, guesses) for game in (games[:cut] if split == "train" else games[cut:])]


@lru_cache(maxsize=8)
def _all_games(words: tuple[str, ...], difficulty: Difficulty, guesses: int, seed: int) -> tuple[Game, ...]:
    """The games of both splits in random order; kept, as solving them takes most of the time."""
    rng = Random(f"{seed}/{difficulty}")
    games = list(_games_with_choices(rng, words, guesses) if difficulty == "easy" else _games(words, guesses))
    rng.shuffle(games)
    return tuple(games)


def _row(game: Game, difficulty: Difficulty, guesses: int) -> dict[str, Any]:
    told = rules(len(game.secret), guesses, game.choices, difficulty == "hard")
    return {
        "prompt": [{"role": "user", "content": told}],
        "secret": game.secret,
        "choices": list(game.choices),
        "par": game.par,
    }


def _games(words: tuple[str, ...], guesses: int) -> Iterator[Game]:
    """A game for each word that the solver finds in time."""
    for secret, par in guesses_needed(words).items():
        if par <= guesses:
            yield Game(secret, (), par)


def _games_with_choices(rng: Random, words: tuple[str, ...], guesses: int) -> Iterator[Game]:
    """Games with a few words each, no two with the same words."""
    drawn: set[frozenset[str]] = set()
    while len(drawn) < EASY_GAMES:
        choices = tuple(rng.sample(words, EASY_CHOICES))
        if frozenset(choices) in drawn:
            continue
        drawn.add(frozenset(choices))
        pars = guesses_needed(choices)
        secret = rng.choice([word for word in choices if pars[word] <= guesses])
        yield Game(secret, choices, pars[secret])
