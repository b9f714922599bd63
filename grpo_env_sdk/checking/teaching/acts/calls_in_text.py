"""Whether a call that is written as text, and that nothing runs, scores without the arguments that it needs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grpo_env_sdk.checking.evidence.golds import NEARLY, play_compared, reward_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, MOST_ROWS, MOST_FUNCTIONS, MOSTLY = 6, 10, 6, 0.75
UNKNOWN = "zephyr"
"""An argument that nobody asks for."""
_FORM = regex(
    r"(?P<before><\w+>\s*)?\{\s*\"(?P<name>name|function|tool|action)\":\s*[^{}]*?,\s*"
    r"\"(?P<given>arguments|parameters|args|input|action_input)\":\s*\{[^{}]*\}\s*\}(?P<after>\s*</\w+>)?"
)
"""The form of a call that a prompt shows, such as `<call>{"name": ..., "arguments": {...}}</call>`."""
_FILLED = regex(r":\s*\"(?P<name>[A-Za-z]\w*)\",\s*\"\w+\":\s*\{(?P<given>[^{}]*\w[^{}]*)\}")
_KEY = regex(r"\"(\w+)\"\s*:")
"""The name and the parameters of a call that the form itself shows, with something in the place of their values."""
_SIGNATURE = regex(r"(?:^[-*\s]*(?:def |function )?`?|[\s`](?=\w+\(\w+: ?\w))([A-Za-z]\w*)\(([^()\n]+)\)", re.MULTILINE)
"""A function with its parameters: at the start of a line, or anywhere with their types."""
_OPTIONAL = regex(r"=|\?|\boptional\b|\.\.\.|\*|\bNone\b", re.IGNORECASE)
_BY_NAME = regex(
    r"(?P<before><\w+>\s*)?(?<![\w.])(?<!def )(?P<name>[A-Za-z]\w*)\((?P<given>\w+=[^(),\n]+(?:, ?\w+=[^(),\n]+)*)\)"
    r"(?P<after>\s*</\w+>)?"
)
_CALLS = regex(r"\b(?:calls?|command|function|tool)\b", re.IGNORECASE)
"""The form of a call that gives its arguments by name, such as `water(bed=..., litres=...)`, and what it is called."""
_CHOICE_ALONE = regex(
    r"\bonly the (?:name|function|tool)\b|\barguments? (?:do(?:es)? not|don't) matter\b|\bempty arguments\b|"
    r"\b(?:leave|omit)\b[^.\n]{0,30}\barguments?\b|\bonly (?:the )?(?:arguments?|parameters?|values?)\b|"
    r"\b(?:default|optional)\w*\b",
    re.IGNORECASE,
)
"""What a prompt says where a call without arguments may be meant."""


def calls_without_arguments(subject: Subject) -> Iterator[Finding]:
    """The finding that a function of the prompt is called right without any of the arguments that it needs."""
    rows = [row for row in subject.sample(MOST_ROWS) if _functions(prompt_text(subject, row))]
    if len(rows) < FEWEST_ROWS:
        return
    top = subject.traits.reward_range[1]
    scored = _scored(subject, rows)
    won = {
        row: best for row, episodes in scored.items()
        if (best := max(episodes, key=reward_of))
        and reward_of(best) >= top - NEARLY
        and (len(episodes) == 1 or any(reward_of(one) < top - NEARLY for one in episodes))
    }  # fmt: skip
    if len(won) < max(FEWEST_ROWS, MOSTLY * len(rows)):
        return
    wrong = _scored(subject, list(won), UNKNOWN)
    compared = all(reward_of(one) < top - NEARLY for episodes in wrong.values() for one in episodes)
    if not compared and any(len(scored[row]) == 1 for row in won):
        return  # nothing tells whether the call counts at all
    row, episode = next(iter(won.items()))
    said = turns_text(own_turns(episode.completion))
    found = Finding(
        f"A call without the arguments that its function needs scores {reward_of(episode):g}, the top, on "
        f"{Share(len(won), len(rows))}: {said}.",
        "Compare all arguments of the right call with those that are given, and not only those that are given.",
        row, own_turns(episode.completion), episode.reward, f"less than {reward_of(episode):g}",
    )  # fmt: skip
    yield found if compared else replace(found, severity="warning")


def _scored(subject: Subject, rows: Sequence[int], value: str = "") -> dict[int, list[Episode]]:
    """By row, the episodes of a call of each function with this value for each parameter, or without arguments."""
    answers: list[tuple[int, Completion]] = [
        (row, _written(prompt_text(subject, row), name, dict.fromkeys(parameters if value else (), value)))
        for row in rows
        for name, parameters in _functions(prompt_text(subject, row)).items()
    ]
    found: dict[int, list[Episode]] = {}
    for episode in play_compared(subject, answers):
        found.setdefault(episode.row_index, []).append(episode)
    return found


def _functions(prompt: str) -> dict[str, list[str]]:
    """The functions that a prompt declares, with their parameters; nothing where a call need not give them all."""
    form = _FORM.search(prompt) or (_CALLS.search(prompt) and _BY_NAME.search(prompt))
    if form is None or _CHOICE_ALONE.search(prompt):
        return {}
    if form.re.pattern == _BY_NAME.pattern:
        return {form["name"]: re.findall(r"(\w+)=", form["given"])}
    declared = {name: [one.strip() for one in given.split(",")] for name, given in _SIGNATURE.findall(prompt)}
    if shown := _FILLED.search(form.group()):
        declared = declared or {shown["name"]: _KEY.findall(shown["given"])}
    if any(_OPTIONAL.search(one) for given in declared.values() for one in given):
        return {}
    names = {name: [one.split(":")[0].strip() for one in given] for name, given in declared.items()}
    return names if len(names) <= MOST_FUNCTIONS else {}


def _written(prompt: str, name: str, given: Mapping[str, str]) -> str:
    """A call in the form that the prompt shows."""
    form = _FORM.search(prompt)
    if form is not None:
        call = json.dumps({form["name"]: name, form["given"]: dict(given)})
    elif form := _BY_NAME.search(prompt):
        call = f"{name}({', '.join(f'{key}={json.dumps(value)}' for key, value in given.items())})"
    return f"{form['before'] or ''}{call}{form['after'] or ''}" if form else ""
