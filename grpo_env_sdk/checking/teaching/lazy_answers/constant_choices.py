"""Whether one choice for everything that a prompt names earns much, such as the middle of a range."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.golds import golds, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.prompts.likely_values import values_at
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.calls_of_items import calls_of_items
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.lazy_answers.unearned import WITH_CONTENT, share_of_gold, unearned, without_won
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

FITTED, MEASURED, FEWEST, MOST_VALUES = 4, 16, 6, 11
"""On how many rows each choice is tried, on how many others the best is measured, and of how many values."""
BEYOND_SILENCE, BEYOND_OTHERS = 0.1, 0.2
"""How much more it earns than silence, and than the worst choice."""
_SAYS_CREDIT = regex(
    r"\bcredit\b|\bpoints?\b|\b(?:off by|(?:one|1) off)\b|\b(?:clos|near)(?:er|est)\b|\bdistance\b", re.IGNORECASE
)
"""What a prompt says where it pays for what is nearly right."""
Made = Mapping[int, list[Message]]
"""By row, the calls with one choice."""


def constant_choices(subject: Subject, fitted: Sequence[int], held_out: Sequence[int]) -> Iterator[Finding]:
    """The finding that one choice, the best on some rows, earns much on others, on which it is not right."""
    if not subject.tools or not fitted or _SAYS_CREDIT.search(prompt_text(subject, fitted[0])):
        return
    first, others = fitted[:FITTED], held_out[:MEASURED]
    made = _made(subject, [*first, *others])
    earned = {name: share_of_gold(subject, _played(subject, made[name], first))[0].mean or 0.0 for name in made}
    best = max(earned, key=lambda name: earned[name], default="")
    if not best or earned[best] < max(WITH_CONTENT[0], min(earned.values()) + BEYOND_OTHERS):
        return  # or any choice earns it, as part of what was done is right
    played = _played(subject, made[best], others)
    wrong = without_won(played, won_of(subject, played))
    silent = play_answers(subject, [(one.row_index, "") for one in wrong])
    share, nothing = (share_of_gold(subject, one)[0].mean or 0.0 for one in (wrong, silent))
    if len(wrong) >= FEWEST and share >= nothing + BEYOND_SILENCE:
        answer: list[str | Message] = [*made[best][wrong[0].row_index], "Done."]
        where = "rows on which it is not right"
        if found := unearned(subject, f"The same choice everywhere, {best},", answer, wrong, WITH_CONTENT, where):
            yield found


def _made(subject: Subject, rows: Sequence[int]) -> dict[str, Made]:
    """For each value that a schema lists, or has between its bounds, calls with it for all that the prompts name."""
    found: dict[str, Made] = {}
    for tool in subject.tools:
        listed = {name: values for name, schema in properties_of(tool).items() if (values := _values(schema))}
        if only_looks(tool) or len(listed) != 1:
            continue
        (choice, values), *_ = listed.items()
        calls = {row: made for row in rows if (made := _calls(subject, tool, choice, row))}
        for value in values if len(calls) == len(rows) else ():
            found[f"{choice}={value!r}"] = {
                row: [call_message(name_of(tool), **{**given, choice: value}) for given in made]
                for row, made in calls.items()
            }
    return found


def _calls(subject: Subject, tool: Mapping[str, Any], choice: str, row: int) -> list[dict[str, Any]]:
    """The arguments of gold's calls of a tool, or of one for each item of a column; the prompt names all but one."""
    if gold := golds(subject).get(row):
        tried = [[given for name, given in gold.calls if name == name_of(tool) and choice in given]]
    else:
        tried = [
            [values_at(tool, subject.row(row), labels) or {} for labels in calls]
            for calls in calls_of_items(tool, subject.row(row))
        ]
    prompt = prompt_text(subject, row)
    for calls in tried:
        others = [[value for name, value in given.items() if name != choice] for given in calls]
        if all(others) and all(says(prompt, str(value)) for values in others for value in values):
            return calls
    return []


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """The values of a choice: those of an enum, or the whole numbers between two bounds."""
    low, high = schema.get("minimum"), schema.get("maximum")
    between = range(low, high + 1) if type(low) is int and type(high) is int else ()
    values = list(schema.get("enum") or between)
    return values if 2 <= len(values) <= MOST_VALUES else []


def _played(subject: Subject, made: Made, rows: Sequence[int]) -> list[Episode]:
    """The episodes of the calls of some rows."""
    return play_answers(subject, [(row, [*made[row], "Done."]) for row in rows])
