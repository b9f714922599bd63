"""Whether a message with two numbers is accepted for the one and paid for the other."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, less_than_gold, play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, MORE = 8, 4, 0.2
"""On how many rows, on how few it counts, and which share of the range of rewards two numbers earn more than one."""
_PRICES = regex(
    r"\b(?:price|pay|offer|sell|buy|bid|deal|salary|rent|fee|cost|wage|haggl|negotiat|bargain|euros?|dollars?|shillings?|crowns?|coins?)\w*\b|[$€£]",
    re.I,
)
_NUMBER = regex(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")
_RANGE = regex(r"\b(?:between|from) (\d{1,6}) (?:and|to) (\d{1,6})\b")
_BOTH = ("It is {high}, I say {low}.", "I say {low}, not {high}.")


@check("G592", kinds=("multi-turn", "tools"))
def one_number_is_read_everywhere(subject: Subject) -> Iterator[Finding]:
    """A message with a high and a low number earns no more than one with either of them that is accepted."""
    rows = {row: ends for row in subject.sample(MOST_ROWS) if (ends := _ends(prompt_text(subject, row)))}
    if len(rows) < FEWEST_ROWS:
        return
    for one, both in _forms(subject, next(iter(rows))):
        found = [
            tried for row, ends in rows.items() for pair in ends if (tried := _paid(subject, row, pair, one, both))
        ]
        by_row = {tried[-1].row_index: tried for tried in found}
        if len(by_row) >= max(FEWEST_ROWS, 0.7 * len(rows)):
            *alone, both_said = next(iter(by_row.values()))
            texts = [quoted(_said(episode)) for episode in (*alone, both_said)]
            yield Finding(
                f"A message with two numbers is accepted for one and paid for the other, on {len(by_row)} of "
                f"{len(rows)} rows: {texts[2]} earns {both_said.reward:g}, {texts[0]} alone "
                f"{alone[0].reward:g} and {texts[1]} alone {alone[1].reward:g}.",
                "Read the number once, and accept and pay the same one; ask again where a message has several.",
                both_said.row_index, _said(both_said), both_said.reward, less_than_gold(subject, both_said),
            )  # fmt: skip
            return


def _forms(subject: Subject, row: int) -> Iterator[tuple[str, str]]:
    """How a message names one number and two: as gold's first number, if it has one, and in words of its own."""
    yield from (("{0}", both) for both in _BOTH)
    first = golds(subject)[row].turns[0] if row in golds(subject) else {}
    parts = _NUMBER.split(re.sub(r"[{}]", "", str(first.get("content") or "")))
    if len(parts) == 2 and not first.get("tool_calls"):
        before, after = parts
        for names in (("{high}", "{low}"), ("{low}", "{high}")):
            yield f"{before}{{0}}{after}", " ".join(f"{before}{name}{after}" for name in names)
            yield f"{before}{{0}}{after}", f"{before}{names[0]} or {names[1]}{after}"


def _paid(subject: Subject, row: int, pair: tuple[int, int], one: str, both: str) -> tuple[Episode, ...]:
    """The episodes of two numbers, alone and in one message, if this is judged as the one and paid as the other."""
    low, high = pair
    texts = [one.format(high), one.format(low), both.format(low=low, high=high)]
    played = play_answers(subject, [(row, [text, "Hello."]) for text in texts])
    if len(played) < len(texts) or not all(map(was_scored, played)):
        return ()
    *alone, together = played
    first, second = map(_verdict, alone)
    judged = first != second and _verdict(together) in (first, second)
    least, most = subject.traits.reward_range
    gain = reward_of(together) - max(reward_of(episode) for episode in alone)
    return tuple(played) if judged and gain > MORE * (most - least) else ()


def _verdict(episode: Episode) -> tuple[bool, str]:
    """Whether the first message ended the episode, and else what it was answered with, without numbers."""
    return len(own_turns(episode.completion)) == 1, re.sub(r"\d+", "#", reply_to(episode))


def _said(episode: Episode) -> str:
    return str(own_turns(episode.completion)[0]["content"])


def _ends(prompt: str) -> list[tuple[int, int]]:
    """A low number and the highest one of a prompt that speaks of prices, and the ends of a range; empty for others."""
    numbers = [int(one) for one in _NUMBER.findall(prompt)]
    if not numbers or not _PRICES.search(prompt) or max(numbers) < 2:
        return []
    ranges = [(int(low), int(high)) for low, high in _RANGE.findall(prompt) if int(low) < int(high)]
    return [(1, max(numbers)), *ranges[:1]]
