"""Whether taking away what a task is about is as good as doing it: deleting, cancelling or skipping each thing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look, only_looks
from grpo_env_sdk.checking.evidence.secret_words import TOKEN
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    acts_of,
    as_good_on_most,
    compared_turns,
    last_acts,
    paid,
    played_turns,
    some_golds,
)
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import things_in
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.form import NEGATED
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

TASTED, MOST_THINGS, MOST_CHARS = 4, 40, 40
"""On how many rows all that is listed is taken away at first, how many things at most, and how long their names are."""
_TAKES_AWAY = regex(
    r"(?:^|_)(delet|remov|drop|clear|cancel|discard|skip|archiv|dismiss|abandon|purg|wip|eras|reset|ignor|hid|postpon|"
    r"snooz|void|empt|truncat|withdraw|disabl|mut|reject|declin|scrap|trash|annul|revok|waiv|retir)(?:e|es|el|y)?(?:_|$)"
)
_SAYS_SO = regex(
    r"\W*(?:(delet|remov|cancel|discard|dismiss|eras|withdraw|scrap)\w*|(tak)es? (?:\w+ ){1,5}(?:off|out of) the)\b",
    re.IGNORECASE,
)
"""How descriptions begin that say the same."""
Turns = dict[int, list[Message]]


@check("G622", needs=("gold",), kinds=("tools",))
def taking_away_is_not_doing(subject: Subject) -> Iterator[Finding]:
    """Gold with calls that take things away in place of each call that does something with them scores less."""
    used = last_acts(subject)
    doing = [
        {name_of(tool) for tool in subject.tools if not looks(tool)} & set(used)
        for looks in (may_only_look, only_looks)
    ]
    for tool, acting in product(
        subject.tools, [names for n, names in enumerate(doing) if names and names not in doing[:n]]
    ):
        word = _word_for_it(tool)
        if not word or name_of(tool) in used or any(_TAKES_AWAY.search(name) for name in acting):
            continue
        known = [gold for gold in some_golds(subject) if not _is_asked(word, prompt_text(subject, gold.row))]
        for way in (_in_place, _all_that_is_listed):
            won, of, what = way(subject, known, acting, tool)
            if not as_good_on_most(subject, won, of):
                continue
            rows = {episode.row_index for episode in won}
            idle = {gold.row: _others(gold, acting) for gold in known if gold.row in rows}
            if not won_of(subject, compared_turns(subject, idle)):
                hint = f"Score what was done, and not what is left: {name_of(tool)} leaves nothing to be done."
                yield paid(subject, won, of, f"{name_of(tool)} {what} {' or '.join(sorted(acting))}", hint)
                return


Played = tuple[list[Episode], int, str]
"""The episodes that score as gold, of how many, and what was done in them, as a message says it."""


def _word_for_it(tool: Mapping[str, Any]) -> str:
    """The beginning of the verb with which a tool says that it takes something away; empty where it does not."""
    told = description_of(tool)
    found = _TAKES_AWAY.search(name_of(tool)) or (None if only_looks(tool) else _SAYS_SO.match(told))
    return next(filter(None, found.groups())).casefold() if found else ""


def _in_place(subject: Subject, known: Sequence[Gold], acting: set[str], tool: Mapping[str, Any]) -> Played:
    """Gold with the tool for what each of its acts names."""
    tried = {gold.row: turns for gold in known if (turns := _without_work(gold, acting, tool))}
    return won_of(subject, played_turns(subject, tried)), len(tried), "in place of each call of"


def _all_that_is_listed(subject: Subject, known: Sequence[Gold], acting: set[str], tool: Mapping[str, Any]) -> Played:
    """Gold with the tool for everything that is listed, without its acts."""
    won: list[Episode] = []
    tried: Turns = {}
    for rows in (known[:TASTED], known[TASTED:]) if _takes_a_thing(tool) else ():
        new = {gold.row: turns for gold in rows if (turns := _with_all_listed(subject, gold, acting, tool))}
        tried |= new
        won += won_of(subject, played_turns(subject, new))
        if len(won) < min(TASTED - 1, len(known)):
            break
    return won, len(tried), "of everything that is listed in place of all calls of"


def _takes_a_thing(tool: Mapping[str, Any]) -> str:
    """The one parameter of a tool that has to be given, if it is a text or a whole number."""
    wanted = [key for key in required_of(tool) if not FOR_READERS.search(key)]
    kinds = [properties_of(tool).get(key, {}).get("type") for key in wanted]
    return wanted[0] if kinds in (["string"], ["integer"]) else ""


def _with_all_listed(subject: Subject, gold: Gold, acting: set[str], tool: Mapping[str, Any]) -> list[Message]:
    """Gold with the tool for all that is listed in one message, without its acts; nothing where little is listed."""
    key = _takes_a_thing(tool)
    is_number = properties_of(tool)[key].get("type") == "integer"
    given: dict[str, Any] = dict.fromkeys(required_of(tool), "done")
    things = [int(one) if is_number else one for one in _listed(subject, gold) if one.isdecimal() or not is_number]
    calls = [call_message(name_of(tool), **{**given, key: one})["tool_calls"][0] for one in things[:MOST_THINGS]]
    taken: Message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{**c, "id": f"t{n}"} for n, c in enumerate(calls)],
    }
    turns = _others(gold, acting)
    end = [turn for turn in turns[-1:] if not turn.get("tool_calls")]
    return (
        [*turns[: len(turns) - len(end)], taken, *(end or [{"role": "assistant", "content": "Done."}])] if calls else []
    )


def _listed(subject: Subject, gold: Gold) -> list[str]:
    """What looks without a value, and those of gold, list, and the words with digits of the prompt."""
    looks = [
        call_message(name_of(one)) for one in subject.tools_of(gold.row) if only_looks(one) and not required_of(one)
    ]
    episodes = play_answers(subject, [(gold.row, [*looks, ""])] if looks else [])
    calls = [call for one in (*episodes, gold_episodes(subject)[gold.row]) for call in one.tool_calls]
    found = [str(thing) for call in calls if not call["error"] for thing in things_in(str(call["content"]))]
    named = [word for word in TOKEN.findall(prompt_text(subject, gold.row)) if any(map(str.isdigit, word))]
    short = [one for one in dict.fromkeys([*found, *named]) if 0 < len(one) <= MOST_CHARS]
    return sorted(short, key=lambda one: not any(map(str.isdigit, one)))


def _is_asked(word: str, prompt: str) -> bool:
    """Whether a sentence of the prompt speaks of it, and does not forbid it."""
    said = regex(rf"\b{word}", re.IGNORECASE)
    return any(said.search(one) and not re.search(NEGATED, one, re.IGNORECASE) for one in sentences_of(prompt))


def _without_work(gold: Gold, acting: set[str], tool: Mapping[str, Any]) -> list[Message]:
    """Gold with calls of another tool for those that do something, with what they name; none where that is not all."""
    turns: list[Message] = []
    for act in acts_of(gold):
        name, given = _call(act)
        if name not in acting:
            turns.append(act)
        elif all(key in given for key in required_of(tool)):
            call = call_message(name_of(tool), **{key: given[key] for key in required_of(tool)})
            if canonical_json(call["tool_calls"][0]["function"]) not in map(_written, turns):
                turns.append(call)
        else:
            return []
    return turns


def _others(gold: Gold, acting: set[str]) -> list[Message]:
    return [act for act in acts_of(gold) if _call(act)[0] not in acting]


def _call(act: Message) -> tuple[str, dict[str, Any]]:
    for call in act.get("tool_calls") or ():
        given = call["function"]["arguments"]
        return call["function"]["name"], given if isinstance(given, dict) else {}
    return "", {}


def _written(act: Message) -> str:
    return canonical_json(act["tool_calls"][0]["function"]) if act.get("tool_calls") else ""
