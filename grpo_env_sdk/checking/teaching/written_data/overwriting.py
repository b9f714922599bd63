"""Whether tools can overwrite what the scorer compares with, or copy it to where gold has to write."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.corruption import wrong_value
from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    Act,
    Turns,
    as_good_on_most,
    called_together,
    compared_acts,
    last_acts,
    looking_tools,
    paid,
    played_acts,
    seldom_won,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

MOST_KEYS, MOST_PARAMETERS = 60, 4
_KEEPS = ("expected", "target", "answer", "solution", "reference", "gold", "correct", "truth", "want", "goal")
"""How scorers name what they compare with."""
_NAME = regex(r"[A-Za-z_/.~][\w./-]{0,60}\w")
_HINT = "Compare with the row, or with what no tool can write, rename or copy, and not with what is kept beside it."


def overwritten_targets(subject: Subject) -> Iterator[Finding]:
    """The findings that writing one wrong value everywhere is gold, or that copying something to gold's place is."""
    looking = looking_tools(subject)
    for name, acts in last_acts(subject).items():
        for key, value in _written_pairs(acts) if name not in looking else ():
            yield from _same_everywhere(subject, name, acts, key, value)
    yield from _copied(subject)


def _written_pairs(acts: Sequence[Act]) -> Iterator[tuple[str, str]]:
    """Each two parameters of a tool of which one may name a place and the other what is written there."""
    names = [name for name, value in acts[0].arguments.items() if isinstance(value, str | int | float)][
        :MOST_PARAMETERS
    ]
    for key in names:
        places = {str(act.arguments.get(key)) for act in acts}
        if all(_NAME.fullmatch(place) for place in places):
            yield from ((key, value) for value in names if value != key)


def _same_everywhere(subject: Subject, name: str, acts: Sequence[Act], key: str, value: str) -> Iterator[Finding]:
    """The finding that a wrong value in gold's place and in every other is gold, and in gold's place alone is not."""
    own = [act for act in acts if key in act.arguments and value in act.arguments]
    alone = [(act, [*act.before, act.again(**{value: _wrong(act, value)}), *act.end]) for act in own]
    wrong = compared_acts(subject, alone)
    if not own or not seldom_won(subject, wrong):
        return
    tried = [(act, _everywhere(act, key, value, _places(subject, act, act.arguments[key]))) for act in own]
    played = played_acts(subject, tried)
    won = won_of(subject, played)
    if as_good_on_most(subject, won, len(played)):
        what = f"A wrong {value!r} that {name} also writes to other places, as {key!r},"
        place = _place_of(subject, own[0], key, value)
        what += f" such as {place!r}," if place else ""
        yield replace(paid(subject, won, len(played), what, _HINT), severity="error")


def _place_of(subject: Subject, act: Act, key: str, value: str) -> str:
    """The one place that decides it, where there is one."""
    for place in _places(subject, act, act.arguments[key]):
        if won_of(subject, played_acts(subject, [(act, _everywhere(act, key, value, [place]))])):
            return place
    return ""


def _everywhere(act: Act, key: str, value: str, places: Sequence[str]) -> Turns:
    """Gold's act with a wrong value, in one message with the same act in other places."""
    wrong = _wrong(act, value)
    made = [act.again(**{value: wrong}), *(act.again(**{key: place, value: wrong}) for place in places)]
    return [*act.before, called_together(made), *act.end]


def _wrong(act: Act, value: str) -> Any:
    return wrong_value(act.arguments[value])


def _copied(subject: Subject) -> Iterator[Finding]:
    """The findings that a call with two places, such as a copy, puts what the scorer has into gold's place."""
    for acts in last_acts(subject).values():
        for key, value in _written_pairs(acts):
            for tool in subject.tools:
                names = [one for one in required_of(tool) if properties_of(tool)[one].get("type") == "string"]
                if len(names) != 2 or len(required_of(tool)) != 2 or name_of(tool) in last_acts(subject):
                    continue
                for order in (names, names[::-1]):
                    tried = [
                        (act, _copies(subject, act, key, value, tool, order)) for act in acts if key in act.arguments
                    ]
                    played = played_acts(subject, [(act, turns) for act, turns in tried if turns])
                    won = won_of(subject, played)
                    if as_good_on_most(subject, won, len(played)):
                        what = f"{name_of(tool)} with other places and that of gold, in place of {acts[0].name},"
                        yield replace(paid(subject, won, len(played), what, _HINT), severity="error")
                        return


def _copies(
    subject: Subject, act: Act, key: str, value: str, tool: dict[str, Any], order: Sequence[str]
) -> list[Message]:
    """A wrong act of gold, and then the tool from each other place to that of gold, but for places of the prompt."""
    own = str(act.arguments[key])
    asked = prompt_text(subject, act.gold.row)
    places = [place for place in _places(subject, act, own) if place not in asked]
    made = [call_message(name_of(tool), **{order[0]: place, order[1]: own}) for place in places[:MOST_KEYS]]
    return [*act.before, called_together([act.again(**{value: _wrong(act, value)}), *made]), *act.end] if made else []


def _places(subject: Subject, act: Act, own: Any) -> list[str]:
    """Other places: what replies of gold and of tools without arguments name, and the usual names of what is kept."""
    row, name = act.gold.row, str(own)
    texts = [*replies_to_gold(subject, row), *_listings(subject, act)]
    shown = [word for text in texts for word in _NAME.findall(text)]
    stem, dot, end = name.rpartition(".") if re.search(r"\.[a-z]{1,5}$", name) else (name, "", "")
    folder, slash, _ = stem.rpartition("/")
    usual = [f"{folder}{slash}{kept}{dot}{end}" for kept in _KEEPS]
    usual += [f"{kept}_{stem}{dot}{end}" for kept in _KEEPS] + [f"{stem}_{kept}{dot}{end}" for kept in _KEEPS]
    columns = [column for column in subject.row(row) if column not in ("prompt", "case_idx")]
    found = dict.fromkeys([*columns, *usual, *(word for word in shown if len(word) < 40)])
    return [place for place in found if place != name and place not in act.arguments][:MOST_KEYS]


def _listings(subject: Subject, act: Act) -> list[str]:
    """What tools that only look reply, asked first, without arguments or with those of gold's act."""
    row, had = act.gold.row, act.arguments
    looks = [tool for tool in subject.tools_of(row) if name_of(tool) != act.name and set(required_of(tool)) <= set(had)]
    calls = [call_message(name_of(tool), **{name: had[name] for name in required_of(tool)}) for tool in looks]
    return (
        [text for one in subject.answers([(row, [*calls, ""])]) for text in texts_of(one.completion)] if calls else []
    )
