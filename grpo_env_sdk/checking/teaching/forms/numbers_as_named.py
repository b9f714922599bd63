"""Whether tools take numbers for what their schema says that they stand for, such as 0 for Monday."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.evidence.golds import gold_episodes, less_than_gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.named_numbers import NamedNumbers, named_numbers, without_names
from grpo_env_sdk.checking.evidence.prompts.words_beside_named import one_beside_is_meant
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Act, compared_acts, last_acts, some_golds
from grpo_env_sdk.checking.evidence.tool_use.calls import TriedCall, by_tool, calls_made
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.types import canonical_json

FEWEST_WORDS = 3
"""How many words a number has to be given for, each the same step beside the one that it stands for."""


def numbers_as_named(subject: Subject) -> Iterator[Finding]:
    """The finding that gold, or a reply, takes each number for another word than the schema or the prompt says."""
    for tool in subject.tools:
        integers = [key for key, schema in properties_of(tool).items() if schema.get("type") == "integer"]
        for parameter in integers:
            where, named = _named(subject, tool, parameter, len(integers))
            if named is None or one_beside_is_meant(_of_names(tool), named):
                continue
            found = list(_in_gold(subject, tool, parameter, where, named)) or list(
                _in_replies(subject, tool, parameter, where, named)
            )
            yield from found
            if found:
                return


def _named(subject: Subject, tool: Mapping[str, Any], parameter: str, integers: int) -> tuple[str, NamedNumbers | None]:
    """Where it is said what the numbers of a parameter stand for, and what is said."""
    schema = f"{parameter.replace('_', ' ')}. {properties_of(tool)[parameter].get('description') or ''}"
    if named := named_numbers(schema):
        return f"The schema of {name_of(tool)}", named
    alone = integers == 1 or re.search(r"day|month", parameter, re.IGNORECASE)
    if alone and (named := named_numbers(description_of(tool))):
        return f"The description of {name_of(tool)}", named
    told = [named_numbers(prompt_text(subject, gold.row)) for gold in some_golds(subject)] if alone else []
    same = bool(told) and all(one is not None and one.around and one == told[0] for one in told)
    return "The prompt", told[0] if same else None


def _of_names(tool: Mapping[str, Any]) -> str:
    """The name and the description of a tool, as words."""
    return f"{name_of(tool)} {tool['function'].get('description') or ''}".replace("_", " ")


def _in_gold(
    subject: Subject, tool: Mapping[str, Any], parameter: str, where: str, named: NamedNumbers
) -> Iterator[Finding]:
    """The finding that gold gives the number beside that of the one word that was said, and the latter is refused."""
    acts = [act for act in last_acts(subject).get(name_of(tool), []) if type(act.arguments.get(parameter)) is int]
    words = {act.gold.row: word for act in acts if (word := _asked(subject, act, named))}
    if len(words) < FEWEST_ROWS or 2 * len(words) < len(acts):
        return
    acts = [act for act in acts if act.gold.row in words]
    shifts = {named.shift(words[act.gold.row], act.arguments[parameter]) for act in acts}
    if shifts not in ({1}, {-1}) or len(set(words.values())) < FEWEST_WORDS:
        return
    as_named = [
        (act, [*act.before, act.again(**{parameter: named.numbers[words[act.gold.row]]}), *act.end]) for act in acts
    ]
    lost = compared_acts(subject, as_named)
    if len(lost) < FEWEST_ROWS or won_of(subject, lost):
        return
    episode = lost[0]
    act = next(one for one in acts if one.gold.row == episode.row_index)
    word = words[act.gold.row]
    yield Finding(
        f"{where} says that {parameter!r} is {named.numbers[word]} for {word}, and {name_of(tool)} counts otherwise: "
        f"gold calls it with {act.arguments[parameter]} where {word} is asked for, and with the number as it is named "
        f"no row of {len(lost)} scores as gold.",
        "Count in the tool as its schema says, or correct the schema.",
        act.gold.row, own_turns(episode.completion), quoted(episode.reward), less_than_gold(subject, episode),
    )  # fmt: skip


def _asked(subject: Subject, act: Act, named: NamedNumbers) -> str:
    """The one word with a number that was said before an act; empty where there are several, or one beside is meant."""
    completion = gold_episodes(subject)[act.gold.row].completion
    before = completion[: places_of_turns(completion)[len(act.before)]]
    text = without_names("\n".join([prompt_text(subject, act.gold.row), *texts_of(before)]))
    words = named.named_in(text)
    return words.pop() if len(words) == 1 and not one_beside_is_meant(text, named) else ""


def _in_replies(
    subject: Subject, tool: Mapping[str, Any], parameter: str, where: str, named: NamedNumbers
) -> Iterator[Finding]:
    """The finding that every reply names the word beside the one that the number of its call stands for."""
    calls = [one for one in by_tool(calls_made(subject)).get(name_of(tool), []) if not one.error]
    told = [(call, word) for call in calls if (word := _told(call, parameter, named))]
    shifts = {named.shift(word, _number(call, parameter)) for call, word in told}
    if len(told) >= FEWEST_ROWS and shifts in ({1}, {-1}) and len({word for _, word in told}) >= FEWEST_WORDS:
        call, word = told[0]
        meant = next(one for one, number in named.numbers.items() if number == _number(call, parameter))
        yield Finding(
            f"{where} says that {parameter!r} is {_number(call, parameter)} for {meant}, and {name_of(tool)} replies "
            f"with {word}, and with the one beside in all {len(told)} replies: {quoted(call.content, 100)}.",
            "Count in the tool as its schema says, or correct the schema.",
            call.episode.row_index, call.call, call.content, meant, severity="warning",
        )  # fmt: skip


def _number(call: TriedCall, parameter: str) -> int:
    return int(call.outcome["arguments"][parameter])


def _told(call: TriedCall, parameter: str, named: NamedNumbers) -> str:
    """The one word with a number that a reply has, and no other argument; empty where a word beside may be meant."""
    given: dict[str, Any] = call.outcome["arguments"]
    words = named.named_in(call.content)
    others = canonical_json({key: value for key, value in given.items() if key != parameter})
    known = given.get(parameter) in named.numbers.values() and type(given.get(parameter)) is int
    clear = len(words) == 1 and not words & named.named_in(others) and not one_beside_is_meant(call.content, named)
    return words.pop() if known and clear else ""
