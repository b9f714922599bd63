"""Whether taking away what a task is about is as good as doing it: deleting, cancelling or skipping each thing."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
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
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.forms.form import NEGATED
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message, canonical_json

_TAKES_AWAY = re.compile(
    r"(?:^|_)(delet|remov|drop|clear|cancel|discard|skip|archiv|dismiss|abandon|purg|wip|eras|reset|ignor|hid|postpon|"
    r"snooz|void|empt|truncat|withdraw|disabl|mut)(?:e|es|el|y)?(?:_|$)"
)


@check("G622", needs=("gold",), kinds=("tools",))
def taking_away_is_not_doing(subject: Subject) -> Iterator[Finding]:
    """Gold with a call that takes a thing away in place of each call that does something with it scores less."""
    used = last_acts(subject)
    acting = {name_of(tool) for tool in subject.tools if not may_only_look(tool)} & set(used)
    for tool in subject.tools:
        found = _TAKES_AWAY.search(name_of(tool))
        if found is None or name_of(tool) in used or any(_TAKES_AWAY.search(name) for name in acting):
            continue
        known = [gold for gold in some_golds(subject) if not _is_asked(found[1], prompt_text(subject, gold.row))]
        tried = {gold.row: turns for gold in known if (turns := _without_work(gold, acting, tool))}
        won = won_of(subject, played_turns(subject, tried))
        if not as_good_on_most(subject, won, len(tried)):
            continue
        idle = {gold.row: _others(gold, acting) for gold in known if gold.row in tried}
        if not won_of(subject, compared_turns(subject, idle)):
            what = f"{name_of(tool)} in place of each call of {' or '.join(sorted(acting))}"
            hint = f"Score what was done, and not what is left: {name_of(tool)} leaves nothing to be done."
            yield paid(subject, won, len(tried), what, hint)
            return


def _is_asked(word: str, prompt: str) -> bool:
    """Whether a sentence of the prompt speaks of it, and does not forbid it."""
    said = re.compile(rf"\b{word}", re.IGNORECASE)
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
