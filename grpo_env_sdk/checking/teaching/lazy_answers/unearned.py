"""What an answer without content earns, as a share of what gold earns."""

import math
import re
from collections.abc import Iterable, Sequence

from grpo_env_sdk.checking.evidence.golds import NEARLY, gold_episodes, golds, reward_of, reward_to_match
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Mean, mean_of
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Episode

WITHOUT_CONTENT = (0.4, 0.7)
"""The share of gold from which an answer without content is a warning, and from which it is an error."""
WITH_CONTENT = (2 / 3, 0.9)
"""The same for lists and answers of other rows, which partial credit may pay in part."""
FOR_FORM = (2 / 3, 0.7)
"""The same for one wrong answer that is a sentence, or that earns the same on every row."""
ON_EVERY_ROW = 0.5
"""What one wrong answer earns on every single row is paid for nothing: from this share on it is a warning."""
OUTWEIGHED = 0.6
"""The share of gold from which an answer without content is an error if some reward is not earned by it at all."""
_ANNOUNCED = regex(
    r"%|\b(?:points?|scor(?:e|es|ed|ing)|rewards?|worth|weigh\w*|half|per ?cent|bonus\w*|credit|graded?|marks)\b",
    re.IGNORECASE,
)
"""What prompts say that tell what is paid for: then an empty answer may be paid for by design."""


def share_of_gold(subject: Subject, episodes: Iterable[Episode]) -> tuple[Mean, int]:
    """The mean share of gold's reward that episodes earn, and on how many rows; only a declared floor is subtracted."""
    shares = _shares_of_gold(subject, episodes)
    return mean_of(shares, (0.0, 1.0), exact=True), len(shares)


def _shares_of_gold(subject: Subject, episodes: Iterable[Episode]) -> dict[int, list[float]]:
    floor = max(0.0, subject.traits.reward_range[0])
    shares = {}
    for episode in episodes:
        gold = reward_to_match(subject, episode.row_index)
        if episode.reward is not None and floor + NEARLY < gold < math.inf:
            shares[episode.row_index] = [min(1.0, (episode.reward - floor) / (gold - floor))]
    return shares


def least_share_of_gold(subject: Subject, episodes: Iterable[Episode]) -> float:
    """The share of gold's reward that episodes earn at least, on any row; 0 where that is known of none."""
    return min((share for (share,) in _shares_of_gold(subject, episodes).values()), default=0.0)


def without_won(episodes: Iterable[Episode], won: Iterable[Episode]) -> list[Episode]:
    """The episodes of one answer without those of rows on which it is as good as gold."""
    rows = {episode.row_index for episode in won}
    return [episode for episode in episodes if episode.row_index not in rows]


def unearned(
    subject: Subject,
    name: str,
    answer: Completion,
    episodes: Sequence[Episode],
    bounds: tuple[float, float] = WITHOUT_CONTENT,
    where: str = "rows",
) -> Finding | None:
    """The finding that a fixed answer earns much of gold; `where` says which rows these episodes are of."""
    share, rows = share_of_gold(subject, episodes)
    much, most = bounds
    if bounds == WITHOUT_CONTENT and _unpaid(subject, episodes):
        told = all(_ANNOUNCED.search(prompt_text(subject, one.row_index)) for one in episodes)
        most = OUTWEIGHED if told or str(answer).strip() else much
    if share.mean is None or share.low is None or share.low < much - NEARLY:
        return None
    example = next(episode for episode in episodes if episode.reward is not None)
    whole = "what gold earns" if golds(subject) else "the top of reward_range"
    shown = f": {answer_shown(answer)}" if answer else ""
    return Finding(
        f"{name} earns {share.mean:.0%} of {whole} (95% interval {share.low:.0%} to "
        f"{min(1.0, share.high or 1.0):.0%}, {rows} {where}){shown}.{paid_by(subject, example)}",
        "Pay for what is right in the answer first: let parts for form, length or effort count only once it is right, "
        "or weigh them less.",
        row=example.row_index, input=answer, output=reward_with_parts(example),
        expected=f"less than {much * reward_to_match(subject, example.row_index):g}",
        severity="error" if share.low >= most - NEARLY else "warning",
    )  # fmt: skip


def same_on_all(episodes: Sequence[Episode]) -> bool:
    """Whether episodes of several rows have the same reward."""
    return len(episodes) > 1 and len({round(reward_of(episode), 6) for episode in episodes}) == 1


def _unpaid(subject: Subject, episodes: Sequence[Episode]) -> bool:
    """Whether a reward that gold earns on these rows is at its minimum in all these episodes."""
    of_gold = gold_episodes(subject)
    for part in Rubric.of(subject.loaded.env).parts if of_gold else ():
        least = part.range[0] + NEARLY
        values = [episode.rewards.get(part.name) for episode in episodes]
        in_gold = [of_gold[one.row_index].rewards.get(part.name) for one in episodes if one.row_index in of_gold]
        earned = any(value is not None and value > least for value in in_gold)
        if part.weight > 0 and earned and all(value is not None and value <= least for value in values):
            return True
    return False


def paid_by(subject: Subject, episode: Episode) -> str:
    """Which of several rewards an episode earns, and in which of several turns."""
    parts = Rubric.of(subject.loaded.env).parts
    paying = [repr(part.name) for part in parts if part.weight * (episode.rewards.get(part.name) or 0.0) > 0]
    return (f" Rewards that it earns: {joined(paying)}." if paying else "") + paid_act(episode)


def paid_act(episode: Episode) -> str:
    """The turn whose step earned most, in an episode of several turns; empty where no step earned anything."""
    steps = list(zip(own_turns(episode.completion), episode.step_rewards, strict=False))
    turn, (act, earned) = max(enumerate(steps, 1), key=lambda item: item[1][1], default=(0, ({}, 0.0)))
    if len(steps) < 2 or earned <= NEARLY:
        return ""
    return f" Turn {turn} is what was paid ({earned:g}): {answer_shown([act])}."
