"""Whether one call of one tool, and repeating its result, solves the whole task."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_name, golds, less_than_gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, random_arguments
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import gold_with_calls, tools_in
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message, call_message, prompt_messages
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.policies.policy import Request
from grpo_env_sdk.types import Episode, Turn

Choose = Callable[[Sequence[dict[str, Any]]], dict[str, Any] | None]
MANY = {"quick": 10, "default": 30, "thorough": 100}
PAYS = 0.5
"""A shortcut is reported from this lower end of the interval on: more than a choice between two would win."""
_TASTED = 4
_KNOWING = {"with meaningless arguments": False, "with the prompt as argument": True}


@check("T421", needs=("calls",), share=2)
def no_tool_solves_the_task_alone(subject: Subject) -> Iterator[Finding]:
    """One call without any thought, and repeating its result, does not score as much as gold."""
    rows = subject.sample(MANY[subject.effort])
    for name, choose in _choices(subject):
        if _is_the_task(subject, choose):
            continue
        for how, knows in _KNOWING.items():
            for form in _FORMS:
                if not subject.time_left:
                    return
                policy = _Repeats(choose, knows, form)
                won, of = _won(subject, policy, rows)
                share = Share(len(won), of)
                if share.low < PAYS:
                    continue
                silent = _FORMS[form]("anything") == ""
                sure = not knows and bool(golds(subject))
                yield Finding(
                    f"One call of {name} {how}, then {'an empty message' if silent else form}, scores as much as "
                    f"{gold_name(subject)} on {share}.",
                    "Let it do only a part of the task, so that the model has to do the rest.",
                    won[0].row_index, won[0].completion, won[0].reward,
                    less_than_gold(subject, won[0]), "error" if sure else "warning",
                )  # fmt: skip
                return


def _won(subject: Subject, policy: "_Repeats", rows: list[int]) -> tuple[list[Episode], int]:
    """The episodes that score as much as gold, and the number played; only a few if the first ones do not."""
    won: list[Episode] = []
    of = 0
    for part in (rows[:_TASTED], rows[_TASTED:]):
        episodes = subject.play_many(part, policy)
        won += won_of(subject, episodes)
        of += len(episodes)
        if len(won) * 2 < of:
            break
    return won, of


def _choices(subject: Subject) -> Iterator[tuple[str, Choose]]:
    """What a finding calls a tool, and how it is chosen: by its name, or by its place where each row has its own."""
    if not subject.traits.tools_of_rows:
        for place, tool in enumerate(subject.tools):
            yield name_of(tool), partial(_at, place)
        return
    for place in range(max((len(subject.tools_of(row)) for row in subject.chosen), default=0)):
        yield f"tool {place + 1} of the row", partial(_at, place)


def _at(place: int, tools: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    return tools[place] if place < len(tools) else None


def _is_the_task(subject: Subject, choose: Choose) -> bool:
    """Whether gold itself only calls this tool once."""
    for episode in gold_with_calls(subject):
        tool = choose(tools_in(subject, episode))
        if tool is not None and [call["name"] for call in episode.tool_calls] == [name_of(tool)]:
            return True
    return False


def _last_value(content: str) -> str:
    """The last value of a JSON result, or the last word of a text."""
    value = read_json(content, NO_JSON)
    if value is NO_JSON:
        words = re.findall(r"\w[\w.'-]*\w|\w", content)
        return words[-1] if words else ""
    while isinstance(value, dict | list) and value:
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
    return str(value)


_FORMS = {
    "nothing": lambda content: "",
    "its result": lambda content: content,
    "the last value of its result": _last_value,
}


class _Repeats:
    """Calls one tool once, and repeats its result."""

    name = "repeats"

    def __init__(self, choose: Choose, knows: bool, form: str) -> None:
        self._choose = choose
        self._knows = knows
        self._form = _FORMS[form]

    async def respond(self, request: Request) -> Turn:
        """The call, or its result; nothing where the row has no such tool."""
        if request.turn:
            content = next((m.get("content") for m in reversed(request.transcript) if m["role"] == "tool"), "")
            return Turn({"role": "assistant", "content": self._form(str(content or ""))})
        prompt = "\n".join(
            message["content"]
            for message in prompt_messages(request.row["prompt"])
            if isinstance(message.get("content"), str)
        )
        tool = self._choose(request.tools)
        if tool is None:
            return Turn({"role": "assistant", "content": ""})
        arguments = random_arguments(tool, random.Random(0), [prompt if self._knows else "lorem"])
        return Turn(assistant_message(call_message(name_of(tool), **arguments), request.turn), "tool_calls")
