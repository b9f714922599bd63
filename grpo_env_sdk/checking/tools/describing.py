"""Whether the tools' schemas say enough to use them, stay the same, and are short."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.processes.probes import start_probes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import gold_with_calls
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.protocol import tools_of
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.types import Fault, Schemas, row_seed

CHARS_A_TOKEN = 4
MUCH, TOO_MUCH = 2_000, 8_000
"""The tokens of all tools from which it is reported, and from which it is a warning."""
_RESETS = {"quick": 5, "default": 20, "thorough": 100}


@check("T401", severity="warning", needs=("rows",), share=0.1)
def tools_are_described(subject: Subject) -> Iterator[Finding]:
    """Every tool has a description, and every parameter a description and a type."""
    functions = [tool["function"] for tool in subject.tools]
    silent = [function["name"] for function in functions if not (function.get("description") or "").strip()]
    if silent:
        yield Finding(
            f"{_listed('tool', silent)} no description: the model sees only the name.",
            "Write a docstring, or a description in the schema: what it does and what it returns.",
        )
    parameters = [
        (f"{tool['function']['name']}.{name}", schema)
        for tool in subject.tools
        for name, schema in properties_of(tool).items()
        if isinstance(schema, Mapping)
    ]
    untyped = [name for name, schema in parameters if not schema.keys() - {"description", "title", "default"}]
    if untyped:
        yield Finding(
            f"{_listed('parameter', untyped)} no type, so any value is accepted.",
            'Annotate it, or write {"type": "string"} in its schema.',
        )
    undescribed = [name for name, schema in parameters if not schema.get("description") and name not in untyped]
    if undescribed and not silent:
        hint = "Write a line for each under Args: in the docstring, or a description in the schema."
        yield Finding(f"{_listed('parameter', undescribed)} no description.", hint, severity="info")


@check("T402", needs=("rows",), share=0.5)
def schemas_stay_the_same(subject: Subject) -> Iterator[Finding]:
    """The schemas depend only on the config, and on the row where `get_tools` takes it: not on chance or the clock."""
    if subject.traits.tools_of_rows:
        yield from _changes_of_a_row(subject)
        return
    first = _schemas(subject, subject.loaded.env) if subject.tools else []
    hint = "Build them only from constructor arguments, sorted, or write get_tools(self, row)."
    yield from _first_change(first, _shown_again(subject), "The schemas of the tools", hint)


def _changes_of_a_row(subject: Subject) -> Iterator[Finding]:
    for row in subject.in_time(subject.sample(_RESETS[subject.effort])):
        first = subject.opened_tools(row)
        if isinstance(first, Fault):
            continue  # C104 reports it
        hint = "Build them only from the row and constructor arguments, in a fixed order."
        what = f"The schemas of the tools of row {row}"
        if found := list(_first_change(first, _opened_again(subject, row), what, hint, row)):
            yield from found
            return


def _first_change(
    first: Any, again: Iterable[tuple[str, Any]], what: str, hint: str, row: int | None = None
) -> Iterator[Finding]:
    """The first time that schemas are shown differently."""
    for when, schemas in again:
        if difference := first_difference(first, schemas):
            place, one, other = difference
            yield Finding(f"{what} differ {when}: {place}.", hint, row, output=other, expected=one)
            return


@check("T403", severity="info", needs=("rows",), share=0.1)
def the_list_of_tools_is_short(subject: Subject) -> Iterator[Finding | Table]:
    """The list of tools, which comes before every prompt, takes few tokens."""
    if not subject.tools:
        return
    lists = [subject.tools_of(row) for row in subject.chosen] if subject.traits.tools_of_rows else [subject.tools]
    longest = max(lists, key=lambda tools: len(json.dumps(tools)))
    sizes = {name_of(tool): len(json.dumps(tool, ensure_ascii=False)) for tool in longest}
    found: list[list[Any]] = [[name, size, size // CHARS_A_TOKEN] for name, size in sizes.items()]
    rows = sorted(found, key=lambda row: -row[1])
    total = sum(sizes.values())
    note = f"About {total // CHARS_A_TOKEN:,} tokens before every prompt; --model NAME counts them exactly."
    yield Table("Size of the list of tools", ("tool", "characters", "tokens, about"), rows[:30], note)
    if total > MUCH * CHARS_A_TOKEN:
        yield Finding(
            f"The list of tools takes about {total // CHARS_A_TOKEN:,} tokens before every prompt, {rows[0][0]} alone "
            f"{rows[0][2]:,} of them.",
            "Shorten the descriptions, and remove tools that no row needs.",
            severity="warning" if total > TOO_MUCH * CHARS_A_TOKEN else None,
        )  # fmt: skip


def first_difference(one: Any, other: Any, place: str = "$") -> tuple[str, Any, Any] | None:
    """The JSON path of the first difference, the order of keys included, and both values there."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        pairs: Any = ((f"{place}.{key}", one[key], other[key]) for key in one)
    elif isinstance(one, list) and isinstance(other, list):
        pairs = ((f"{place}[{i}]", *both) for i, both in enumerate(zip_longest(one, other)))
    else:
        return None if _text(one) == _text(other) else (place, one, other)
    return next((found for at, left, right in pairs if (found := first_difference(left, right, at))), None)


def _shown_again(subject: Subject) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The schemas at other times and in other processes, each with a text that says when."""
    if not subject.tools:
        return
    env = subject.loaded.env
    yield "when get_tools is called again", _schemas(subject, env)
    yield "on another instance", _schemas(subject, subject.another().env)
    if gold_with_calls(subject):
        yield "after an episode", _schemas(subject, env)
    if hasattr(env, "reset") and subject.traits.instances == "constructed":
        for row in subject.sample(_RESETS[subject.effort]):
            if not subject.time_left:
                return
            data = subject.row(row)
            with subject.instance() as instance:
                subject.call("reset", instance.reset, seed=row_seed(data), options=data, row=row)
                shown = _schemas(subject, instance)
            yield f"after reset for row {row}", shown
    for probe in start_probes(subject):
        tools = probe.seen().get("tools")
        if tools is not None:
            yield f"in another process (PYTHONHASHSEED={probe.hash_seed})", tools


def _opened_again(subject: Subject, row: int) -> Iterator[tuple[str, Schemas]]:
    """The schemas of a row when its episode opens again, each with a text that says how."""
    with subject.opened(row) as env:
        for when in ("on another instance", "after another reset"):
            box = subject.call("get_tools", toolbox_of, env, subject.row(row), row=row)
            yield when, box.schemas
            subject.reset(env, row)
    for probe in start_probes(subject):
        schemas = probe.seen().get("tools_of_rows", {}).get(str(row))
        if schemas is not None:
            yield f"in another process (PYTHONHASHSEED={probe.hash_seed})", schemas


def _schemas(subject: Subject, env: Any) -> list[dict[str, Any]]:
    """What `get_tools` returns, or the schemas of the @tool methods."""
    shown = tools_of if hasattr(env, "get_tools") else lambda env: toolbox_of(env).schemas
    found: list[dict[str, Any]] = subject.call("get_tools", shown, env)
    return found


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(what: str, names: list[str]) -> str:
    """`The tool a has`, `3 of the parameters (a, b, c) have`."""
    if len(names) == 1:
        return f"The {what} {names[0]} has"
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    return f"{len(names)} {what}s ({shown}) have"
