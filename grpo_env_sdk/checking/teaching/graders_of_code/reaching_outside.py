"""Whether a tool opens files of the machine, or evaluates its argument, and so shows the row or runs any code."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import drawn_call
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex

MOST_ROWS = 1
FILE, IN_FILE = __file__, "opens files of the machine by its path"
"""A file of the machine, this one, and some words of it."""
CODES = {
    "__import__('math').comb(40, 7) + 1": "18643561",
    "().__class__.__name__ * 2": "tupletuple",
    "self.max_turns * 7919 + 0.25": "{}",
}
"""What only Python has a result for, and the result: with its builtins, without them, and with the environment."""
_RUNS_CODE = regex(r"\b(?:python|code|shell|bash|script|commands?|terminal|program|execut\w+|sandbox)\b", re.IGNORECASE)
"""What the name or the description of a tool says that is there to run code, or to work on a machine."""
_FILES = "Join the name to the folder of the episode, resolve it, and refuse what is outside; or keep files in a dict."
_CODE = "Parse expressions with `ast`, and compute only what you know; never `eval` or `exec` what a model writes."


@check("G566", kinds=("tools",), needs=("calls",))
def tools_stay_inside(subject: Subject) -> Iterator[Finding]:
    """No tool opens a file of the machine by its path, and none evaluates its argument as Python."""
    if subject.traits.tools_of_rows:
        return
    for row in subject.chosen[:MOST_ROWS]:
        tried = [one for tool in subject.tools for one in _tried(subject, tool, row)]
        played = play_answers(subject, [(row, [call, ""]) for call, *_ in tried])
        found = [
            (call, shows, what, hint, str(episode.tool_calls[0]["content"]))
            for (call, shows, what, hint), episode in zip(tried, played, strict=False)
            if episode.tool_calls and not episode.tool_calls[0]["error"]
        ]
        for call, shows, what, hint, reply in islice((one for one in found if one[1] in one[4]), 1):
            function = call["tool_calls"][0]["function"]
            yield Finding(
                f"{function['name']} {what}: {function['arguments']} is answered with {quoted(reply, 80)}.",
                hint, row, [call], reply, f"a refusal, without {shows!r}",
            )  # fmt: skip


def _tried(subject: Subject, tool: dict[str, Any], row: int) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """Calls of a tool, what shows that they worked, what that means, and what to do."""
    said = f"{name_of(tool).replace('_', ' ')} {tool['function'].get('description')}"
    if _RUNS_CODE.search(said):
        return
    for parameter, schema in properties_of(tool).items():
        if schema.get("type") != "string" or "enum" in schema:
            continue
        (call,) = drawn_call(subject, tool, row)["tool_calls"]
        arguments = call["function"]["arguments"]
        paths = (FILE, "../" * 12 + FILE.lstrip("/"))
        of_self = str(subject.traits.max_turns * 7919 + 0.25)
        for value, shows, what, hint in (
            *((path, IN_FILE, "opens files of the machine", _FILES) for path in paths),
            *((code, result.format(of_self), "runs Python code", _CODE) for code, result in CODES.items()),
        ):
            yield call_message(name_of(tool), **{**arguments, parameter: value}), shows, what, hint
