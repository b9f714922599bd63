"""Whether ending an episode after a part of gold's acts earns what all of them earn."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.others import others_from
from grpo_env_sdk.checking.evidence.author_code.code_words import code_words
from grpo_env_sdk.checking.evidence.golds import Gold, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, compared_turns, played_turns, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, FEWEST_ROWS, FEWEST_TURNS, MOST_ENDS = 3, 4, 2, 4
"""On how many rows an end is tried first, on how many it counts; the turns that gold needs, and how many ends."""
_END = (
    r"(?:stop|quit|leave|done|exit|end|finish(?:ed)?|resign|submit|give up|goodbye|bye|over|enough|cash out|close|fold|"
    r"hang up|sleep|home)"
)
_NAMED = regex(rf"['\"`\u201c\u2018]({_END})\b[.!]?['\"`\u201d\u2019]|\b((?-i:{_END.upper()}))\b", re.IGNORECASE)
"""Words that end an episode, in quotes or in capitals."""
_ENDS = regex(_END, re.IGNORECASE)
_ENDING_TOOL = regex(rf"(?:{_END.replace(' ', '_')})(?:_|$)")
_OF_THE_ANSWERED = regex(
    r"\b(?:answered|attempted|so far|tried|your answers|"
    r"(?:that|which|those|ones|questions) you (?:answer|try|attempt|do|take|choose))\b(?! not)|"
    r"\b(?:average|mean) (?:of|over) (?:your|the) answers\b",
    re.IGNORECASE,
)
"""What prompts say where only what was done counts."""
Act = str | Message


@check("G637", kinds=("multi-turn",), needs=("acts",))
def ending_early_is_not_gold(subject: Subject) -> Iterator[Finding]:
    """A part of gold's turns, and then a word or tool that ends the episode, scores less than gold."""
    known = [gold for gold in some_golds(subject) if len(gold.turns) >= FEWEST_TURNS]
    if len(known) < FEWEST_ROWS or any(_OF_THE_ANSWERED.search(prompt_text(subject, gold.row)) for gold in known):
        return
    for end in _ends(subject, known[0].row):
        for first in (True, False):
            tasted = _won(subject, known[:TASTED], end, first)
            won = _won(subject, known, end, first) if len(tasted) > 1 else []
            if as_good_on_most(subject, won, len(known)) and _rest_counts(subject, known, won, end):
                yield _finding(known, won)
                return


def _ends(subject: Subject, row: int) -> list[Act]:
    """The acts that may end an episode: tools without arguments, words of the prompt and the code, an empty message."""
    tools: list[Act] = [
        call_message(name_of(tool))
        for tool in subject.tools_of(row)
        if _ENDING_TOOL.match(name_of(tool)) and not required_of(tool)
    ]
    named = ["".join(one) for one in _NAMED.findall(prompt_text(subject, row))]
    of_code = [one for one in code_words(subject.loaded.env).texts if _ENDS.fullmatch(one)]
    words = {one.casefold(): one for one in reversed([*named, *of_code])}
    return [*[*tools, *reversed(words.values())][:MOST_ENDS], ""]


def _won(subject: Subject, known: Sequence[Gold], end: Act, first: bool) -> list[Episode]:
    """The episodes that end after a part of gold, the first turn or half of them, and score as much as gold."""
    tried = {}
    for gold in known:
        kept = 1 if first else len(gold.turns) // 2
        if kept < _needed(gold, end) and (first or kept > 1):
            tried[gold.row] = [*gold.turns[:kept], _message(end)]
    played = played_turns(subject, tried)
    return [one for one in won_of(subject, played) if len(own_turns(one.completion)) == len(tried[one.row_index])]


def _needed(gold: Gold, end: Act) -> int:
    """How many turns gold has before one that ends the episode."""
    return len(gold.turns) - (_same(gold.turns[-1], _message(end)))


def _rest_counts(subject: Subject, known: Sequence[Gold], won: Sequence[Episode], end: Act) -> bool:
    """Whether gold loses where the turns that were left out are those of another row, or say nothing; and an end alone.

    Turns that are not needed, such as a last look, may be left out.
    """
    rows = {one.row_index: len(own_turns(one.completion)) - 1 for one in won}
    of_won = [gold for gold in known if gold.row in rows]
    for instead in (_of_another, _silent):
        tried = {gold.row: instead(gold, known, rows[gold.row], end) for gold in of_won}
        if 2 * len(won_of(subject, compared_turns(subject, tried))) > len(of_won):
            return False
    return not won_of(subject, compared_turns(subject, {gold.row: [_message(end)] for gold in of_won}))


def _of_another(gold: Gold, known: Sequence[Gold], kept: int, end: Act) -> list[Message]:
    """Gold with turns of another row in place of those that were left out."""
    needed = _needed(gold, end)
    others = [one for one in others_from(known, known.index(gold)) if one.turns[kept:needed] != gold.turns[kept:needed]]
    rest = others[0].turns[kept : _needed(others[0], end)] if others else gold.turns[kept:needed]
    return [*gold.turns[:kept], *rest, *gold.turns[needed:]]


def _silent(gold: Gold, known: Sequence[Gold], kept: int, end: Act) -> list[Message]:
    needed = _needed(gold, end)
    return [*gold.turns[:kept], *[assistant_message("I don't know.")] * (needed - kept), *gold.turns[needed:]]


def _message(act: Act) -> Message:
    return assistant_message(act) if isinstance(act, str) else act


def _same(turn: Message, end: Message) -> bool:
    calls = [functions_of([one]) for one in (turn, end)]
    said = [str(one.get("content") or "").strip(" .!").casefold() for one in (turn, end)]
    return calls[0] == calls[1] and said[0] == said[1]


def _finding(known: Sequence[Gold], won: Sequence[Episode]) -> Finding:
    first = won[0]
    turns, gold = own_turns(first.completion), next(gold for gold in known if gold.row == first.row_index)
    return Finding(
        f"Ending after {len(turns) - 1} of {len(gold.turns)} turns of gold scores as much as gold on {len(won)} of "
        f"{len(known)} rows: {answer_shown(turns)} scores {first.reward:g}, although the other turns count.",
        "Divide by all that was asked for, and not by what was done so far.",
        first.row_index, turns, first.reward, f"less than {gold.reward:g}",
    )  # fmt: skip
