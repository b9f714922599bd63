"""Whether a message with two numbers is accepted for the one and paid for the other."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import less_than_gold, play_answers, quoted, was_scored
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, MORE = 8, 4, 0.2
"""On how many rows, on how few it counts, and which share of the range of rewards two numbers earn more than one."""
_PRICES = re.compile(
    r"\b(?:price|pay|offer|sell|buy|bid|deal|salary|rent|fee|cost|wage|euros?|dollars?)\w*\b|[$€£]", re.I
)
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")
_BOTH = ("It is {high}, I say {low}.", "I say {low}, not {high}.")


@check("G592", kinds=("multi-turn",))
def one_number_is_read_everywhere(subject: Subject) -> Iterator[Finding]:
    """A message with a high and a low number earns no more than one with either of them that is accepted."""
    rows = {row: limit for row in subject.sample(MOST_ROWS) if (limit := _limit(prompt_text(subject, row)))}
    if len(rows) < FEWEST_ROWS:
        return
    low, high = subject.traits.reward_range
    for form in _BOTH:
        found = []
        for row, limit in rows.items():
            texts = [str(limit), "1", form.format(low=1, high=limit)]
            played = play_answers(subject, [(row, [text, "Hello."]) for text in texts])
            if len(played) == len(texts) and all(map(was_scored, played)):
                *alone, both = played
                accepted = _is_over(both) and any(map(_is_over, alone))
                if accepted and (both.reward or 0.0) > max(one.reward or 0.0 for one in alone) + MORE * (high - low):
                    found.append((texts, alone, both))
        if len(found) >= max(FEWEST_ROWS, 0.7 * len(rows)):
            texts, alone, both = found[0]
            yield Finding(
                f"A message with two numbers is accepted for one and paid for the other, on {len(found)} of "
                f"{len(rows)} rows: {quoted(texts[2])} earns {both.reward:g}, {quoted(texts[0])} alone "
                f"{alone[0].reward:g} and {quoted(texts[1])} alone {alone[1].reward:g}.",
                "Read the number once, and accept and pay the same one; ask again where a message has several.",
                both.row_index, texts[2], both.reward, less_than_gold(subject, both),
            )  # fmt: skip
            return


def _limit(prompt: str) -> int:
    """The highest number of a prompt that speaks of prices; 0 for others."""
    numbers = [int(one) for one in _NUMBER.findall(prompt)]
    return max(numbers) if numbers and _PRICES.search(prompt) and max(numbers) > 1 else 0


def _is_over(episode: Episode) -> bool:
    """Whether the first message ended the episode."""
    return [one["role"] for one in episode.completion].count("assistant") == 1
