"""Whether a stated number of calls, after which a tool stops answering, is counted by messages and not by calls."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of, lists_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, schema_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of, sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside, named_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.amounts.tries_in_one_message import REFUSED, in_one_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED, MOST_CALLS, MOST_BETWEEN, FEWEST_VALUES, MOSTLY = 4, 12, 40, 2, 0.75
_NUMBER = regex(rf"\b(?:\d{{1,2}}|{COUNT_WORDS}|once|twice)\b", re.IGNORECASE)
_IN_WORDS = {"once": 1, "twice": 2}
_BY_MESSAGE = regex(
    r"\b(?:turns?|messages?|rounds?|at once|in parallel|batch\w*|together|at the same time|simultaneous\w*|"
    r"as often as|unlimited|any number)\b",
    re.IGNORECASE,
)
"""Where it is said that messages are counted, what several calls in one are, or that nothing is, it may be meant."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Calls with other values before gold's own, all in one message or one list, and the same ones one by one."""

    choice: Choice
    tool: str
    limit: int
    """After how many calls, one by one, the tool stops to answer as it does in one message."""
    count: int
    """With how many other values it was called in that one."""
    together: Episode
    refusal: str


def limits_by_message(subject: Subject) -> Iterator[Finding]:
    """The finding that a tool answers any number of calls in one message, or in one list, but few one by one."""
    for (tool, parameter), choices in [*choices_of(subject).items(), *lists_of(subject).items()]:
        known = [one for one in choices if one.name and _stated(subject, one, tool)]
        values = _values(subject, tool, parameter)
        if len(known) < FEWEST_ROWS or len(values) < FEWEST_VALUES:
            continue
        found = [one for choice in known[:TASTED] if (one := _tried(subject, choice, tool, values))]
        if len(found) < MOSTLY * TASTED:
            continue
        found += [one for choice in known[TASTED:] if (one := _tried(subject, choice, tool, values))]
        if len(found) >= max(FEWEST_ROWS, MOSTLY * len(known)):
            yield _finding(subject, found, len(known))
            return


def _stated(subject: Subject, choice: Choice, tool: str) -> set[int]:
    """The numbers in the sentences of the prompt and of the tool that do not speak of messages."""
    described = [description_of(one) for one in subject.tools if name_of(one) == tool]
    sentences = sentences_of("\n".join([prompt_text(subject, choice.gold.row), *described]))
    words = [word for one in sentences if not _BY_MESSAGE.search(one) for word in _NUMBER.findall(one)]
    return {_IN_WORDS.get(word.lower()) or count_of(word) for word in words} - {0}


def _values(subject: Subject, tool: str, parameter: str) -> list[Any]:
    """The values that gold gives on all rows, each item of its lists, and the whole numbers between them."""
    given = known_values(subject).get((tool, parameter), ())
    items = [item for one in given for item in (one if isinstance(one, list) else [one])]
    each = [one for one in items if isinstance(one, int | str)]
    numbers = [one for one in each if type(one) is int]
    between = range(min(numbers), min(numbers) + MOST_BETWEEN) if numbers else ()
    return list(dict.fromkeys([*each, *(one for one in between if one < max(numbers))]))


def _tried(subject: Subject, choice: Choice, tool: str, values: Sequence[Any]) -> Tried | None:
    """The calls together and one by one, if those together are gold, and fewer one by one are answered as they are."""
    of_list = isinstance(choice.value, list)
    own = choice.value if of_list else [choice.value]
    others = _beside(subject, choice) or [*values, *_listed(subject, choice, tool)]
    others = [one for one in dict.fromkeys(others) if one not in own][:MOST_CALLS]
    each = [[one] if of_list else one for one in others]
    before = [
        turn for turn in choice.gold.turns[: choice.turn] if all(call["name"] != tool for call in functions_of([turn]))
    ]
    both = (_together(choice, others), choice.turns(*each, whole=False))
    played = play_answers(subject, [(choice.gold.row, [*before, *turns]) for turns in both])
    if len(played) < len(both) or played[0].error or not as_good_as_gold(subject, played[0]):
        return None
    place = sum(one["name"] == tool for one in functions_of(choice.gold.turns[choice.turn :])[: choice.call])
    shown, replies = _replies(played[0], tool)[place:], _replies(played[1], tool)
    alike = [_is_alike(of_list, shown, number, reply) for number, reply in enumerate(replies)]
    limit = alike.index(False) if False in alike else 0
    refused = shown and any(REFUSED.search(one) for one in shown)
    if limit not in _stated(subject, choice, tool) or refused or len(others) <= limit:
        return None
    return Tried(choice, tool, limit, len(others), played[0], replies[limit])


def _listed(subject: Subject, choice: Choice, tool: str) -> list[Any]:
    """The values that the schema lists."""
    schema = schema_of(subject.tools_of(choice.gold.row), tool, choice.name)
    return list(schema.get("enum") or (schema.get("items") or {}).get("enum") or ())


def _beside(subject: Subject, choice: Choice) -> list[Any]:
    """What the replies to gold list with its own values; or the columns or the prompt of its row, with its texts."""
    row, own = choice.gold.row, choice.value if isinstance(choice.value, list) else [choice.value]
    texts, columns = [one for one in own if isinstance(one, str)], [canonical_json(subject.row(row))]
    return (
        [other for one in own for other in listed_beside(one, replies_to_gold(subject, row))]
        or [other for one in texts for other in listed_beside(one, columns)]
        or [other for one in texts for other in named_beside(one, prompt_text(subject, row))]
    )


def _together(choice: Choice, others: Sequence[Any]) -> list[Message]:
    """The act with all values in one message, or in one list, and what gold does after it."""
    if isinstance(choice.value, list):
        return choice.turns([*others, *choice.value], whole=False)
    return in_one_message(choice, [*others, choice.value])[choice.turn :]


def _replies(episode: Episode, tool: str) -> list[str]:
    return [str(call["content"]) for call in episode.tool_calls if call["name"] == tool]


def _is_alike(of_list: bool, shown: Sequence[str], number: int, reply: str) -> bool:
    """Whether a reply to one value is what is shown for it together with the others."""
    if of_list:
        return bool(shown) and words_of(reply) <= words_of(shown[0])
    return number < len(shown) and shown[number] == reply


def _finding(subject: Subject, found: Sequence[Tried], of: int) -> Finding:
    first = found[0]
    turns = own_turns(first.together.completion)
    how = "with a list of" if isinstance(first.choice.value, list) else "in one message, with"
    return Finding(
        f"{first.tool} is answered for {first.count} more values {how} all of them and scores as much as gold on "
        f"{len(found)} of {of} rows, although one by one it is refused after {first.limit}, as it says: "
        f"{quoted(first.refusal)}. {quoted(turns_text(turns), 160)}.",
        f"Count the calls of {first.tool} and the items of its lists, not the turns: a message may hold any number.",
        first.choice.gold.row, turns, first.together.reward, less_than_gold(subject, first.together),
    )  # fmt: skip
