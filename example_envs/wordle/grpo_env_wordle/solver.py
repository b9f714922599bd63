"""A player that knows only the list of words and the marks."""

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from functools import lru_cache
from typing import Any

from grpo_env_wordle.marks import Marks, marks_of
from grpo_env_wordle.wording import read_marks

Play = Generator[str, list[dict[str, Any]], None]


def play(words: Iterable[str]) -> Play:
    """Guesses until the word is found, each time a word that fits all marks so far."""
    left = tuple(words)
    while True:
        guess = best_guess(left)
        answered = yield guess.upper()
        marks = read_marks(answered[-1]["content"])
        left = tuple(word for word in left if marks_of(guess, word) == marks)


@lru_cache(maxsize=256)
def best_guess(words: tuple[str, ...]) -> str:
    """The word that shares the most letters and places with the others: its marks exclude the most words."""
    letters = Counter(letter for word in words for letter in set(word))
    places = Counter(place for word in words for place in enumerate(word))

    def shared(word: str) -> int:
        return sum(letters[letter] for letter in set(word)) + sum(places[place] for place in enumerate(word))

    return max(words, key=shared)


def guesses_needed(words: tuple[str, ...]) -> dict[str, int]:
    """How many guesses `play` needs for each of the words."""
    guess = best_guess(words)
    answered_alike: dict[Marks, list[str]] = defaultdict(list)
    for word in words:
        if word != guess:
            answered_alike[marks_of(guess, word)].append(word)
    later = [guesses_needed(tuple(left)) for left in answered_alike.values()]
    return {guess: 1} | {word: 1 + more for needed in later for word, more in needed.items()}
