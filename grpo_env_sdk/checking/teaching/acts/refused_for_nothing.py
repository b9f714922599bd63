"""Whether calls that a tool refuses lower the score, where the prompt says that they cost something."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import play_answers, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, looking_tools
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.tries_in_one_message import in_one_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

TASTED, WRONG, MOSTLY, SAME = 4, 3, 0.75, 1e-9
"""On how many rows it is tried first, how many wrong calls are made, and on what share of the rows it counts."""
_REFUSED = regex(r"\b(reject|refus|declin|fail|invalid|error)", re.IGNORECASE)
_COSTS = regex(r"\b(?:costs?|minus|loses?|deduct\w*|penal\w+|subtract\w*|takes? off|lowers?)\b", re.IGNORECASE)
_FREE = regex(
    r"\b(?:free|nothing|no (?:points?|cost)|first|after|more than|beyond|over|from the (?:second|third))\b",
    re.IGNORECASE,
)
"""Where some refused calls may cost nothing."""


@check("G690", kinds=("tools",), needs=("gold", "calls"))
def refused_calls_cost_what_is_said(subject: Subject) -> Iterator[Finding]:
    """Gold after refused calls scores less than gold alone, where the prompt says that these cost something."""
    looking = looking_tools(subject)
    for (tool, parameter), choices in choices_of(subject).items():
        known = [one for one in choices if parameter and tool not in looking and _costly(subject, one)]
        if len(known) < FEWEST_ROWS or not _free(subject, known[:TASTED], tool):
            continue
        tried = _tried(subject, known, tool)
        free = [one for one in tried if _is_free(known, one)]
        if len(free) >= max(FEWEST_ROWS, MOSTLY * len(tried)):
            yield _finding(subject, known, tool, free, len(tried))
            return


def _free(subject: Subject, choices: Sequence[Choice], tool: str) -> bool:
    tried = _tried(subject, choices, tool)
    return bool(tried) and all(_is_free(choices, one) for one in tried)


def _costly(subject: Subject, choice: Choice) -> str:
    """The sentence of a prompt that says what refused calls cost; empty where there is none, or some are free."""
    for sentence in sentences_of(prompt_text(subject, choice.gold.row)):
        if _REFUSED.search(sentence) and _COSTS.search(sentence) and not _FREE.search(sentence):
            return sentence
    return ""


def _tried(subject: Subject, choices: Sequence[Choice], tool: str) -> list[Episode]:
    """Gold after wrong calls that are all refused in the word of the prompt."""
    answers: list[tuple[int, Completion]] = []
    for one in choices:
        values = [wrong_value(one.value), *(other.value for other in choices)]
        wrong = [value for value in dict.fromkeys(values) if value != one.value and type(value) is type(one.value)]
        answers.append((one.gold.row, in_one_message(one, [*(wrong * WRONG)[:WRONG], one.value])))
    words = {one.gold.row: {word.lower() for word in _REFUSED.findall(_costly(subject, one))} for one in choices}
    played = play_answers(subject, [answer for answer in answers if answer[1]])
    return [one for one in played if was_scored(one) and _refused(one, tool, words[one.row_index]) >= WRONG]


def _refused(episode: Episode, tool: str, words: set[str]) -> int:
    """How many calls of a tool are refused by its own words, of which the prompt has one."""
    replies = [
        without_echo(str(call["content"]), call["arguments"]).lower()
        for call in episode.tool_calls
        if call["name"] == tool and not call["error"]
    ]
    return sum(any(word in reply for word in words) for reply in replies)


def _is_free(choices: Sequence[Choice], episode: Episode) -> bool:
    gold = next(one.gold for one in choices if one.gold.row == episode.row_index)
    return reward_of(episode) >= gold.reward - SAME


def _finding(subject: Subject, known: Sequence[Choice], tool: str, free: Sequence[Episode], of: int) -> Finding:
    first = free[0]
    choice = next(one for one in known if one.gold.row == first.row_index)
    reply = next(str(call["content"]) for call in first.tool_calls if _refused_call(call, tool))
    return Finding(
        f"{WRONG} calls of {tool} that are refused cost nothing on {len(free)} of {of} rows, although the prompt says "
        f"{quoted(_costly(subject, choice), 120)}: gold after them scores {first.reward:g}, as gold alone. The reply "
        f"is {quoted(reply, 80)}.",
        "Count refusals where they are made, or raise them: a reply such as {'error': ...} is no error in the record "
        "of its call.",
        first.row_index, own_turns(first.completion), reward_with_parts(first), f"less than {choice.gold.reward:g}",
    )  # fmt: skip


def _refused_call(call: dict[str, object], tool: str) -> bool:
    return call["name"] == tool and bool(_REFUSED.search(str(call["content"])))
