"""Whether values that have to add up to a whole, as a prompt says, may all be the whole."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_name, golds, less_than_gold, play_scored, won_of
from grpo_env_sdk.checking.evidence.prompts.option_features import options_of
from grpo_env_sdk.checking.evidence.prompts.shown_objects import filled_with, with_all_numbers
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Row

MOST_ROWS, LOOKED_AT, FEWEST_ROWS, FEWEST_KEYS, MOST_KEYS = 10, 2, 3, 2, 12
MOST_KEY, ROUNDED = 30, 1.001
_NUMBER = regex(r"(?<![\w.,-])\d+(?:\.\d+)?")
_WHOLE = r"[$€£]?(\d+(?:\.\d+)?)(?![\w.,]*\d)"
_ADDS_UP = regex(
    r"\b(?:add(?:s|ing)? up to|sum(?:s|ming)?(?: up)? to|sum (?:is|must be|has to be|should be)|"
    rf"total (?:is|must be|has to be|should be))(?: (?:exactly|at most|no more than))? {_WHOLE}",
    re.IGNORECASE,
)
_IN_ALL = regex(
    rf"(?<![\w.,]){_WHOLE} ?(?:[%€$£]|[\w-]+)?(?: [\w-]+)? "
    r"(?:in total|in all|altogether|to (?:distribute|split|divide))\b",
    re.IGNORECASE,
)
_EACH_OF = regex(r"\b(?:each of|for|between|among) ((?:[\w-]+, )*[\w-]+,? and [\w-]+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A row whose values are to add up to a whole, how many they are, and the answers with the same value in all."""

    whole: float
    count: int
    write: Callable[[float], Sequence[str]]


@check("G681", kinds=("single-turn",))
def values_add_up_to_the_whole(subject: Subject) -> Iterator[Finding]:
    """Where values have to add up to a whole, an answer in which each of them is the whole is not as good as gold."""
    rows = (list(golds(subject)) or subject.sample(MOST_ROWS))[:MOST_ROWS]
    asked = {row: found for row in rows if (found := _asked(subject, row)) is not None}
    if len(asked) < max(FEWEST_ROWS, len(rows) / 2):
        return
    first = dict(list(asked.items())[:LOOKED_AT])
    won = _won(subject, asked) if _won(subject, first) else {}
    even = _won(subject, {row: asked[row] for row in won}, evenly=True)
    won = {row: episode for row, episode in won.items() if row not in even}
    if len(won) < max(FEWEST_ROWS, len(asked) / 2):
        return
    episode = next(iter(won.values()))
    said, whole = answer_text(episode.completion), f"{asked[episode.row_index].whole:g}"
    yield Finding(
        f"An answer whose values are all {whole} scores as much as {gold_name(subject)} on {len(won)} of "
        f"{len(asked)} rows, although they have to add up to {whole}: {answer_shown(said)} scores {episode.reward:g}.",
        "Add the values up before you score them, and refuse an answer whose sum is another one (math.isclose for "
        "decimals), or divide each value by the sum.",
        episode.row_index, said, episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip


def _asked(subject: Subject, row: int) -> Asked | None:
    """What a prompt says that values add up to, with gold in that form, or the keys that the prompt offers."""
    prompt, gold = prompt_text(subject, row), golds(subject).get(row)
    found = _ADDS_UP.search(prompt) or (_IN_ALL.search(prompt) if gold else None)
    whole = float(found[1]) if found else 0.0
    if gold:
        numbers = [float(number) for number in _NUMBER.findall(gold.text)]
        adds_up = len(numbers) >= FEWEST_KEYS and whole / 2 <= sum(numbers) <= whole * ROUNDED
        return Asked(whole, len(numbers), partial(_of_gold, gold.text)) if adds_up and whole else None
    keys = _keys(prompt)
    write = partial(_in_forms, prompt, subject.row(row), keys)
    return Asked(whole, len(keys), write) if whole and len(keys) >= FEWEST_KEYS else None


def _of_gold(text: str, value: float) -> list[str]:
    changed = with_all_numbers(text, value)
    return [changed] if changed else []


def _keys(prompt: str) -> list[str]:
    """What values are asked for: the marks or texts of options, or the names in "each of A, B and C"."""
    listed = options_of(prompt)
    marks = [mark for mark, _ in listed if len(mark) == 1]
    if not marks and (named := _EACH_OF.search(prompt)):
        return re.split(r",? and |, ", named[1])[:MOST_KEYS]
    return (marks or [text for _, text in listed if len(text) <= MOST_KEY])[:MOST_KEYS]


def _in_forms(prompt: str, row: Row, keys: Sequence[str], value: float) -> list[str]:
    """The form that the prompt shows with this value in all places, and an object in JSON and labels with each key."""
    labelled = [between.join(f"{key}: {value}" for key in keys) for between in ("\n", ", ")]
    return [*filled_with(value, prompt, row), json.dumps(dict.fromkeys(keys, value), ensure_ascii=False), *labelled]


def _won(subject: Subject, asked: Mapping[int, Asked], evenly: bool = False) -> dict[int, Episode]:
    """For each row an episode that is as good as gold and has the whole, or an even part of it, in all places."""
    tried = [
        (row, text) for row, one in asked.items() for text in one.write(one.whole / one.count if evenly else one.whole)
    ]
    won: dict[int, Episode] = {}
    for episode in won_of(subject, play_scored(subject, tried)):
        won.setdefault(episode.row_index, episode)
    return won
