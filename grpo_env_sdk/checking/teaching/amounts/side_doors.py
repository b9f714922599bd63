"""Whether calls that no task needs score: every value tried in one episode, absurd numbers, and less than nothing."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes, play_compared, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import (
    description_of,
    name_of,
    properties_of,
    schema_of,
    tool_named,
)
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    Act,
    Turns,
    as_good_on_most,
    called_together,
    compared_acts,
    last_acts,
    paid,
    played_acts,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import drawn_call, known_values, tools_in
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside, named_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.budget_paid_back import budget_paid_back, room_by_less
from grpo_env_sdk.checking.teaching.amounts.negative_in_calls import far_off_loses
from grpo_env_sdk.checking.teaching.amounts.negative_messages import negative_messages
from grpo_env_sdk.checking.teaching.amounts.negative_parts import negative_parts
from grpo_env_sdk.checking.teaching.amounts.paid_back import REFUSE, paid_back
from grpo_env_sdk.checking.teaching.amounts.told_by_replies import same_replies, says_which
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_VALUES = 40
ABSURD, ABSURD_ALONE, FEW = (-1, 0, -100, 10**6), (-(10**6), 10**6), 4
"""Numbers that no task needs, those tried with tools that gold does not call, and on how many rows at first."""
_SUBMITS = regex(r"submit|answer|check|verif|propose|report|claim", re.IGNORECASE)
_TRIES = regex(r"\b(?:try|tries|attempts?|guess\w*|until|times|as often)\b", re.IGNORECASE)
_ENOUGH = regex(
    r"\b(?:at least|minimum|no less|not less|or more|enough|sufficient\w*|not below|or above|or over|more than|"
    r"exceeds?)\b",
    re.IGNORECASE,
)
"""What prompts and schemas say where any larger number is as good."""
_ONE = regex(
    r"\b(?:exactly|just|only) (?:\w+ )?(?:one|1|once|single)\b|\b(?:one|1) \w+ only\b|\bonly (?:that|this)\b|"
    r"\bnothing else\b|\bno others?\b|\bone single\b|\ba single\b",
    re.IGNORECASE,
)
"""What prompts say where one thing is wanted, and more is wrong."""
_BOUND = regex(r"limit|max|most|timeout|wait|budget|size|top|pages?|depth|radius|tolerance", re.IGNORECASE)
"""The names of parameters that only bound what a tool does."""


@check("G520", kinds=("tools", "multi-turn"), needs=("calls", "acts"), share=2)
def trying_every_value_is_not_gold(subject: Subject) -> Iterator[Finding]:
    """Calling a tool with every value in one episode is not gold, unless its results say which value is right."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments:
            tried = {
                act.gold.row: (act, _right_inside(values, act.arguments[parameter]))
                for act in acts
                if not _is_given_later(act, parameter) and len(values := _candidates(subject, act, parameter)) > 2
            }
            if found := _every_value(subject, name, parameter, tried):
                yield found
                return


def _every_value(
    subject: Subject, name: str, parameter: str, tried: Mapping[int, tuple[Act, list[Any]]]
) -> Finding | None:
    """The finding that every value in one episode is gold, while one wrong value is not."""
    acts = [act for act, _ in tried.values()]
    every, turned = (
        played_acts(subject, [(act, _calls(act, parameter, values[::way], acts)) for act, values in tried.values()])
        for way in (1, -1)  # else the last one may be what counts, and the right one may be last
    )
    alike = [one for one in every if same_replies(one, name, parameter, tried[one.row_index][0].arguments[parameter])]
    judged = [episode for episode in every if says_which(episode, tried[episode.row_index][0], parameter)]
    free = all(len(values) <= subject.traits.max_turns for _, values in tried.values())
    free = free and bool(acts) and _submits(subject, acts[0]) and as_good_on_most(subject, judged, len(every))
    if not free and not (as_good_on_most(subject, alike, len(every)) and as_good_on_most(subject, turned, len(turned))):
        return None
    one = [(act, _calls(act, parameter, [_not_gold(act, parameter, values)], acts)) for act, values in tried.values()]
    wrong = compared_acts(subject, one)
    if not seldom_won(subject, wrong):
        return None
    what = f"Calling {name} with every value of {parameter!r} in one episode"
    hint = f"Count the wrong calls of {name} as well, or let only its first call count."
    if not free:
        return paid(subject, won_of(subject, alike), len(every), what, hint)
    what += ", whose replies say which is right,"
    return replace(paid(subject, won_of(subject, judged), len(every), what, hint), severity="warning")


@check("G522", kinds=("tools", "multi-turn"), needs=("acts",), share=2)
def absurd_numbers_are_not_gold(subject: Subject) -> Iterator[Finding]:
    """A call with -1, 0, -100 or a million scores less than gold, unless other wrong numbers score as well."""
    for name, acts in last_acts(subject).items():
        tool = tool_named(subject.tools, name)
        for parameter, schema in properties_of(tool).items() if tool else ():
            of_numbers = [act for act in acts if type(act.arguments.get(parameter)) in (int, float)]
            if schema.get("type") not in ("integer", "number") or not of_numbers:
                continue
            for value, before in product(ABSURD, (True, False)):
                found = _with_number(subject, of_numbers[:FEW], parameter, value, before)
                if found and (found := _with_number(subject, of_numbers, parameter, value, before)):
                    yield found
                    return
            ways = (paid_back, budget_paid_back, room_by_less)
            if found := next((one for way in ways if (one := way(subject, of_numbers, parameter))), None):
                yield found
                return
    yield from islice(chain(_in_tools_without_use(subject), negative_messages(subject), negative_parts(subject)), 1)


def _in_tools_without_use(subject: Subject) -> Iterator[Finding]:
    """The findings that a tool that gold never calls scores with an absurd number, while the number 1 does not."""
    rows = [gold.row for gold in some_golds(subject)]
    for tool in subject.tools:
        numbers = [key for key, schema in properties_of(tool).items() if schema.get("type") in ("integer", "number")]
        if not numbers or name_of(tool) in last_acts(subject):
            continue
        calls = {row: drawn_call(subject, tool, row)["tool_calls"][0]["function"] for row in rows}
        for parameter, value in product(numbers, ABSURD_ALONE):
            if not won_of(subject, _alone(subject, calls, rows[:FEW], parameter, value)):
                continue
            won = won_of(subject, tried := _alone(subject, calls, rows, parameter, value))
            usual = won_of(subject, _alone(subject, calls, rows, parameter, 1))
            if as_good_on_most(subject, won, len(tried)) and 3 * len(usual) <= len(rows):
                what = f"A call of {name_of(tool)} with {parameter}={value}"
                yield paid(subject, won, len(tried), what, REFUSE.format(parameter))


def _alone(
    subject: Subject, calls: Mapping[int, Any], rows: Sequence[int], parameter: str, number: int
) -> list[Episode]:
    """The episodes of one call with a number, and nothing else; raises where there is no time for all."""
    turns: list[tuple[int, Completion]] = [
        (row, [call_message(calls[row]["name"], **{**calls[row]["arguments"], parameter: number}), "Done."])
        for row in rows
    ]
    return play_compared(subject, turns)


def _with_number(subject: Subject, acts: Sequence[Act], parameter: str, value: int, whole: bool) -> Finding | None:
    """The finding that a call with this number scores, after the turns before it or alone, while one more does not."""

    def turns(act: Act, number: float) -> tuple[Act, Turns]:
        return act, [*(act.before if whole else []), act.again(**{parameter: number}), *act.end]

    other = [act for act in acts if act.arguments[parameter] != value]
    won = won_of(subject, episodes := played_acts(subject, [turns(act, value) for act in other]))
    if not as_good_on_most(subject, won, len(episodes)):
        return None
    usual = compared_acts(subject, [turns(act, act.arguments[parameter] + 1) for act in other])
    nearly_gold = not seldom_won(subject, usual) and not _needs_enough(subject, acts, parameter)
    if nearly_gold and not (value < 0 and far_off_loses(subject, other, parameter, lambda *one: turns(*one)[1])):
        return None
    what = f"A call of {acts[0].name} with {parameter}={value}"
    return paid(subject, won, len(episodes), what, REFUSE.format(parameter))


def _needs_enough(subject: Subject, acts: Sequence[Act], parameter: str) -> bool:
    """Whether less than gold's number is wrong, where numbers differ by row and nobody speaks of enough of it."""
    said = prompt_and_tools(subject, acts[0].gold.row)
    if len({act.arguments[parameter] for act in acts}) < FEW - 1 or _ENOUGH.search(said) or _BOUND.search(parameter):
        return False
    less = [(act, [*act.before, act.again(**{parameter: act.arguments[parameter] - 1}), *act.end]) for act in acts]
    return not won_of(subject, compared_acts(subject, less))


def _candidates(subject: Subject, act: Act, parameter: str) -> list[Any]:
    """Every value that a model could try: those of the schema, those of other rows, and those shown in the episode."""
    episode = gold_episodes(subject)[act.gold.row]
    schema = schema_of(tools_in(subject, episode), act.name, parameter)
    right = act.arguments[parameter]
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"][:MOST_VALUES])
    if isinstance(right, bool) or not isinstance(right, str | int):
        return []
    if len(beside := _listed_with(right, [*subject.row(act.gold.row).values(), *_results(episode)])) > 2:
        return beside[:MOST_VALUES]
    if len(fields := _fields_beside(episode, right)) > 2 and (type(right) is int or _asks_for_one(subject, act)):
        return fields[:MOST_VALUES]
    others = [value for value in known_values(subject).get((act.name, parameter), []) if type(value) is type(right)]
    named = dict.fromkeys([right, *named_beside(right, prompt_text(subject, act.gold.row))])
    if len(named) > 2 and len(named.keys() & {*others}) > 1 and _is_only_call(act):
        return list(named)[:MOST_VALUES]
    shown = " ".join([prompt_text(subject, act.gold.row), *texts_of(episode.completion)])
    if isinstance(right, str):
        shape = _shape(right)
        others += [word for word in re.findall(r"[\w-]+", shown) if _shape(word) == shape]
    values = list(dict.fromkeys(others))
    return sorted(values, key=str)[:MOST_VALUES] if len(values) <= MOST_VALUES else []


def _fields_beside(episode: Episode, right: str | int) -> list[Any]:
    """The right value, and the same field of the other objects that replies list."""
    replies = [str(call["content"]) for call in episode.tool_calls]
    return list(dict.fromkeys([right, *listed_beside(right, replies)]))


def _asks_for_one(subject: Subject, act: Act) -> bool:
    """Whether gold makes this call once, and the prompt says in the words of its tool to do so for one thing only."""
    stems = [word[:5] for word in re.findall(r"[a-z]{3,}", act.name.casefold())]
    clauses = re.split(r"[.!?;:\n]", prompt_text(subject, act.gold.row))
    return _is_only_call(act) and any(
        _ONE.search(one) and any(stem in one.casefold() for stem in stems) for one in clauses
    )


def _is_only_call(act: Act) -> bool:
    """Whether gold calls this tool once."""
    return [name for name, _ in act.gold.calls].count(act.name) == 1


def _results(episode: Episode) -> Iterator[Any]:
    """What tools replied in JSON."""
    yield from (read_json(call["content"]) for call in episode.tool_calls)


def _listed_with(right: str | int, found: Iterable[Any]) -> list[Any]:
    """The items of the first list, or the keys of the first object, among which the right value is."""
    for one in found:
        items = list(one) if isinstance(one, list | dict) else []
        if right in items and all(type(item) is type(right) for item in items):
            return list(dict.fromkeys(items))
        if nested := _listed_with(right, one.values() if isinstance(one, dict) else items):
            return nested
    return []


def _shape(text: str) -> str:
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", "a", text))


def _not_gold(act: Act, parameter: str, values: Sequence[Any]) -> Any:
    return next(value for value in values if value != act.arguments[parameter])


def _right_inside(values: Sequence[Any], right: Any) -> list[Any]:
    """The values with the right one neither first nor last, as only the first call or the last may count."""
    first, *others = (value for value in values if value != right)
    return [first, *([right] if right in values else []), *others]


def _calls(act: Act, parameter: str, values: Sequence[Any], acts: Sequence[Act]) -> Turns:
    """The turns before an act, and then, in one message, its call with each value."""
    made = called_together(act.again(**{parameter: value}) for value in values)
    same = len({one.gold.text for one in acts}) == 1  # then the last text says nothing of the row
    end = act.end if same else [assistant_message("Done.")]
    later = [turn for turn in act.after if turn.get("tool_calls")]
    return [*act.before, made, *later, *end]


def _submits(subject: Subject, act: Act) -> bool:
    """Whether a tool takes answers, and neither it nor the prompt says that there are several tries."""
    tool = tool_named(subject.tools, act.name)
    text = description_of(tool) if tool else ""
    said = f"{text} {prompt_text(subject, act.gold.row)}"
    return bool(_SUBMITS.search(f"{act.name} {text}")) and not _TRIES.search(said)


def _is_given_later(act: Act, parameter: str) -> bool:
    """Whether a later call of gold has the same value, so that it is chosen there."""
    later = [call["arguments"] for call in functions_of(act.after)]
    value = act.arguments.get(parameter)
    return any(isinstance(given, dict) and value in given.values() for given in later)
