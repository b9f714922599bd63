"""`WordleEnv`: the turns, the step rewards and the gold solution of `wordle-v1`."""

from typing import Any

from grpo_env_sdk import Message, MultiTurnEnv, answer_text

from grpo_env_wordle.board import Board
from grpo_env_wordle.rows import DIFFICULTIES, Difficulty, Split, make_rows
from grpo_env_wordle.solver import Play, play
from grpo_env_wordle.wording import in_words, what_remains
from grpo_env_wordle.words import LETTERS, Letters, some_words

FOR_WHAT_IS_KNOWN, FOR_FINDING_IT = 0.4, 0.6
MAX_GUESSES: dict[Difficulty, int] = {"easy": 4, "normal": 6, "hard": 6}


class WordleEnv(MultiTurnEnv):
    """The model guesses a hidden word, and gets a mark for each letter: here, elsewhere, or not in the word.

    Args:
        letters: How long the words are, from 3 to 6.
        difficulty: `easy` names ten words in the prompt and hides one of them; `normal` names none; `hard`
            also refuses guesses that cannot be right after the marks so far.
        max_guesses: How many messages the model may write; None is 4 for `easy` and 6 for the others.
        words: How many words can be hidden; None is all of that length.
        seed: Which words these are, and which games are held out.
    """

    reward_range = (0.0, 1.0)

    def __init__(
        self,
        letters: Letters = 5,
        difficulty: Difficulty = "easy",
        max_guesses: int | None = None,
        words: int | None = None,
        seed: int = 0,
    ) -> None:
        if letters not in LETTERS:
            raise ValueError(f"letters is {letters!r}; it can be {', '.join(map(str, LETTERS))}.")
        if difficulty not in DIFFICULTIES:
            raise ValueError(f"difficulty is {difficulty!r}; it can be {', '.join(DIFFICULTIES)}.")
        if max_guesses is not None and max_guesses < 2:
            raise ValueError(f"max_guesses is {max_guesses!r}; make it 2 or more.")
        self.words = some_words(letters, words, seed)
        self.difficulty: Difficulty = difficulty
        self.max_turns = MAX_GUESSES[difficulty] if max_guesses is None else max_guesses
        self.seed = seed

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """One game per row."""
        return make_rows(self.words, self.difficulty, self.max_turns, split, self.seed)

    def setup(self, row: dict[str, Any]) -> None:
        """Create an empty board."""
        words = frozenset(row["choices"] or self.words)
        self.board = Board(row["secret"], words, must_fit=self.difficulty == "hard")
        self.refused = 0

    def step(self, action: Message) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Answer a guess; new knowledge about the word is rewarded, and so is finding it."""
        said = answer_text([action]).lower()
        known = self.board.known
        told = self.board.problem(said)
        self.refused += bool(told)
        if not told:
            told = in_words(said, self.board.guess(said))
        won = said == self.row["secret"]
        reward = FOR_WHAT_IS_KNOWN * (self.board.known - known)
        if won:
            reward += FOR_FINDING_IT * min(1.0, self.row["par"] / self.turns)
            told += " You found it."
        else:
            told += " " + what_remains(self.max_turns - self.turns, self.row["secret"])
        metrics = {"found": float(won), "guesses": float(self.turns), "refused": float(self.refused)}
        return told, reward, won, False, {"metrics": metrics}

    def solve(self, row: dict[str, Any]) -> Play:
        """The gold solution, which knows the list of words and finds the hidden one with its guesses."""
        return play(row["choices"] or self.words)
