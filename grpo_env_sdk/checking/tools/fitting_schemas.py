"""Whether written calls that score the top fit the schemas of their tools, where the scorer's comparisons are gold."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.evidence.gold.compared_calls import Call, calls_in, made_up, message_of
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, play_compared
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.checking.evidence.tool_use.calls import REFUSED
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_text
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall, ToolOutcome

MOST_ROWS, FEWEST_ROWS, MOST_FITTING = 12, 3, 24
"""On how many rows, on how few it is an error, and how many calls that fit are tried on a row."""
_TYPES = {"integer": int, "number": float, "string": str, "boolean": bool}


def wanted_against_the_schema(subject: Subject) -> Iterator[Finding]:
    """The finding that the scorer wants a call that its schema forbids, and pays none that fits."""
    unfit, known = [], some_golds(subject)[:MOST_ROWS]
    for gold in known:
        tools = {name_of(tool): tool for tool in subject.tools_of(gold.row)}
        box = Toolbox(list(tools.values()))
        wrong = next(((call, why) for call in _calls(gold) if (why := _refusal(box, call))), None)
        if wrong is None or wrong[0]["name"] not in tools:
            continue
        fitting = [one for one in _fitting(wrong[0], tools[wrong[0]["name"]]) if not _refusal(box, one)]
        tried = play_compared(subject, [(gold.row, message_of(_with(gold, wrong[0], one))) for one in fitting])
        if tried and not any(as_good_as_gold(subject, one) for one in tried):
            unfit.append((gold, *wrong, tried[0], fitting[0]))
    if not unfit:
        return
    gold, call, why, lost, instead = unfit[0]
    share = Share(len(unfit), len(known))
    yield Finding(
        f"The call that the scorer compares with does not fit the schema of {call['name']} on {share}, and one that "
        f"fits scores {lost.reward or 0.0:g}: {_shown(instead)}, where {_shown(call)} scores {gold.reward:g}. {why}",
        "Give the right arguments the types and values of the schema (a number read from a file is a text until it is "
        "converted), or fix the schema.",
        gold.row, {"name": instead["name"], "arguments": instead["arguments"]}, lost.reward, gold.reward,
        severity="error" if len(unfit) >= FEWEST_ROWS and 2 * len(unfit) >= len(known) else "warning",
    )  # fmt: skip


def _fitting(call: Call, tool: Mapping[str, Any]) -> list[Call]:
    """The call with arguments of the types and values of its schema; none where these are too many to try."""
    properties = properties_of(tool)
    missing = {name: properties[name] for name in required_of(tool) if name in properties.keys() - call["arguments"]}
    given = {name: _typed(value, properties[name]) for name, value in call["arguments"].items() if name in properties}
    found = [{**given, **made_up(missing)}]
    listed = {name: properties[name]["enum"] for name in given if isinstance(properties[name].get("enum"), list)}
    for name, choices in listed.items():
        if given[name] not in choices:
            found = [{**one, name: choice} for one in found for choice in choices]
    return [{"name": call["name"], "arguments": arguments} for arguments in found] if len(found) <= MOST_FITTING else []


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value in the type of its schema, where it can be written so."""
    kind = _TYPES.get(str(schema.get("type")))
    if kind is None or type(value) is kind or not isinstance(value, str | int | float):
        return value
    if kind is bool:
        return {"true": True, "false": False, "1": True, "0": False}.get(str(value).casefold(), value)
    try:
        return kind(value)
    except ValueError:
        return value


def _refusal(box: Toolbox, call: Call) -> str:
    """What is wrong with a call by the schema of its tool; empty if it fits."""
    outcome = box.prepare(ToolCall("call", call["name"], dict(call["arguments"])))
    if isinstance(outcome, ToolOutcome) and outcome.error in REFUSED:
        return str(json.loads(outcome.content)["error"]["message"])
    return ""


def _calls(gold: Gold) -> list[Call]:
    return calls_in(gold.turns[-1].get("tool_calls") or []) or []


def _with(gold: Gold, wrong: Call, other: Call) -> list[Call]:
    return [other if call == wrong else call for call in _calls(gold)]


def _shown(call: Call) -> str:
    return call_text({"function": call})
