"""Whether the examples of a prompt hold its own case, word for word, with its answer beside it."""

import re
from collections.abc import Iterator
from itertools import pairwise

from grpo_env_sdk.checking.contract.short_examples import A_TABLE, ONLY_A_LABEL
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import prompt_messages
from grpo_env_sdk.late_patterns import regex

FEWEST_WORDS, MOST_LINES, FEWEST_ABOVE = 4, 200, 2
"""A case of fewer words is what a table is looked up for; from how many lines above a label has examples."""
_OF_EXAMPLES = regex(
    r"\b(?:examples?|similar|resolved|solved|labell?ed|annotated|demonstrations?|shots|archived?|past|previous|earlier|"
    r"known|retrieved|nearest|neighbou?rs|precedents?|beispiele?|ähnliche|exemples?|ejemplos?)\b",
    re.IGNORECASE,
)
"""What a prompt says where cases are shown as examples, and not as data to look things up in."""
_MARK = regex(r"\s*(?:->|=>|→|⇒|—|\u2013|\||\t|=|[:\])](?= )|\((?=[^()]*\)$)|\[(?=[^\[\]]*\]$))\s*")
_LABEL = regex(r"^\W*(?:[^\W\d_][\w ]{0,20}?(?: \d+)?[:=] )?")
_WORD = regex(r"\w+")


def own_case(subject: Subject, row: int, prompt: str, answer: str) -> str | None:
    """The example of a prompt whose case is there a second time, and whose value is the answer; None without one."""
    if not (_OF_EXAMPLES.search(prompt) or _ends_as_its_examples_do(prompt)):
        return None
    whole = _words(prompt)
    for case, value in (*_of_lines(prompt), *_of_objects(prompt), *_of_turns(subject, row)):
        words = _words(case)
        if bare(value) == answer and words.count(" ") > FEWEST_WORDS and whole.count(words) > 1:
            return f"{case.strip()} ... {value.strip()}"
    return None


def told_on(subject: Subject, pairs: Pairs) -> list[tuple[int, str, str, str]]:
    """Row, prompt, answer and example of the rows whose own case is among their examples."""
    found = ((row, prompt, answer, own_case(subject, row, prompt, answer)) for row, prompt, answer in pairs)
    return [(row, prompt, answer, shown) for row, prompt, answer, shown in found if shown]


def _ends_as_its_examples_do(prompt: str) -> bool:
    """Whether a prompt ends with a label that lines above it have with a value behind it, and is about no table."""
    lines = [line.strip() for line in prompt.split("\n") if line.strip()]
    if not lines or not ONLY_A_LABEL.match(lines[-1]) or A_TABLE.search(prompt):
        return False
    return sum(line.startswith(lines[-1]) and len(line) > len(lines[-1]) for line in lines) >= FEWEST_ABOVE


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _of_lines(prompt: str) -> Iterator[tuple[str, str]]:
    """The two sides of each line with a mark, and each line with the one below it, without bullets and labels."""
    lines = [line.strip("| \t") for line in prompt.split("\n") if line.strip()][:MOST_LINES]
    for line in lines:
        if marks := list(_MARK.finditer(line)):
            yield _LABEL.sub("", line[: marks[-1].start()]), line[marks[-1].end() :].rstrip(")]")
            yield line[marks[0].end() :], line[: marks[0].start()].lstrip("([- ")
    for line, below in pairwise(lines):
        yield _LABEL.sub("", line), _LABEL.sub("", below)


def _of_objects(prompt: str) -> Iterator[tuple[str, str]]:
    """The longest text of each object in JSON with each of its other values."""
    for found in re.findall(r"\{[^{}]*\}", prompt)[:MOST_LINES]:
        texts = [value for value in read_json(found, {}).values() if isinstance(value, str)]
        longest = max(texts, key=len, default="")
        yield from ((longest, text) for text in texts if text is not longest)


def _of_turns(subject: Subject, row: int) -> Iterator[tuple[str, str]]:
    """The messages of users with the assistant's reply to them."""
    messages = prompt_messages(subject.row(row)["prompt"])
    for one, reply in pairwise(messages):
        if reply["role"] == "assistant":
            yield _LABEL.sub("", str(one.get("content"))), str(reply.get("content"))
