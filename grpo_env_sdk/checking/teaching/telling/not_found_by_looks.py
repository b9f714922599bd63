"""Rows whose answer no look shows, where the same look shows that of most rows; where nothing but rows knows gold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.golds import golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.likely_values import Label, likely_arguments, values_at
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Row

MOST_ROWS, LOOKS = {"quick": 60, "default": 200, "thorough": 1_000}, 4
MOSTLY, FEWEST_ROWS, FEWEST = 0.7, 12, 2
"""The share of rows on which a look has to show the answer, of how many, and the fewest on which it does not."""


@dataclass(frozen=True, slots=True)
class Look:
    """A call that only looks, by where its values come from."""

    tool: str
    labels: tuple[tuple[str, Label], ...]


Replies = Mapping[Look, tuple[dict[str, Any], str]]
"""What each look was called with, and what it showed."""


def not_found_by_looks(subject: Subject) -> Iterator[Finding]:
    """The finding that looks at what the row names show the answer on most rows, and nothing on the others."""
    column = _answer_column(subject)
    if column is None:
        return
    answers = {row: str(subject.row(row)[column]) for row in subject.sample(MOST_ROWS[subject.effort])}
    replies = {row: found for row in subject.in_time(answers) if (found := _looked(subject, row, column))}
    for look in dict.fromkeys(look for found in replies.values() for look in found):
        seen = {row: found[look][1] for row, found in replies.items() if look in found}
        lacking = {row: reply for row, reply in seen.items() if not says(reply, answers[row])}
        elsewhere = [row for row in lacking if any(says(one, answers[row]) for _, one in replies[row].values())]
        alike = {without_echo(lacking[row], replies[row][look][0]) for row in lacking}
        others = {without_echo(seen[row], replies[row][look][0]) for row in seen if row not in lacking}
        few = len({answers[row] for row in lacking}) >= FEWEST and len(lacking) <= (1 - MOSTLY) * len(seen)
        if len(seen) >= FEWEST_ROWS and few and not elsewhere and len(alike) == 1 and not alike & others:
            row = next(iter(lacking))
            given, reply = replies[row][look]
            yield Finding(
                f"On {len(lacking)} of {len(seen)} rows {look.tool} does not find what it is asked for, where the same "
                f"call shows the answer on the others: in row {row} {look.tool}({_arguments(given)}) replies "
                f"{quoted(reply, 60)}, and no other look shows {quoted(answers[row])}.",
                "Look for a last part that is never loaded or indexed, or draw rows from what the tools show.",
                row, given, reply, f"a reply with {answers[row]}",
            )  # fmt: skip
            return


def _answer_column(subject: Subject) -> str | None:
    """The column that the last message of every episode found repeats."""
    known = list(golds(subject).values())
    values = [(subject.row(gold.row), gold.text) for gold in known if gold.text and not gold.calls]
    names = [name for name in values[0][0] if name != "prompt"] if values and len(values) == len(known) else []
    return next((name for name in names if all(str(row.get(name)) == text for row, text in values)), None)


def _looked(subject: Subject, row: int, column: str) -> Replies:
    """What the looking tools of a row show for values of its other columns."""
    values: Row = {name: value for name, value in subject.row(row).items() if name != column}
    looks = {
        Look(name_of(tool), tuple(labels.items())): given
        for tool in subject.tools_of(row) if only_looks(tool)
        for labels in likely_arguments(tool, values, LOOKS) if (given := values_at(tool, values, labels)) is not None
    }  # fmt: skip
    calls = called_together(call_message(look.tool, **given) for look, given in looks.items())
    episodes = play_answers(subject, [(row, [calls, ""])]) if looks else []
    made = [call for episode in episodes for call in episode.tool_calls]
    pairs = zip(looks.items(), made, strict=False)
    return {look: (given, str(call["content"])) for (look, given), call in pairs if not call["error"]}


def _arguments(given: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
