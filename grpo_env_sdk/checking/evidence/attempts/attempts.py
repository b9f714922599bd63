"""The rewards of guesses on some rows, and which guesses to try on more rows."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grpo_env_sdk.checking.evidence.attempts.guesses import CONTENTLESS, JUDGED, Guess, form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, is_one_answer, play_answers, says_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode


@dataclass
class Result:
    """A guess and its episodes on one half of the rows."""

    guess: Guess
    episodes: list[Episode] = field(default_factory=list)
    won: list[Episode] = field(default_factory=list)
    undeserved: list[Episode] = field(default_factory=list)
    """Episodes won although the gold answer of the row is different."""

    @property
    def mean(self) -> float:
        """Its mean reward; an episode that failed counts as the worst of the others."""
        rewards = [episode.reward for episode in self.episodes if episode.reward is not None]
        failed = len(self.episodes) - len(rewards)
        return (sum(rewards) + failed * min(rewards)) / len(self.episodes) if rewards else float("-inf")

    @property
    def share(self) -> Share:
        """The share of rows on which it scores as much as gold."""
        return Share(len(self.won), len(self.episodes))

    @property
    def by_trial(self) -> bool:
        """Whether it won by trial and error: with calls of which some were refused, others from row to row."""
        refused = [tuple(bool(call["error"]) for call in episode.tool_calls) for episode in self.episodes]
        won = [any(call["error"] for call in episode.tool_calls) for episode in self.won]
        return len(set(refused)) > 1 and bool(won) and all(won)

    @property
    def rank(self) -> tuple[float, float]:
        """The sort key: rows won, then reward."""
        return (self.share.mean, self.mean)


def ranked(found: Iterable[Result]) -> list[Result]:
    """The best first."""
    return sorted(found, key=lambda result: result.rank, reverse=True)


def results(subject: Subject, guesses: Sequence[Guess], rows: Sequence[int], until: float = 0.0) -> list[Result]:
    """The rewards of each guess on the rows, the same rows for all, until so much time is left."""
    found = [Result(guess) for guess in guesses]
    known = golds(subject)
    form = form_of([gold.text for gold in known.values()])
    one_answer = is_one_answer(known.values())
    for row in rows:
        episodes = play_answers(subject, [(row, guess.answer) for guess in guesses])
        for result, episode in zip(found, episodes, strict=False):
            if episode.reward is None and not episode.error:
                continue  # it abstains
            result.episodes.append(episode)
            if as_good_as_gold(subject, episode):
                result.won.append(episode)
                if not one_answer and not _deserved(result.guess, known.get(row), form):
                    result.undeserved.append(episode)
        if subject.time_left <= until:
            break
    return found


def _deserved(guess: Guess, gold: Gold | None, form: tuple[str, str]) -> bool:
    """Whether a guess is the right answer of a row; if no gold is known, a single answer may be."""
    if gold is None:
        return guess.single
    if guess.name == JUDGED and str(guess.answer).startswith(f"{gold.text}\n"):
        return True
    if not guess.single or not isinstance(guess.answer, str):
        return says_gold(guess.answer, gold)
    return _last_word(guess.answer, form) == _last_word(gold.text, form)


def _last_word(text: str, form: tuple[str, str]) -> str:
    """The last word of an answer, without the format that all answers share."""
    words = re.findall(r"[-\w.]*\w", without_form(text.strip(), form))
    return words[-1].casefold() if words else ""


def varied(ranked: Sequence[Result], count: int) -> list[Result]:
    """The best guesses, with the best of each kind first: variants of one guess may not crowd out another kind.

    The best single answer, the best that lists several and the best without content are always among them.
    """
    first = [next((one for one in ranked if one.guess.single is single), None) for single in (True, False)]
    first.append(next((one for one in ranked if one.guess.name in CONTENTLESS), None))
    kinds: dict[str, Result] = {}
    for result in ranked:
        kinds.setdefault(result.guess.name, result)
    chosen = {id(one): one for one in [*first, *kinds.values(), *ranked] if one is not None}
    return list(chosen.values())[:count]
