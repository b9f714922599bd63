"""Gold answers that are a sequence of steps, such as a plan, a path or moves, taken apart and put together."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex

BETWEEN = ("\n", " -> ", "->", ", ", "; ", ",", " ")
FEWEST_STEPS, FEWEST_ROWS, MOST_KINDS = 3, 6, 64
MOST_GOLDS = {"quick": 40, "default": 100, "thorough": 300}
JSON_LIST, LETTERS = "[]", ""
_MOVES = regex(r"[A-Za-z]{3,}")
_JOINING = regex(r"(?:the|is|are|was|be|to|of|that|this|there|in|for|not|can(?:no|')t|it|and|or|with)", re.IGNORECASE)
"""Words that join others; a text with several of them is a sentence and no list of steps."""
FEWEST_JOINING, MOST_LETTERS = 2, 6


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of one gold answer, and how they are written."""

    gold: Gold
    steps: tuple[str, ...]
    between: str
    frame: tuple[str, str]

    def text(self, steps: Iterable[str]) -> str:
        """An answer with these steps, written as gold is."""
        written = json.dumps(list(steps)) if self.between == JSON_LIST else self.between.join(steps)
        return f"{self.frame[0]}{written}{self.frame[1]}"


def steps_of_golds(subject: Subject) -> list[Steps]:
    """The golds that are sequences of a few kinds of steps, written in one way; empty where they are none."""
    return subject.once(("teaching", "steps"), lambda: _found(subject))


def _found(subject: Subject) -> list[Steps]:
    if subject.traits.kind != "single-turn":
        return []
    known = [gold for gold in golds(subject).values() if gold.text][: MOST_GOLDS[subject.effort]]
    frame = form_of([gold.text for gold in known])
    frames = dict.fromkeys([("", ""), frame])  # what all golds begin with may be a step
    for between, around in ((between, around) for around in frames for between in (*BETWEEN, JSON_LIST, LETTERS)):
        parts = {gold.row: _split(without_form(gold.text.strip(), around), between) for gold in known}
        found = [
            Steps(gold, parts[gold.row], between, around) for gold in known if len(parts[gold.row]) >= FEWEST_STEPS
        ]
        if len(found) >= max(FEWEST_ROWS, 0.6 * len(known)) and _recur(found) and not _are_words(found):
            return found
    return []


def _split(text: str, between: str) -> tuple[str, ...]:
    if between == LETTERS:
        return tuple(text) if _MOVES.fullmatch(text) and len(set(text.upper())) <= MOST_LETTERS else ()
    if between == JSON_LIST:
        value = read_json(text)
        return tuple(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else ()
    return tuple(text.split(between)) if between in text else ()


def _recur(found: Sequence[Steps]) -> bool:
    """Whether steps are of a few kinds, which occur again and again, and are no words of sentences."""
    kinds = Counter(step for one in found for step in one.steps)
    total = sum(kinds.values())
    return len(kinds) <= min(MOST_KINDS, total / 2) and not any(step.endswith((".", ",")) for step in kinds)


def _are_words(found: Sequence[Steps]) -> bool:
    """Whether the steps of most are the words of a sentence, or the letters of a few words."""
    if found[0].between == LETTERS:
        letters = {step.upper() for one in found for step in one.steps}
        return len(letters) > MOST_LETTERS or len({one.steps for one in found}) < FEWEST_ROWS
    joining = [len({step.casefold() for step in one.steps if _JOINING.fullmatch(step)}) for one in found]
    return found[0].between == " " and 2 * sum(count >= FEWEST_JOINING for count in joining) > len(found)
