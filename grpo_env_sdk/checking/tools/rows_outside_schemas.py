"""Whether a value that a row needs fits the schema of the parameter that takes it on other rows."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, play_all, reward_of, was_scored
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.json_data import Path, leaves, written_path
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import Episode, ToolCall, ToolOutcome

MOST_ROWS, FEWEST_ROWS, MOST_LEAVES, MOST_WAYS, MOST_PARAMETERS = 40, 3, 40, 12, 4
"""On how many rows it is looked for, on how few the calls have to win, and how many values and ways are tried."""
_OTHER_WAY = regex(
    r"\b(?:cannot|can't|impossible|not possible|unable|refus\w+|declin\w+|reject\w*|otherwise|instead|unless|several|"
    r"split|parts?|more than one|twice|at most|up to|no more than)\b",
    re.IGNORECASE,
)
"""What prompts say where rows may be won in another way than with one call."""
_TYPES = {"integer": (int,), "number": (int, float), "string": (str,)}
Way = tuple[Path, ...]
"""Of each required parameter, where its value is in a row."""


@dataclass(frozen=True, slots=True)
class _Calls:
    """A tool that is called with values of the rows."""

    tool: Mapping[str, Any]
    box: Toolbox
    values: Mapping[int, Mapping[Path, Any]]
    """By row, its values by their paths."""

    def given(self, row: int, way: Way) -> dict[str, Any]:
        """The arguments of a row."""
        return {name: self.values[row][path] for name, path in zip(required_of(self.tool), way, strict=True)}

    def refusal(self, given: Mapping[str, Any]) -> str:
        """What is wrong with arguments by the schema; empty if they fit."""
        outcome = self.box.prepare(ToolCall("call", name_of(self.tool), dict(given)))
        if isinstance(outcome, ToolOutcome) and outcome.error == "invalid_arguments":
            return str(json.loads(outcome.content)["error"]["message"])
        return ""

    def unfit(self, way: Way) -> dict[int, str]:
        """By row, what is wrong with its arguments."""
        return {row: why for row in self.values if (why := self.refusal(self.given(row, way)))}


@check("T426", kinds=("tools",), needs=("calls",))
def schemas_leave_room_for_the_rows(subject: Subject) -> Iterator[Finding]:
    """Every row's values fit the parameters that win with these values on other rows."""
    rows = subject.sample(MOST_ROWS)
    columns = {row: {key: one for key, one in subject.row(row).items() if key != "prompt"} for row in rows}
    values = {row: dict(islice(leaves(data), MOST_LEAVES)) for row, data in columns.items()}
    for tool in subject.tools:
        if not only_looks(tool) and 0 < len(required_of(tool)) <= MOST_PARAMETERS:
            calls = _Calls(tool, Toolbox([dict(tool)]), values)
            for way in islice(_ways(calls), MOST_WAYS):
                if found := _lost(subject, calls, way):
                    yield found
                    return


def _ways(calls: _Calls) -> Iterator[Way]:
    """The paths to values of the right types, of which some do not fit, on fewer rows than those where all fit."""
    paths = set.intersection(*(set(one) for one in calls.values.values()))
    schemas = [properties_of(calls.tool)[name] for name in required_of(calls.tool)]
    choices = [[path for path in sorted(paths, key=str) if _is_of_type(calls, path, schema)] for schema in schemas]
    for way in islice(product(*choices), MOST_WAYS**2):
        if len(set(way)) == len(way) and 0 < len(unfit := calls.unfit(way)) < len(calls.values) - len(unfit):
            yield way


def _is_of_type(calls: _Calls, path: Path, schema: Mapping[str, Any]) -> bool:
    kinds = _TYPES.get(str(schema.get("type"))) or {type(one) for one in schema.get("enum") or ()}
    return all(type(one[path]) in kinds for one in calls.values.values())


def _lost(subject: Subject, calls: _Calls, way: Way) -> Finding | None:
    """The finding that the rows whose values do not fit lose, where the same call wins on the others."""
    unfit = calls.unfit(way)
    fitting = [row for row in calls.values if row not in unfit]
    if len(fitting) < FEWEST_ROWS or not all(_won(subject, _played(subject, calls, way, fitting[:FEWEST_ROWS]))):
        return None
    won = _won(subject, _played(subject, calls, way, fitting))
    idle = _won(subject, play_all(subject, [(row, ["Done."]) for row in fitting]))
    lost = [one for one in _played(subject, calls, way, list(unfit)) if was_scored(one)]
    known = golds(subject)
    if not all(won) or any(idle) or len(lost) < len(unfit) or any(_won(subject, lost)) or known.keys() & unfit.keys():
        return None
    row, why = next(iter(unfit.items()))
    named = ", ".join(
        f"row{written_path(path)} as {name!r}" for name, path in zip(required_of(calls.tool), way, strict=True)
    )
    name = name_of(calls.tool)
    return Finding(
        f"On {len(unfit)} of {len(calls.values)} rows the schema of {name} refuses what the row needs: with {named} "
        f"the call wins on all {len(fitting)} others, and in row {row} it is no valid call. {why}",
        "Let the schema allow every value that a row needs (minimum, maximum, enum, pattern, maxLength).",
        row, {"name": name, "arguments": calls.given(row, way)}, lost[0].reward, f"{subject.traits.reward_range[1]:g}",
        severity="error" if _is_only_way(subject, calls, list(unfit)) else "warning",
    )  # fmt: skip


def _is_only_way(subject: Subject, calls: _Calls, rows: Sequence[int]) -> bool:
    """Whether no other tool does something, and no prompt speaks of another way."""
    others = [tool for tool in subject.tools if tool != calls.tool and not only_looks(tool)]
    return not others and not any(_OTHER_WAY.search(prompt_text(subject, row)) for row in rows)


def _played(subject: Subject, calls: _Calls, way: Way, rows: Sequence[int]) -> list[Episode]:
    """The episodes of one call with the values of each row."""
    name = name_of(calls.tool)
    answers: list[tuple[int, Completion]] = [
        (row, [call_message(name, **calls.given(row, way)), "Done."]) for row in rows
    ]
    return play_all(subject, answers)


def _won(subject: Subject, episodes: Sequence[Episode]) -> list[bool]:
    top = subject.traits.reward_range[1]
    return [was_scored(one) and reward_of(one) >= top - NEARLY for one in episodes]
