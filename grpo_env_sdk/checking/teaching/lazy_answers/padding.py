"""Whether words that say nothing raise the reward of a right answer, or of a wrong one."""

import re
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.reply_growth import is_quick
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    as_good_as_gold,
    golds,
    play_answers,
    reward_of,
    rows_tried,
)
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 5, "default": 8, "thorough": 30}
MORE, MUCH_MORE, FEWEST_ROWS = 0.1, 0.4, 4
"""How much of gold's reward has to be added for a warning, and for an error."""
CLEARLY_MORE, LENGTHS = 0.2, (0, 60, 160, 320)
"""The gain of a wrong answer that is an error, and how many words are added to it."""
_AROUND: dict[str, Callable[[str, str], str]] = {
    "before": lambda text, words: f"{words}\n{text}",
    "behind": lambda text, words: f"{text}\n{words}",
}
_MORE_ASKED = regex(
    r"\bat least\b|\b(?:words?|paragraphs?|pages?|characters|sentences) (?:long|or more|minimum)|\bminimum\b|"
    r"\bin detail\b|\bdetailed\b|\blong(?:er)?\b|\bthorough\w*|\bessay\b|\bas many\b|"
    r"(?<!up to )(?<!at most )(?<!than )(?<!under )(?<!within )(?<!over )\b\d+ (?:words|sentences|paragraphs)\b",
    re.IGNORECASE,
)
_LENGTH_ASKED = regex(rf"{_MORE_ASKED.pattern}|\b\d+ (?:words|sentences|paragraphs)\b", re.IGNORECASE)
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


@check("G551", needs=("gold",), kinds=("single-turn",), severity="warning", plays=40)
def words_that_say_nothing_do_not_pay(subject: Subject) -> Iterator[Finding]:
    """A right answer scores no more with words around it that say nothing."""
    known = [
        gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort])
        if not _LENGTH_ASKED.search(prompt_text(subject, gold.row))
    ]  # fmt: skip
    padded = [Variant(name, gold, pad(gold.text)) for gold in known for name, pad in _PADS.items()]
    variants = [one for one in padded if is_quick(subject, one.text)]
    paying = [one for one in played(subject, variants).values() if _gain(subject, one) >= MORE]
    if not paying:
        return
    best = max(paying, key=lambda outcome: _gain(subject, outcome))
    episode = max(best.episodes, key=lambda one: reward_of(one) - _gold(subject, one.row_index).reward)
    gold, gain = _gold(subject, episode.row_index), _gain(subject, best)
    yield Finding(
        f"The gold answer {best.name} scores {episode.reward:g}, and without them {gold.reward:g}, "
        f"on {len(best.episodes)} rows: {quoted(answer_text(episode.completion))}.",
        "Pay for what is right: length, steps and words of reasoning are what a model fills first.",
        row=episode.row_index, input=answer_text(episode.completion), output=episode.reward, expected=gold.reward,
        severity="error" if gain >= MUCH_MORE else "warning",
    )  # fmt: skip


@check("G593", kinds=("single-turn",), severity="warning", plays=40)
def length_makes_nothing_wrong_better(subject: Subject) -> Iterator[Finding]:
    """A wrong answer scores no more, the more words that say nothing are around it."""
    rows = [
        row for row in rows_tried(subject)[: MOST_ROWS[subject.effort]]
        if not _MORE_ASKED.search(prompt_text(subject, row))
    ]  # fmt: skip
    wrong = _wrong_answers(subject, rows)
    for where, pad in _AROUND.items():
        grown = [found for row, text in wrong.items() if (found := _growing(subject, row, text, pad))]
        gain = _least_gain(subject, grown, len(wrong))
        if gain >= MORE:
            yield _grows(grown, where, "error" if gain >= CLEARLY_MORE else "warning")
            return


def _wrong_answers(subject: Subject, rows: Sequence[int]) -> dict[int, str]:
    """The gold of another row for each row, or words that are no answer where no gold is known."""
    known = [gold for gold in golds(subject).values() if gold.text]
    if not known:
        return dict.fromkeys(rows, "lorem ipsum")
    found = {}
    for row in rows:
        own = _gold(subject, row).text if row in golds(subject) else ""
        found[row] = next((gold.text for gold in known if gold.row != row and gold.text != own), "")
    return {row: text for row, text in found.items() if text}


def _growing(subject: Subject, row: int, text: str, pad: Callable[[str, str], str]) -> list[Episode]:
    """The episodes of a wrong answer with more and more words, if each scores more; empty otherwise."""
    found: list[Episode] = []
    for count in LENGTHS:
        padded = pad(text, " ".join(["well"] * count)) if count else text
        episodes = play_answers(subject, [(row, padded)]) if is_quick(subject, padded) else []
        if not episodes or episodes[0].reward is None or as_good_as_gold(subject, episodes[0]):
            return []
        if found and episodes[0].reward <= reward_of(found[-1]) + NEARLY:
            return []
        found += episodes
    return found


def _least_gain(subject: Subject, grown: Sequence[Sequence[Episode]], rows: int) -> float:
    """What most rows gain at least by words, as a share of the range of rewards."""
    low, high = subject.traits.reward_range
    if rows < FEWEST_ROWS or len(grown) < MOSTLY * rows or not 0 < high - low < float("inf"):
        return 0.0
    return min(reward_of(found[-1]) - reward_of(found[0]) for found in grown) / (high - low)


def _grows(grown: Sequence[Sequence[Episode]], where: str, severity: Severity) -> Finding:
    found = max(grown, key=lambda one: reward_of(one[-1]) - reward_of(one[0]))
    rewards = [f"{episode.reward:.3g}" for episode in found]
    return Finding(
        f"The more words that say nothing are {where} a wrong answer, the more it scores: {rewards[0]} without them, "
        + ", ".join(f"{reward} with {count}" for count, reward in zip(LENGTHS[1:], rewards[1:], strict=True))
        + f", on {len(grown)} rows.",
        "Let length, steps and effort take away from what a right answer earns, and never from a penalty.",
        row=found[0].row_index, input=answer_text(found[-1].completion), output=found[-1].reward,
        expected=f"at most {found[0].reward:g}", severity=severity,
    )  # fmt: skip


def _gold(subject: Subject, row: int) -> Gold:
    return golds(subject)[row]


def _gain(subject: Subject, outcome: Outcome) -> float:
    """The least that most rows gain by a pad, as a share of the range of rewards."""
    gains = sorted(reward_of(one) - _gold(subject, one.row_index).reward for one in outcome.episodes)
    low, high = subject.traits.reward_range
    if len(gains) < FEWEST_ROWS or not 0 < high - low < float("inf"):
        return 0.0
    return gains[int((1 - MOSTLY) * len(gains))] / (high - low)
