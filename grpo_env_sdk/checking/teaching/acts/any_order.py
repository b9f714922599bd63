"""Whether what a prompt or a tool leaves open counts in any order: calls, lists, and an amount in two parts."""

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG, says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Turns,
    acts_of,
    carried_out,
    compared_turns,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.forms.list_forms import turned
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_BLOCK, FEWEST_LISTED = 3, 2
"""How many acts belong to one thing at most, and how many things there are at least."""
_ORDER = (
    r"(?:in (?:any|whatever|whichever) order|"
    r"(?:the|their) order (?:does not|doesn't|is not|isn't) (?:matter|important)|"
    r"in beliebiger Reihenfolge|dans n'importe quel ordre|en cualquier orden|in qualsiasi ordine|em qualquer ordem)"
)
ANY_ORDER = regex(rf"\b{_ORDER}\b", re.IGNORECASE)
_ASKED = regex(
    r"\b(?:add|answer|arrange|bring|book|buy|call|choose|clean|clear|close|collect|cook|deliver|do|enter|fetch|fill|"
    r"find|fix|give|hand|invite|list|load|make|move|name|open|order|pack|pay|pick|place|plant|print|put|report|return|"
    r"say|schedule|select|send|set|ship|submit|switch|take|tick|turn|use|visit|wash|water|write)\b"
    rf"[^.;\n]{{0,80}}\b{_ORDER}\b|\b(?:the|their) order (?:does not|doesn't|is not|isn't)|"
    r"\bin beliebiger|\bn'importe quel|\ben cualquier|\bin qualsiasi|\bem qualquer",
    re.IGNORECASE,
)
"""The same where it is said of what is to be done, and not of what is shown."""
_OF_ANSWER = regex(rf"\b(?:answer|reply|list|name|say|give|write|report)\b[^.,;:\n]{{0,60}}\b{_ORDER}\b", re.IGNORECASE)
_BEST = regex(
    r"\b(?:shortest|fewest|cheapest|best|optimal|quick\w*|fast\w*|short|distance|length|minim\w+|as few|first|before|"
    r"respective\w*|sort\w*|sequence|(?:re)?arrange|(?:un)?scramble\w*|shuffl\w+|"
    r"(?:this|the right|which|that) order)\b",
    re.IGNORECASE,
)
"""What a prompt says where another order may be worse, or not what is meant."""
_ADDS_UP = regex(
    r"\b(?:quantit(?:y|ies)|amounts?|counts?|numbers?|pieces|they)\b[^.\n]{0,20}"
    r"\b(?:add(?:s|ed)? up|(?:is|are) (?:added|summed)|accumulates?)\b",
    re.IGNORECASE,
)
_AT_ONCE = regex(r"\b(?:once|(?:one|a single|1|each) call|as few)\b", re.IGNORECASE)
_AMOUNT = regex(r"quantit|amount|count|number|pieces|many|units", re.IGNORECASE)
_HINT = "Compare what was done as a set, or what it adds up to at the end, and not the log of calls with a list."
Change = Callable[[Subject, Gold], Turns]


@check("G654", kinds=("tools", "multi-turn"), needs=("gold",))
def any_order_is_right_where_it_is_said(subject: Subject) -> Iterator[Finding]:
    """What may be done or listed in any order scores in another one too, and an amount that adds up in two parts."""
    for what, change in _CHANGES.items():
        tried = {gold.row: turns for gold in some_golds(subject) if (turns := change(subject, gold))}
        if len(tried) < FEWEST_ROWS:
            continue
        played = compared_turns(subject, tried)
        lost = [one for one in played if loses_half(subject, one) and _was_taken(subject, one, tried[one.row_index])]
        if len(lost) == len(tried):
            yield _finding(subject, lost, what)
            return


def _finding(subject: Subject, lost: Sequence[Episode], what: str) -> Finding:
    episode = lost[0]
    gold = golds(subject)[episode.row_index]
    return Finding(
        f"Gold {what} scores {episode.reward:g} and not {gold.reward:g}, on {len(lost)} rows: "
        f"{turns_text(own_turns(episode.completion))[:160]}.",
        _HINT, episode.row_index, own_turns(episode.completion), reward_with_parts(episode), gold.reward,
    )  # fmt: skip


def _was_taken(subject: Subject, episode: Episode, turns: Turns) -> bool:
    """Whether all acts were done, and nothing was refused."""
    wanted = calls_in(turns)
    if len(episode.tool_calls) != wanted or not all(carried_out(subject, call) for call in episode.tool_calls):
        return False
    replies = [] if wanted else texts_of(episode.completion[episode.opening :])
    return len(own_turns(episode.completion)) == len(turns) and not any(map(SAYS_WRONG.search, replies))


def _calls_turned(subject: Subject, gold: Gold) -> Turns:
    """Gold with what it does for each of several things of the prompt from the last one to the first."""
    acts, prompt = acts_of(gold), prompt_text(subject, gold.row)
    told = prompt if not _OF_ANSWER.search(prompt) else ""
    allowed = _ASKED.search(told) or ANY_ORDER.search(_said_of_tools(subject, gold))
    if not allowed or _BEST.search(prompt):
        return []
    start, size, count = _blocks(list(map(_kind, acts)))
    blocks = [acts[start + size * at : start + size * (at + 1)] for at in range(count)]
    if count < FEWEST_LISTED or not _are_things_of(subject, gold, blocks):
        return []
    return [*acts[:start], *(act for block in reversed(blocks) for act in block), *acts[start + size * count :]]


def _said_of_tools(subject: Subject, gold: Gold) -> str:
    """What the tools that change something for gold say of themselves."""
    called = {name for name, _ in gold.calls}
    return " ".join(canonical_json(tool) for tool in subject.tools_of(gold.row) if name_of(tool) in called)


def _kind(act: Message) -> str:
    """The tool of an act, or the first word of a text of several."""
    if calls := act.get("tool_calls"):
        return str(calls[0]["function"]["name"])
    words = str(act.get("content") or "").split()
    return words[0].casefold() if len(words) > 1 else ""


def _blocks(kinds: Sequence[str]) -> tuple[int, int, int]:
    """Where the longest run of acts begins in which the same kinds follow each other again and again."""
    best = (0, 1, 0)
    for size in range(1, MOST_BLOCK + 1):
        for start in range(len(kinds)):
            block, count = kinds[start : start + size], 0
            while all(block) and kinds[start + size * count : start + size * (count + 1)] == block:
                count += 1
            if count > 1 and size * count > best[1] * best[2]:
                best = (start, size, count)
    return best


def _are_things_of(subject: Subject, gold: Gold, blocks: Sequence[Sequence[Message]]) -> bool:
    """Whether each block is for a thing of its own that the prompt names, and not all prompts name them all."""
    prompt = prompt_text(subject, gold.row)
    named = [{value for act in block for value in _values(act) if says(prompt, value)} for block in blocks]
    own = [one.difference(*named[:at], *named[at + 1 :]) for at, one in enumerate(named)]
    others = [prompt_text(subject, one.row) for one in some_golds(subject) if one is not gold]
    return all(own) and any(not says(text, value) for text in others for values in own for value in values)


def _values(act: Message) -> list[str]:
    if calls := act.get("tool_calls"):
        given = calls[0]["function"]["arguments"]
        values = list(given.values()) if isinstance(given, dict) else []
        return [str(value) for value in values if isinstance(value, str) and value]
    return [word for word in str(act.get("content") or "").split()[1:] if not word.isdecimal()]


def _lists_turned(subject: Subject, gold: Gold) -> Turns:
    """Gold with the lists among its arguments the other way round, where any order is allowed for them."""
    turns, changed = deepcopy(gold.turns), False
    prompt = prompt_text(subject, gold.row)
    schemas = {name_of(tool): canonical_json(tool) for tool in subject.tools_of(gold.row)}
    for call in functions_of(turns):
        allowed = _ASKED.search(prompt) or ANY_ORDER.search(schemas.get(call["name"], ""))
        is_free = allowed and not _BEST.search(prompt) and isinstance(call["arguments"], dict)
        given = call["arguments"] if is_free else {}
        for name, value in given.items():
            if isinstance(value, list) and value != value[::-1]:
                given[name], changed = value[::-1], True
    return turns if changed else []


def _text_turned(subject: Subject, gold: Gold) -> Turns:
    """Gold with the list that it answers the other way round, where this may be in any order."""
    prompt = prompt_text(subject, gold.row)
    if not _OF_ANSWER.search(prompt) or gold.turns[-1].get("tool_calls"):
        return []
    before, after = form_of([one.text for one in some_golds(subject)])
    core = without_form(gold.text, (before, after)).strip()
    text = turned(core, prompt)
    if text in (None, core) or _BEST.search(prompt):
        return []
    return [*gold.turns[:-1], {**gold.turns[-1], "content": f"{before}{text}{after}"}]


def _in_parts(subject: Subject, gold: Gold) -> Turns:
    """Gold with the amount of each call in two calls, where the tool says that amounts add up."""
    adding = {name_of(tool) for tool in subject.tools_of(gold.row) if _ADDS_UP.search(canonical_json(tool))}
    if _AT_ONCE.search(prompt_text(subject, gold.row)):
        return []
    turns: Turns = []
    parted = False
    for act in acts_of(gold):
        parts = _parts(act) if act.get("tool_calls") and _kind(act) in adding and not parted else []
        turns += parts or [act]
        parted = parted or bool(parts)
    return turns if parted and len(turns) <= subject.traits.max_turns else []


def _parts(act: Message) -> Turns:
    """A call with an amount as two calls, of 1 and the rest; nothing where it has none."""
    given: dict[str, Any] = act["tool_calls"][0]["function"]["arguments"]
    names = [name for name, value in given.items() if type(value) is int and value > 1 and _AMOUNT.search(name)]
    if len(names) != 1:
        return []
    parts = [deepcopy(act), deepcopy(act)]
    for part, value in zip(parts, (1, given[names[0]] - 1), strict=True):
        part["tool_calls"][0]["function"]["arguments"][names[0]] = value
    return parts


_CHANGES: dict[str, Change] = {
    "with its acts in another order, where it says that any order will do,": _calls_turned,
    "with its list in another order, where it says that any order will do,": _lists_turned,
    "with what it answers in another order, where it says that any order will do,": _text_turned,
    "with an amount in two calls, where the tool says that they add up,": _in_parts,
}
