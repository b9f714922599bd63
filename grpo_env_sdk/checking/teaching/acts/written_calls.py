"""Whether calls that an answer only writes, and nothing runs, are compared as a whole."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold.compared_calls import is_made_up
from grpo_env_sdk.checking.evidence.gold.gold_source import COMPARED_CALLS, found_calls
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import required_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid, played_turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.acts.calls_in_text import calls_without_arguments
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Message, canonical_json

FEWEST_ROWS, MOST_ROWS, MOST_OTHERS, MOSTLY = 6, 24, 12, 0.75
Call = dict[str, Any]
_HINT = "Compare the name and all arguments of every call with those of the row, and how many calls there are."


@dataclass(frozen=True, slots=True)
class Changed:
    """The calls of a gold answer with a change, and whether the prompt names what was changed."""

    what: str
    gold: Gold
    calls: list[Call]
    named: bool = True


@check("G625", needs=("gold",), kinds=("single-turn",), share=2)
def written_calls_are_compared_as_a_whole(subject: Subject) -> Iterator[Finding]:
    """Gold's calls with another tool, other arguments, fewer of them, or more calls, score less."""
    known = [gold for gold in some_golds(subject) if gold.calls and len(gold.calls) == len(_calls(gold))]
    if len(known) < FEWEST_ROWS:
        return
    kinds: dict[str, list[Changed]] = defaultdict(list)
    for gold in known:
        needed = {name for tool in subject.tools_of(gold.row) for name in required_of(tool)}
        for one in _changed(gold, known, prompt_text(subject, gold.row), needed):
            kinds[one.what].append(one)
    for what, tried in kinds.items():
        turns = {one.gold.row: _with_calls(one.gold, one.calls) for one in tried}
        won = won_of(subject, played_turns(subject, turns)) if len(turns) >= FEWEST_ROWS else []
        if as_good_on_most(subject, won, len(turns)):
            found = paid(subject, won, len(turns), what, _HINT)
            sure = 2 * sum(one.named for one in tried) > len(tried)
            yield found if sure else replace(found, severity="warning")
            return


@check("G626", kinds=("single-turn",))
def made_up_arguments_do_not_score(subject: Subject) -> Iterator[Finding]:
    """Where nothing else says what gold is, no call scores the top whose arguments nobody asked for, or without any."""
    if not subject.tools:
        yield from calls_without_arguments(subject)
        return
    find = found_calls(subject) if subject.gold_source in (None, COMPARED_CALLS) else None
    if find is None:
        return
    by_tool: dict[str, dict[int, list[Message]]] = defaultdict(dict)
    for row in subject.sample(MOST_ROWS):
        if (message := find(row)) is not None and len(message[0].get("tool_calls") or ()) == 1:
            by_tool[message[0]["tool_calls"][0]["function"]["name"]][row] = message
    for name, won in by_tool.items():
        free = {row: names for row, message in won.items() if (names := _made_up(message))}
        if len(free) >= FEWEST_ROWS and len(free) >= MOSTLY * len(won):
            yield _never_compared(subject, name, won, free)
            return


def _never_compared(
    subject: Subject, name: str, won: Mapping[int, list[Message]], free: Mapping[int, Sequence[str]]
) -> Finding:
    row, names = next(iter(free.items()))
    reward = subject.answer(row, won[row]).reward or 0.0
    given = won[row][0]["tool_calls"][0]["function"]["arguments"]
    sure = len(names) == len(given) or any(not isinstance(given[one], str) for one in names)  # texts may be free
    return Finding(
        f"A call of {name} with {joined([repr(one) for one in names])} that nobody asked for scores {reward:g}, the "
        f"top, on {Share(len(free), len(won))}.",
        _HINT, row, won[row], reward, f"less than {reward:g}", severity="error" if sure else "warning",
    )  # fmt: skip


def _made_up(message: Sequence[Message]) -> list[str]:
    """The parameters of a call that were never compared, but for those that only exist to be read."""
    given = message[0]["tool_calls"][0]["function"]["arguments"]
    return [name for name, value in given.items() if is_made_up(value) and not FOR_READERS.search(name)]


def _changed(gold: Gold, known: Sequence[Gold], prompt: str, needed: set[str]) -> Iterator[Changed]:
    """Gold's calls in wrong forms, the worst first; `needed` are the parameters that schemas require."""
    own = _calls(gold)
    others = [one for one in known if canonical_json(_calls(one)) != canonical_json(own)][:MOST_OTHERS]
    last, rest = own[-1], own[:-1]
    same_tool = [call for one in others for call in _calls(one) if call["name"] == last["name"]]
    other_tool = [call for one in others for call in _calls(one) if call["name"] != last["name"]]
    different = [call for call in same_tool if not _shares(call, last)]
    for wrong in different[:1]:
        yield Changed("A call of the right tool with all arguments of another row", gold, [*rest, wrong])
    if last["arguments"]:
        yield Changed(
            "Gold's call without its arguments",
            gold,
            [*rest, _call(last["name"], {})],
            bool(needed & {*last["arguments"]}),
        )
    for wrong in other_tool[:1]:
        yield Changed("A call of another tool", gold, [*rest, wrong])
        yield Changed("Another tool with gold's arguments", gold, [*rest, _call(wrong["name"], last["arguments"])])
    yield from _with_others(gold, own, others)
    for name, value in last["arguments"].items():
        named = _is_named(name, value, prompt)
        if not named and type(value) not in (int, float):
            continue  # a text in words of one's own
        for other in _other_values(name, value, same_tool):
            yield _argument(f"Gold's call with another {name!r}", gold, name, other, named)
        if type(value) is int:
            yield _argument(f"Gold's call with one more for {name!r}", gold, name, value + 1, named)
            yield _argument(f"Gold's call with one less for {name!r}", gold, name, value - 1, named)
        if len(last["arguments"]) > 1:
            fewer = {key: given for key, given in last["arguments"].items() if key != name}
            yield Changed(
                f"Gold's call without {name!r}", gold, [*rest, _call(last["name"], fewer)], named and name in needed
            )
        if isinstance(value, str) and len(value) > 2:
            yield _argument(f"Gold's call with the first letter of {name!r} alone", gold, name, value[0], named)
            yield _argument(f"Gold's call with an empty {name!r}", gold, name, "", named)
            yield _argument(f"Gold's call with more behind {name!r}", gold, name, f"{value} lorem ipsum", False)


def _with_others(gold: Gold, own: Sequence[Call], others: Sequence[Gold]) -> Iterator[Changed]:
    """Gold's calls beside those of other rows, before and behind them."""
    wrong = [call for one in others for call in _calls(one) if call not in own]
    for call in wrong[:1]:
        yield Changed("Gold with a call of another row behind it", gold, [*own, call])
        yield Changed("Gold with a call of another row before it", gold, [call, *own])
    if len(own) > 1:
        yield Changed("Gold without its last call", gold, list(own[:-1]))
        yield Changed("Gold without its first call", gold, list(own[1:]))


def _argument(what: str, gold: Gold, name: str, value: Any, named: bool) -> Changed:
    *rest, last = _calls(gold)
    return Changed(what, gold, [*rest, _call(last["name"], {**last["arguments"], name: value})], named)


def _other_values(name: str, value: Any, calls: Sequence[Call]) -> list[Any]:
    """One other value of a parameter, of another row or made up."""
    known = [call["arguments"][name] for call in calls if name in call["arguments"]]
    different = [one for one in known if type(one) is type(value) and one != value]
    if not different and isinstance(value, str):
        different = [f"un{value}"]
    if not different and type(value) in (int, float):
        different = [value + 1]
    return different[:1]


def _is_named(name: str, value: Any, prompt: str) -> bool:
    """Whether the prompt says a value, which a parameter takes that does not only exist to be read."""
    return not FOR_READERS.search(name) and isinstance(value, str | int | float) and says(prompt, str(value))


def _shares(one: Call, other: Call) -> bool:
    return any(other["arguments"].get(name) == value for name, value in one["arguments"].items())


def _calls(gold: Gold) -> list[Call]:
    """The calls of its last message."""
    found = [deepcopy(call["function"]) for call in gold.turns[-1].get("tool_calls") or ()]
    return [_call(call["name"], call["arguments"]) for call in found]


def _call(name: str, arguments: Mapping[str, Any]) -> Call:
    return {"name": name, "arguments": dict(arguments) if isinstance(arguments, Mapping) else arguments}


def _with_calls(gold: Gold, calls: Sequence[Call]) -> list[Message]:
    written = [{"type": "function", "function": call} for call in calls]
    return [*gold.turns[:-1], {**gold.turns[-1], "tool_calls": written}]
