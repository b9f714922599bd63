"""Whether each call counts that gold makes with the same tool, and each item of the list that a call takes."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, paid, played_turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.any_one_left_out import without_any_one
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

FEWEST_ROWS, MOST_CALLS = 6, 4
_REPLACES = regex(
    r"\b(?:replac\w*|overwrit\w*|supersed\w*|(?:in place|instead) of (?:the|an) (?:earlier|old|last|previous|former)|"
    r"chang\w+ (?:\w+ )?minds?|(?:last|latest|newest) (?:\w+ )?(?:counts?|holds|wins|applies|is kept))\b",
    re.IGNORECASE,
)
"""What is said where a later call takes the place of an earlier one."""


@check("G624", needs=("gold",), kinds=("tools", "multi-turn"))
def each_call_that_is_asked_for_counts(subject: Subject) -> Iterator[Finding]:
    """Gold without one of several calls of a tool, or items of a list, that the prompt asks for scores less."""
    yield from islice(chain(_without_one_that_is_named(subject), without_any_one(subject)), 1)


def _without_one_that_is_named(subject: Subject) -> Iterator[Finding]:
    """The finding that gold without one of several calls, for something that the prompt names, is gold."""
    for tool in subject.tools:
        if may_only_look(tool) or _REPLACES.search(description_of(tool)):
            continue
        for place in range(MOST_CALLS):
            kept = {gold.row: _without(subject, gold, name_of(tool), place) for gold in some_golds(subject)}
            without = {row: turns for row, turns in kept.items() if turns}
            won = won_of(subject, played_turns(subject, without)) if len(without) >= FEWEST_ROWS else []
            if won and len(won) == len(without):
                yield paid(
                    subject, won, len(without),
                    f"Gold without call {place + 1} of {name_of(tool)}, for which the prompt asks,",
                    "Score everything that was asked for, and not only what was done last.",
                )  # fmt: skip
                return


def _without(subject: Subject, gold: Gold, tool: str, place: int) -> list[Message]:
    """Gold without this call of several with other arguments; nothing where the prompt names none of its values."""
    acts = acts_of(gold)
    calls = [(number, act["tool_calls"][0]["function"]) for number, act in enumerate(acts) if act.get("tool_calls")]
    own = [(number, call["arguments"]) for number, call in calls if call["name"] == tool]
    if place >= len(own) or len(own) < 2:
        return []
    number, given = own[place]
    prompt, others = prompt_text(subject, gold.row), [one for at, one in own if at != number]
    if _REPLACES.search(prompt):
        return []
    asked = isinstance(given, Mapping) and any(
        type(value) in (str, int) and says(prompt, str(value)) and all(other.get(key) != value for other in others)
        for key, value in given.items()
    )
    return [*acts[:number], *acts[number + 1 :]] if asked else []
