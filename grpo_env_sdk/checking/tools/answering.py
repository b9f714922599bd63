"""Whether tools answer every valid call, in JSON and quickly, and whether gold's calls are valid."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError, failure_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import properties_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import (
    REFUSED,
    TriedCall,
    by_tool,
    calls_made,
    episodes_tried,
    gold_with_calls,
    tools_in,
)
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.tools.fitting_schemas import wanted_against_the_schema
from grpo_env_sdk.checking.tools.repr_text import is_repr
from grpo_env_sdk.data.filled_keys import filled_keys_note
from grpo_env_sdk.data.messages import tool_calls_of
from grpo_env_sdk.envs.traits import toolbox_of
from grpo_env_sdk.isolation.calls.tracebacks import line_in, place_in
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolOutcome

SLOW, VERY_SLOW = 1.0, 5.0
"""Seconds that most calls of a tool may take, and that any one call may take."""
_OFTEN = 0.1
_ALWAYS = 5
"""With so many calls that all failed or answered nothing, the tool itself is the cause."""
_BUGS = {"NameError", "UnboundLocalError", "AttributeError", "TypeError", "ImportError", "ModuleNotFoundError",
         "RecursionError"}  # fmt: skip
"""Errors that no author raises on purpose."""
_CARELESS = {"KeyError", "IndexError", "ZeroDivisionError", "OverflowError", "StopIteration"}
_CODE = regex(r"code|expression|program|script|command|snippet|statement")
"""Parameters of tools that run code of the model and show its output."""
_ADDRESS = regex(r"<[\w.<> ]+ at 0x[0-9a-f]{6,}>")


@check("T404", kinds=("tools",), share=0.1)
def every_tool_can_run(subject: Subject) -> Iterator[Finding]:
    """Each listed tool has a method of its name, or there is a `call_tool`."""
    for row, box in _toolboxes(subject):
        for tool in box.tools.values():
            if not box.can_run(tool):
                yield Finding(
                    f"The tool {tool.name} is listed in get_tools but cannot run: every call fails.",
                    f"Write a method {tool.name}, or call_tool(self, name, arguments); or remove it from the list.",
                    row, {"name": tool.name},
                )  # fmt: skip


@check("T410", needs=("calls",), share=2)
def valid_calls_are_answered(subject: Subject) -> Iterator[Finding]:
    """A call that fits its schema does not trigger a bug in the tool."""
    calls = calls_made(subject)
    reported = set()
    for call, episodes in _never_answered(calls):
        place = place_in(call.detail).rpartition("/")[2]
        reported.add(cause := _cause(call))
        yield Finding(
            f"gold's own calls to {call.name} fail in {episodes} of {counted(episodes, 'episode')}: "
            f"{_last_line(call.detail)}{place and f' ({place})'}.",
            _about_row(subject, call) or "Fix the tool.",
            call.episode.row_index, call.call, call.content, "an answer", cause=cause,
        )  # fmt: skip
    for call in calls:
        severity = _mistake(call, properties_of(call.tool(subject))) if call.error == "tool_failed" else None
        if severity and (cause := _cause(call)) not in reported:
            reported.add(cause)
            yield Finding(
                f"{call.name} raised {_last_line(call.detail)}{_where(call)} on a call that fits its schema.",
                _about_row(subject, call) or ("Fix the tool." if severity == "error" else _hint(call)),
                call.episode.row_index, call.call, call.content, "an answer", severity,
                cause=cause if severity == "error" else "",
            )  # fmt: skip
    for name, made in by_tool(calls).items():
        own = [call for call in made if call.by_gold] or made
        if len(own) >= _ALWAYS and all(call.error for call in own) and not reported:
            whose = "calls by solve" if own[0].by_gold else "calls that fit its schema"
            message = f"{name} failed on all {len(own)} {whose}: {own[0].content[:200]}"
            hint = "Check whether any call can succeed, and describe which in the docstring."
            yield Finding(message, hint, own[0].episode.row_index, own[0].call, own[0].content, severity="warning")
    yield from _hanging(subject, calls)


@check("T411", needs=("calls",))
def results_are_readable(subject: Subject) -> Iterator[Finding]:
    """A tool returns text or plain JSON, of bounded size and not empty."""
    for name, made in by_tool(calls_made(subject)).items():
        for call, problem, hint, severity in _odd_results(made):
            row = call.episode.row_index
            yield Finding(f"{name} {problem}", hint, row, call.call, call.content, severity=severity)
            break


@check("T412", needs=("calls",), severity="warning")
def tools_are_quick(subject: Subject) -> Iterator[Finding]:
    """A call takes less than a second, as a training step makes hundreds of them."""
    for name, made in by_tool(calls_made(subject)).items():
        slow = [call for call in made if call.outcome["seconds"] > SLOW]
        slowest = max(made, key=lambda call: call.outcome["seconds"])
        if len(slow) < _OFTEN * len(made) and slowest.outcome["seconds"] <= VERY_SLOW:
            continue
        alone = _alone(subject, slowest)  # parallel calls may have slowed it down
        if alone > SLOW:
            yield Finding(
                f"{name} takes {alone:.1f} s on this call; {len(slow)} of {len(made)} calls take over {SLOW:g} s.",
                "Make it async if it waits, and cache what it fetches; tool_timeout limits each call.",
                slowest.episode.row_index, slowest.call, round(alone, 2), f"under {SLOW:g} s",
            )  # fmt: skip


@check("T413", needs=("tools", "gold"), share=0.5)
def the_solution_keeps_to_the_schemas(subject: Subject) -> Iterator[Finding]:
    """The calls of `solve`, or those that the scorer compares with, fit the schemas that the model sees."""
    if not subject.traits.solvable:
        yield from wanted_against_the_schema(subject)
        return
    top = max((episode.reward or 0.0 for episode in gold_with_calls(subject)), default=0.0)
    for episode in gold_with_calls(subject):
        box = Toolbox(tools_in(subject, episode))
        for call in (call for message in own_turns(episode.completion) for call in tool_calls_of(message)):
            outcome = box.prepare(call)
            if isinstance(outcome, ToolOutcome) and outcome.error in REFUSED:
                reached = episode.reward is not None and episode.reward >= top > 0
                yield Finding(
                    f"A call of solve does not fit the schema of {call.name}, so a model's call would be rejected.",
                    "Fix the schema (a missing enum value, a wrong type), or solve.",
                    episode.row_index, {"name": call.name, "arguments": call.arguments}, outcome.content,
                    severity="warning" if reached else "error",
                )  # fmt: skip
                return


def _toolboxes(subject: Subject) -> Iterator[tuple[int | None, Toolbox]]:
    """The toolbox of the environment, or that of each of some rows."""
    if not subject.traits.tools_of_rows:
        yield None, toolbox_of(subject.loaded.env)
        return
    for row in subject.in_time(subject.chosen):
        with subject.opened(row) as env:
            yield row, subject.call("get_tools", toolbox_of, env, subject.row(row), row=row)


def _never_answered(calls: Sequence[TriedCall]) -> Iterator[tuple[TriedCall, int]]:
    """For each tool that raises on all of gold's calls, by mistake, the first of them and in how many episodes."""
    for made in by_tool(call for call in calls if call.by_gold).values():
        if len(made) >= _ALWAYS and all(map(_is_unplanned, made)) and not all(map(_names_an_argument, made)):
            yield made[0], len({call.episode.row_index for call in made})


def _is_unplanned(call: TriedCall) -> bool:
    """Whether a tool failed with an error of Python, and not one that it or the model's code raises."""
    planned = re.match(r"(?:raise|assert)\b|.*\b(eval|exec|compile)\(", line_in(call.detail))
    known = _error_name(call) in _BUGS.union(_CARELESS, ("ValueError", "JSONDecodeError"))
    return call.error == "tool_failed" and known and not planned and not _runs_code(call)


def _error_name(call: TriedCall) -> str:
    return _last_line(call.detail).partition(":")[0].rpartition(".")[2]


def _names_an_argument(call: TriedCall) -> bool:
    """Whether the error quotes a value that the tool was given."""
    return any(f"'{text}'" in _last_line(call.detail) for text in _argument_texts(call))


def _mistake(call: TriedCall, parameters: Mapping[str, Any]) -> Severity | None:
    """How certain it is that a failure is a bug, and not raised on purpose or caused by the arguments."""
    kind, line = _error_name(call), _line_of_code(call.detail)
    if kind == "NotImplementedError":
        return "error"
    if line.startswith(("raise ", "assert ")) or re.search(r"\b(eval|exec|compile)\(", line):
        return None
    named = _names_an_argument(call)
    if kind in _BUGS:
        return "warning" if named else "error"
    if kind not in _CARELESS and (kind != "ValueError" or named):
        return None
    arguments = call.outcome["arguments"]
    only_choices = all(parameters.get(name, {}).keys() & {"enum", "const"} for name in arguments)
    return "error" if only_choices else "warning"


def _argument_texts(call: TriedCall) -> list[str]:
    arguments = call.outcome["arguments"]
    texts = [str(value) for value in arguments.values()] if isinstance(arguments, dict) else []
    return [word for text in texts for word in (text, *re.findall(r"\w+", text)) if word]


def _odd_results(made: Sequence[TriedCall]) -> Iterator[tuple[TriedCall, str, str, Severity]]:
    plain = "Return text, numbers, lists and dicts of them."
    for call in made:
        if call.error == "tool_failed" and " is not JSON: " in call.detail:
            yield (
                call,
                f"returns a value that is not JSON: {call.detail.partition(' is not JSON: ')[2]}",
                plain,
                "error",
            )
        elif call.error == "result_too_large":
            message = "returns more than a model can read: " + call.content[:200]
            yield call, message, "Return a part, and let the model ask for more.", "warning"
        elif not call.error and (found := _ADDRESS.search(call.content)):
            yield call, f"shows the Python object {found.group()}, which differs in each process.", plain, "error"
        elif not call.error and not _runs_code(call) and is_repr(call.content):
            message = f"returns a Python repr instead of JSON: {call.content[:100]}"
            yield call, message, "Return the dict or list itself, not its str(): it is converted to JSON.", "warning"
    if len(made) >= _ALWAYS and {call.content.strip() for call in made} <= {"", "null"}:
        message = f"returned nothing in all {len(made)} calls."
        yield made[0], message, "Is a return missing? The model should read that the call worked.", "info"


def _runs_code(call: TriedCall) -> bool:
    arguments = call.outcome["arguments"]
    return isinstance(arguments, dict) and any(map(_CODE.search, arguments))


def _hanging(subject: Subject, calls: Sequence[TriedCall]) -> Iterator[Finding]:
    """A tool that did not return, unlike one that raises TimeoutError; it may end the episode without an outcome."""
    late = next((call for call in calls if call.error == "timeout" and not call.detail), None)
    if late:
        message = f"{late.name} did not return in time."
        yield Finding(message, "Give it a timeout of its own.", late.episode.row_index, late.call, late.content)
    for episode, _ in episodes_tried(subject):
        failure = failure_of(episode)
        if failure and episode.error and episode.error.stage == "tools":
            raise FailedHereError(failure.message, failure.hint, failure.cause, episode.row_index, episode.completion)


def _alone(subject: Subject, call: TriedCall) -> float:
    """The longest call of the tool when the same episode is played alone."""
    again = subject.answer(call.episode.row_index, call.episode.completion)
    seconds = [made["seconds"] for made in again.tool_calls if made["name"] == call.name]
    return float(max(seconds, default=0.0))


def _last_line(detail: str) -> str:
    return " ".join(detail.strip().rpartition("\n")[2].split())[:300] or "an error"


def _line_of_code(detail: str) -> str:
    """The innermost line of the author's code."""
    return detail.rpartition('  File "')[2].partition("\n")[2].partition("\n")[0].strip() if "File" in detail else ""


def _where(call: TriedCall) -> str:
    found = re.findall(r'File "([^"]+)", line (\d+)', call.detail)
    return f" ({found[-1][0].rpartition('/')[2]}:{found[-1][1]})" if found else ""


def _hint(call: TriedCall) -> str:
    """What to change where the arguments caused it: the model reads the text of the error, and nothing else."""
    read = f"The model reads only {_last_line(call.detail)!r}"
    if _last_line(call.detail).startswith("KeyError"):
        return f"{read}: use .get() and return which values there are, or list them in the schema as Literal[...]."
    return f"{read}: return a text that says which values are possible."


def _about_row(subject: Subject, call: TriedCall) -> str:
    """What to do about a column that the row lacks, or about a None that the table of rows has added; else nothing."""
    if "NoneType" in call.detail:
        return filled_keys_note(map(subject.row, subject.chosen))
    key = _last_line(call.detail).removeprefix("KeyError: ")
    if f"row[{key}]" not in line_in(call.detail).replace('"', "'"):
        return ""
    columns = ", ".join(name for name in subject.row(call.episode.row_index) if name != "case_idx")
    number = place_in(call.detail).rpartition(":")[2]
    return f"Line {number} reads a column that the row does not have: it has {columns}."


def _cause(call: TriedCall) -> str:
    return f"{_last_line(call.detail).partition(':')[0]}{_where(call) or f' ({call.name})'}"
