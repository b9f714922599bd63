"""Whether a record that tools show has the question of the row and, beside it, its answer."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.json_data import NO_JSON, read_json
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.tool_use.exploring import explore
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.told_in_places import DIFFERENT, MOSTLY, TASTED, Door, told_at
from grpo_env_sdk.data.messages import content_text, prompt_messages

FEWEST_CHARS = 20
"""A shorter question may be one by chance."""


def told_beside_questions(subject: Subject) -> Iterator[Finding]:
    """The finding that something which gold never opens has the questions of the rows with their answers."""
    rows = list(islice(golds(subject), TASTED))
    doors = [door for row in rows if (door := next(_doors(subject, golds(subject)[row]), None))]
    enough = len(doors) >= max(FEWEST_ROWS, MOSTLY * len(rows))
    if enough and len({door.word for door in doors}) >= min(DIFFERENT, len(doors)):
        yield from told_at(subject, doors, len(rows), named=True)


def _doors(subject: Subject, gold: Gold) -> Iterator[Door]:
    """The places with a record that has the question and the answer."""
    asked = prompt_messages(subject.row(gold.row)["prompt"])
    question, answer = bare(content_text(asked[-1].get("content"))), bare(gold.text)
    own = [str(call["content"]) for call in gold_episodes(subject)[gold.row].tool_calls]
    if len(question) < FEWEST_CHARS or not answer or any(_is_told(question, answer, reply) for reply in own):
        return
    for one in explore(subject, [gold.row])[gold.row].opened:
        if not one.refused and _is_told(question, answer, one.reply):
            yield Door(gold.row, one, answer, named=True)


def _is_told(question: str, answer: str, reply: str) -> bool:
    return any(question in record and answer in record for record in _records(reply))


def _records(reply: str) -> Iterator[list[str]]:
    """The fields of every list and object in a reply, and those of a table of lines."""
    data = read_json(reply, NO_JSON)
    if data is not NO_JSON:
        yield from _fields(data)
    else:
        for mark in ("|", "\t", ";"):
            yield from ([bare(field) for field in line.split(mark)] for line in reply.splitlines() if mark in line)


def _fields(value: Any) -> Iterator[list[str]]:
    inside = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else []
    if inside:
        yield [bare(str(one)) for one in inside if isinstance(one, str | int | float)]
    for one in inside:
        yield from _fields(one)
