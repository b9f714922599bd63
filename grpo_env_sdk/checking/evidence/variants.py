"""Gold with another last text: which variants still score as much as gold, grouped by what was changed."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    golds,
    less_than_gold,
    play_answers,
    said_last,
    was_scored,
)
from grpo_env_sdk.checking.evidence.quoted_answers import both_quoted
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode

FEWEST_ROWS = 4
"""With fewer rows, nothing is said about a variant."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One gold answer with another last text, and what was changed in it."""

    name: str
    gold: Gold
    text: str


@dataclass
class Outcome:
    """The episodes of one kind of variant, and those that score as much as gold."""

    name: str
    episodes: list[Episode] = field(default_factory=list)
    won: list[Episode] = field(default_factory=list)

    @property
    def share(self) -> Share:
        """The share of rows on which it scores as much as gold."""
        return Share(len(self.won), len(self.episodes))

    def proven(self, least: float) -> bool:
        """Whether at least this share of the rows is proven to be won, on enough rows to say so."""
        return len(self.episodes) >= FEWEST_ROWS and self._low >= least

    @property
    def _low(self) -> float:
        on_all = len(self.won) == len(self.episodes)
        return 1.0 if on_all else self.share.low


def played(subject: Subject, variants: Iterable[Variant]) -> dict[str, Outcome]:
    """The outcome of each kind of variant, as far as the time allows."""
    tried = list(variants)
    found: dict[str, Outcome] = {}
    answers: list[tuple[int, Completion]] = [(one.gold.row, [*one.gold.turns[:-1], one.text]) for one in tried]
    for one, episode in zip(tried, play_answers(subject, answers), strict=False):
        if not was_scored(episode):
            continue
        outcome = found.setdefault(one.name, Outcome(one.name))
        outcome.episodes.append(episode)
        if as_good_as_gold(subject, episode):
            outcome.won.append(episode)
    return found


def golds_with_text(subject: Subject, most: int) -> list[Gold]:
    """Gold answers that end with a text whose content counts: the same turns with another text score less."""
    known = [gold for gold in golds(subject).values() if gold.text and not gold.turns[-1].get("tool_calls")][:most]
    other = played(subject, [Variant("other", gold, "lorem ipsum") for gold in known])
    paid = {episode.row_index for outcome in other.values() for episode in outcome.won}
    return [gold for gold in known if gold.row not in paid]


def still_earns(subject: Subject, outcome: Outcome, how: str, hint: str, severity: Severity) -> Finding:
    """The finding that gold which is changed in this way scores as much as gold."""
    episode = outcome.won[0]
    answer, gold = said_last(episode.completion), golds(subject)[episode.row_index]
    said, wanted = both_quoted(answer, gold.text)
    return Finding(
        f"The gold answer {how} still earns full reward on {outcome.share}, e.g. {said} for {wanted}.",
        hint, row=episode.row_index, input=answer, output=episode.reward,
        expected=less_than_gold(subject, episode), severity=severity,
    )  # fmt: skip
