"""Whether a change that nobody asked for is as good as gold, where the prompt says to leave the rest as it is."""

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import things_in
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, TASTED, MOST_VALUES, MOST_KINDS, MOST_LOOKS = 8, 2, 2, 4, 2
"""On how many rows, of which so many first, with how many values for how many arguments, and how often is looked."""
UNKNOWN = {int: 987_650, str: "zephyr"}
"""Values that nothing has."""
_CHANGE = r"(?:chang|touch|delet|remov|cancel|mov|add|modif|edit|alter|renam|overwrit)\w*"
_LEAVE = regex(
    r"\b(?:leave|leaving|keep|keeping)\b[^.;\n]{0,20}?\b(?:(?:everything|anything|all|every\w+) else|"
    r"(?:the|all|any) (?:rest|others?))\b|"
    rf"\b{_CHANGE} nothing else\b|\b(?:not|n't|never|without|no) {_CHANGE} (?:anything else|any other|other)\b|"
    rf"\bnothing else (?:may|must|should|is to|can) be {_CHANGE}\b|\bno other \w+ (?:may|must|should) be {_CHANGE}\b",
    re.IGNORECASE,
)
"""What a prompt says where changes beside the one that is asked for are wrong."""
_ENDS = regex(r"submit|finish|done|end|answer|close|complete|confirm|commit|save|publish|push|apply|check|report")
"""The names of tools after which a change may be too late to count."""
Kind = tuple[str, str]
"""A tool that changes something, and one of its parameters."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A gold answer, the message of its last change, the calls before its end, and what looks show after it."""

    gold: Gold
    turn: int
    calls: int
    looks: Sequence[Message]
    shown: Sequence[str] = ()

    def turns(self, *more: Message) -> list[Message]:
        """Gold with more calls behind its last change, and the looks after them, in the same message."""
        turns = deepcopy(self.gold.turns)
        calls = [deepcopy(one["tool_calls"][0]) for one in (*more, *self.looks)]
        turns[self.turn]["tool_calls"] += [{**one, "id": f"more_{place}"} for place, one in enumerate(calls)]
        return turns

    def seen(self, episode: Episode, more: int = 0) -> list[str]:
        """What the looks show in an episode."""
        start = self.calls + more
        return [str(call["content"]) for call in episode.tool_calls[start : start + len(self.looks)]]


@check("G660", needs=("gold",), kinds=("tools",))
def the_rest_is_left_as_it_is(subject: Subject) -> Iterator[Finding]:
    """Gold and a change of something else scores less, where the prompt says to leave the rest as it is."""
    known = [gold for gold in some_golds(subject) if _LEAVE.search(prompt_text(subject, gold.row))][:MOST_ROWS]
    names = {name_of(tool) for tool in subject.tools if not only_looks(tool)}
    changing = {name for name in names if not _ENDS.search(name)}
    if len(known) < FEWEST_ROWS:
        return
    won: dict[Kind, list[Episode]] = {}
    tried: dict[Kind, int] = {}
    for place, gold in enumerate(known):
        looked = _looked(subject, gold, changing, names)
        kinds = _kinds(gold, changing) if looked else ()
        for kind in kinds if place < TASTED else [one for one in kinds if won.get(one)]:
            episode = _changed(subject, looked, kind, known) if looked else None
            tried[kind] = tried.get(kind, 0) + (episode is not None)
            if episode is not None and as_good_as_gold(subject, episode):
                won.setdefault(kind, []).append(episode)
    for (tool, parameter), episodes in won.items():
        if as_good_on_most(subject, episodes, tried[tool, parameter]):
            what = f"Gold and one more call of {tool}, with {parameter!r} of something that is to be left as it is,"
            hint = "Compare everything that calls can change with what it was before, but for what is asked for."
            yield paid(subject, episodes, tried[tool, parameter], what, hint)
            return


def _kinds(gold: Gold, changing: set[str]) -> list[Kind]:
    """The tools of gold that change something, and their parameters of texts and whole numbers."""
    found = [
        (name, key) for name, given in gold.calls if name in changing
        for key, value in given.items() if type(value) in UNKNOWN
    ]  # fmt: skip
    return list(dict.fromkeys(found))[:MOST_KINDS]


def _looked(subject: Subject, gold: Gold, changing: set[str], names: set[str]) -> Looked | None:
    """What gold's own looks show after its last change; None where there are none, or looking costs something."""
    turns = [functions_of([turn]) for turn in gold.turns]
    last = max((place for place, calls in enumerate(turns) if any(c["name"] in changing for c in calls)), default=-1)
    looks = [call for calls in turns for call in calls if call["name"] not in names]
    distinct = list({canonical_json(call): call for call in looks if isinstance(call["arguments"], dict)}.values())
    if last < 0 or not distinct:
        return None
    messages = [call_message(call["name"], **call["arguments"]) for call in distinct[:MOST_LOOKS]]
    found = Looked(gold, last, sum(map(len, turns[: last + 1])), messages)
    for episode in play_answers(subject, [(gold.row, found.turns())]):
        shown = found.seen(episode)
        if not episode.error and as_good_as_gold(subject, episode) and len(shown) == len(messages):
            return Looked(gold, last, found.calls, messages, shown)
    return None


def _changed(subject: Subject, looked: Looked, kind: Kind, known: Sequence[Gold]) -> Episode | None:
    """The episode of gold and one more call that changes what looks show, unless one with a made-up value does too."""
    tool, parameter = kind
    given = next(given for name, given in reversed(looked.gold.calls) if name == tool and parameter in given)
    values = _values(looked, kind, given, known)
    if not values or _change(subject, looked, tool, {**given, parameter: UNKNOWN[type(given[parameter])]}):
        return None
    found = (_change(subject, looked, tool, {**given, parameter: value}) for value in values)
    return next((episode for episode in found if episode is not None), None)


def _change(subject: Subject, looked: Looked, tool: str, given: dict[str, Any]) -> Episode | None:
    """The episode of gold and this call, if it is carried out and looks show something else after it."""
    for episode in play_answers(subject, [(looked.gold.row, looked.turns(call_message(tool, **given)))]):
        call = episode.tool_calls[looked.calls] if len(episode.tool_calls) > looked.calls else None
        if episode.error or call is None or call["error"] or SAYS_WRONG.search(str(call["content"])):
            return None
        seen = looked.seen(episode, 1)
        return episode if len(seen) == len(looked.shown) and seen != list(looked.shown) else None
    return None


def _values(looked: Looked, kind: Kind, given: dict[str, Any], known: Sequence[Gold]) -> list[Any]:
    """Values for a parameter that looks show, and those of gold on other rows; none that gold gives to any call."""
    tool, parameter = kind
    own = {str(value) for _, arguments in looked.gold.calls for value in arguments.values()}
    shown = [value for reply in looked.shown for value in things_in(reply)]
    if isinstance(given[parameter], int):
        shown = [int(value) for value in shown if str(value).isdecimal()]
    others = [one[parameter] for gold in known for name, one in gold.calls if name == tool and parameter in one]
    fitting = [value for value in (*shown, *others) if type(value) is type(given[parameter]) and str(value) not in own]
    return list(dict.fromkeys(fitting))[:MOST_VALUES]
