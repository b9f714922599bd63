"""What guesses were worth on some rows, and which of them are to be followed up."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, bare, golds, says_gold, tried
from grpo_env_sdk.checking.evidence.guesses import Guess, form_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode


@dataclass
class Result:
    """A guess and what it was worth on the rows of one half."""

    guess: Guess
    episodes: list[Episode] = field(default_factory=list)
    won: list[Episode] = field(default_factory=list)
    undeserved: list[Episode] = field(default_factory=list)
    """Episodes won although the row's gold is another answer."""

    @property
    def mean(self) -> float:
        """Its mean reward."""
        rewards = [episode.reward for episode in self.episodes if episode.reward is not None]
        return sum(rewards) / len(rewards) if rewards else float("-inf")

    @property
    def share(self) -> Share:
        """On how many rows it is as good as gold."""
        return Share(len(self.won), len(self.episodes))

    @property
    def rank(self) -> tuple[float, float]:
        """What is sorted by: rows won, then reward."""
        return (self.share.mean, self.mean)


def ranked(found: Iterable[Result]) -> list[Result]:
    """The best first."""
    return sorted(found, key=lambda result: result.rank, reverse=True)


def results(subject: Subject, guesses: Sequence[Guess], rows: Sequence[int], until: float = 0.0) -> list[Result]:
    """What each guess is worth on the rows, every guess on equally many, until so much time is left."""
    found = [Result(guess) for guess in guesses]
    known = golds(subject)
    form = form_of([gold.text for gold in known.values()])
    one_answer = len({bare(gold.text) for gold in known.values()}) == 1  # then to say it always is right
    for row in rows:
        episodes = tried(subject, [(row, guess.said) for guess in guesses])
        for result, episode in zip(found, episodes, strict=False):
            if episode.reward is None:
                continue
            result.episodes.append(episode)
            if as_good_as_gold(subject, episode):
                result.won.append(episode)
                if not one_answer and not _deserved(result.guess, known.get(row), form):
                    result.undeserved.append(episode)
        if subject.time_left <= until:
            break
    return found


def _deserved(guess: Guess, gold: Gold | None, form: tuple[str, str]) -> bool:
    """Whether a guess is what the row asks for; one that commits itself may be, where no gold tells."""
    if gold is None:
        return guess.single
    if not guess.single or not isinstance(guess.said, str):
        return says_gold(guess.said, gold)
    return _last_word(guess.said, form) == _last_word(gold.text, form)


def _last_word(text: str, form: tuple[str, str]) -> str:
    """What an answer ends on, without the form that all answers have."""
    words = re.findall(r"[-\w.]*\w", text.strip().removeprefix(form[0]).removesuffix(form[1]))
    return words[-1].casefold() if words else ""


def varied(ranked: Sequence[Result], count: int) -> list[Result]:
    """The best of all, and the best that commits itself and the best that does not in any case."""
    single = next((result for result in ranked if result.guess.single), None)
    listing = next((result for result in ranked if not result.guess.single), None)
    chosen = [result for result in (single, listing) if result is not None]
    return (chosen + [result for result in ranked if result not in chosen])[:count]
