"""Whether words that say nothing raise the reward of a right answer."""

import re
from collections.abc import Callable, Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text

MOST_ROWS = {"quick": 5, "default": 8, "thorough": 30}
MORE, MUCH_MORE, FEWEST_ROWS = 0.1, 0.4, 4
"""How much of gold's reward has to be added for a warning, and for an error."""
_LENGTH_ASKED = re.compile(
    r"\bat least\b|\b(?:words?|paragraphs?|pages?|characters|sentences) (?:long|or more|minimum)|\bminimum\b|"
    r"\bin detail\b|\bdetailed\b|\blong(?:er)?\b|\bthorough\w*|\bessay\b|\bas many\b|"
    r"\b\d+ (?:words|sentences|paragraphs)\b",
    re.IGNORECASE,
)
"""What a prompt says where length is a part of the task."""
_FILLER = " ".join(["well", "so", "and", "then"] * 60)
_STEPS = "\n".join(
    f"Step {number}: Because of this, therefore it follows, however, finally." for number in range(1, 13)
)
_PADS: dict[str, Callable[[str], str]] = {
    "behind 240 words that say nothing": lambda text: f"{_FILLER}\n{text}",
    "before 240 words that say nothing": lambda text: f"{text}\n{_FILLER}",
    "behind twelve empty steps": lambda text: f"{_STEPS}\n{text}",
    "in thoughts of 240 words": lambda text: f"<think>\n{_FILLER}\n</think>\n{text}",
}


@check("G551", needs=("gold",), kinds=("single-turn",), severity="warning")
def words_that_say_nothing_do_not_pay(subject: Subject) -> Iterator[Finding]:
    """A right answer scores no more with words around it that say nothing."""
    known = [
        gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort])
        if not _LENGTH_ASKED.search(prompt_text(subject, gold.row))
    ]  # fmt: skip
    variants = [Variant(name, gold, pad(gold.text)) for gold in known for name, pad in _PADS.items()]
    paying = [one for one in played(subject, variants).values() if _gain(subject, one) >= MORE]
    if not paying:
        return
    best = max(paying, key=lambda outcome: _gain(subject, outcome))
    episode = max(best.episodes, key=lambda one: (one.reward or 0.0) - _gold(subject, one.row_index).reward)
    gold, gain = _gold(subject, episode.row_index), _gain(subject, best)
    yield Finding(
        f"The gold answer {best.name} scores {episode.reward:g}, and without them {gold.reward:g}, "
        f"on {len(best.episodes)} rows: {quoted(answer_text(episode.completion))}.",
        "Pay for what is right: length, steps and words of reasoning are what a model fills first.",
        row=episode.row_index, input=answer_text(episode.completion), output=episode.reward, expected=gold.reward,
        severity="error" if gain >= MUCH_MORE else "warning",
    )  # fmt: skip


def _gold(subject: Subject, row: int) -> Gold:
    return golds(subject)[row]


def _gain(subject: Subject, outcome: Outcome) -> float:
    """The least that most rows gain by a pad, as a share of the range of rewards."""
    gains = sorted((one.reward or 0.0) - _gold(subject, one.row_index).reward for one in outcome.episodes)
    low, high = subject.traits.reward_range
    if len(gains) < FEWEST_ROWS or not 0 < high - low < float("inf"):
        return 0.0
    return gains[int((1 - MOSTLY) * len(gains))] / (high - low)
