"""The board of one game: the guesses, their marks, and how much of the word is known."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from grpo_env_wordle.marks import Marks, marks_of


@dataclass(slots=True)
class Board:
    """One hidden word and the guesses at it."""

    secret: str
    words: Collection[str]
    must_fit: bool = False
    guesses: dict[str, Marks] = field(default_factory=dict)

    def problem(self, said: str) -> str:
        """Why this is not a valid guess, or an empty text if it is."""
        if not said:
            return "That was no word."
        if len(said.split()) > 1:
            return "Answer with one word and nothing else."
        shown = repr(said[:20].upper())
        if not (said.isascii() and said.isalpha()):
            return f"{shown} is not made of the letters a to z alone."
        if len(said) != len(self.secret):
            return f"{shown} has {len(said)} letters, not {len(self.secret)}."
        if said not in self.words:
            return f"{shown} is not one of the words."
        for guess, marks in self.guesses.items() if self.must_fit else ():
            if marks_of(guess, said) != marks:
                return f"{shown} does not fit what you were told about {guess.upper()!r}."
        return ""

    def guess(self, word: str) -> Marks:
        """The marks of a guess, which is added to the board."""
        self.guesses[word] = marks_of(word, self.secret)
        return self.guesses[word]

    @property
    def known(self) -> float:
        """The share of the word that is known, from 0 to 1: half for its letters, half for their places."""
        places = {
            place for marks in self.guesses.values() for place, mark in enumerate(marks) if mark == "here"
        }
        letters = Counter(self.secret[place] for place in places)
        for guess, marks in self.guesses.items():
            letters |= Counter(letter for letter, mark in zip(guess, marks, strict=True) if mark != "no")
        return (len(places) + letters.total()) / (2 * len(self.secret))
