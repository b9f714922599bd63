"""Tools that are given a value with a wrong character, such as a check digit, and reply with the right one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    gold_episodes,
    less_than_gold,
    play_answers,
    play_compared,
    won_of,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import mates_of, says, secrets, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    as_good_on_most,
    called_together,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOSTLY, FEWEST_VALUES, MOST_CHARS = 4, 0.8, 3, 40
"""On how many rows it is tried first, on what part of all it shows, how many differ, and how long values are."""
SHIFTS = (3, 5)
"""How far after the right character a wrong one is: several, so that no reply has the right one by counting."""
PLACES = {
    "last": slice(-1, None), "last two": slice(-2, None), "first": slice(0, 1), "third": slice(2, 3),
}  # fmt: skip
"""Which characters of a value are wrong."""
_HELPS = regex(
    r"\b(?:correct(?:s|ed|ion)|expected|suggest\w*|nearest|hints?|fix(?:es)?|repairs?|mistakes?|try|tries|attempts?|"
    r"guess\w*|which (?:digit|letter|sign|character|place|part))\b",
    re.IGNORECASE,
)
"""What is said of a tool that is there to put a value right."""
_RULE = regex(
    r"\b(?:add(?:s|ed|ing)?|sums?|times|multipl\w+|divi\w+|remainders?|modulo|minus|plus|subtract\w*|weights?|"
    r"digits? of|letters? of)\b",
    re.IGNORECASE,
)
"""What a prompt says that has a rule for the right value, without which the tool may be there to learn it from."""
_POOLS = ("123456789", ascii_lowercase, ascii_uppercase)


@dataclass(frozen=True, slots=True)
class _Told:
    """Replies to a value with wrong characters that have the right ones."""

    gold: Gold
    wrong: str
    right: str
    reply: str


def told_by_wrong_characters(subject: Subject) -> Iterator[Finding]:
    """The finding that a tool replies with the right character to gold's last text with a wrong one."""
    known = [gold for gold in some_golds(subject) if _has_to_be_found(subject, gold)]
    if len(known) < FEWEST_ROWS or subject.traits.tools_of_rows:
        return
    for tool in subject.tools:
        if not _takes_one_value(tool) or _helps(subject, tool, known) or _is_asked_by_gold(tool, known):
            continue
        for place in PLACES.values():
            unread = [gold for gold in known if not _reads(subject, gold, place)]
            tasted = unread[:TASTED]
            told = _told(subject, tool, tasted, place)
            if len(unread) < FEWEST_ROWS or len(told) < len(tasted):
                continue
            told += _told(subject, tool, unread[TASTED:], place)
            if len(told) >= MOSTLY * len(unread) and len({one.right for one in told}) >= FEWEST_VALUES:
                yield from _paid_next(subject, tool, told, len(unread))
                return


def _has_to_be_found(subject: Subject, gold: Gold) -> bool:
    """Whether gold's last text is one word that nothing had said."""
    text = gold.text
    return 1 < len(text) <= MOST_CHARS and words_of(text) == {text.casefold()} <= secrets(subject).get(gold.row, set())


def _takes_one_value(tool: dict[str, Any]) -> bool:
    needed = required_of(tool)
    return len(needed) == 1 and properties_of(tool).get(needed[0], {}).get("type") in ("string", "integer")


def _helps(subject: Subject, tool: dict[str, Any], known: Sequence[Gold]) -> bool:
    """Whether its description, or what prompts say of it, speaks of tries or of putting something right."""
    of_it = [one for gold in known[:1] for one in sentences_of(prompt_text(subject, gold.row)) if name_of(tool) in one]
    return bool(_HELPS.search(" ".join([name_of(tool).replace("_", " "), description_of(tool), *of_it])))


def _is_asked_by_gold(tool: dict[str, Any], known: Sequence[Gold]) -> bool:
    """Whether gold gives the tool other values than its last text, so that it is there to learn from."""
    given = ((arguments, gold) for gold in known for name, arguments in gold.calls if name == name_of(tool))
    return any(str(arguments.get(required_of(tool)[0])) != gold.text for arguments, gold in given)


def _reads(subject: Subject, gold: Gold, place: slice) -> bool:
    """Whether a reply to a call of gold has the right characters."""
    return any(says(str(call["content"]), gold.text[place]) for call in gold_episodes(subject)[gold.row].tool_calls)


def _wrong(text: str, place: slice, by: int) -> str:
    """The text with other letters and digits in a place; the same where it has none there."""
    characters = list(text)
    characters[place] = [_shifted(one, by) for one in characters[place]]
    return "".join(characters)


def _shifted(character: str, by: int) -> str:
    pool = next((pool for pool in _POOLS if character in pool), "123456789" if character == "0" else "")
    return pool[(pool.find(character) + by) % len(pool)] if pool else character


def _call(tool: dict[str, Any], text: str) -> Message | None:
    """The call with a value, as a number where it takes one; None where it is no number."""
    parameter = required_of(tool)[0]
    if properties_of(tool)[parameter]["type"] == "string":
        return call_message(name_of(tool), **{parameter: text})
    return call_message(name_of(tool), **{parameter: int(text)}) if text.isdecimal() else None


def _told(subject: Subject, tool: dict[str, Any], known: Sequence[Gold], place: slice) -> list[_Told]:
    """The replies to each wrong value of a row that have what is right, where the one to gold's text lacks it."""
    tried = []
    for gold in known:
        texts = dict.fromkeys([*(_wrong(gold.text, place, by) for by in SHIFTS), gold.text])
        calls = [call for text in texts if (call := _call(tool, text))]
        if len(calls) > len(SHIFTS):
            tried.append((gold, [*texts], called_together(calls)))
    episodes = play_answers(subject, [(gold.row, [calls, ""]) for gold, _, calls in tried])
    replies = [[str(call["content"]) for call in episode.tool_calls] for episode in episodes]
    usual = set.intersection(*(words_of(" ".join(own[:1])) for own in replies)) if len(replies) > 1 else set()
    return [
        _Told(gold, texts[0], gold.text[place], own[0])
        for (gold, texts, _), own in zip(tried, replies, strict=False)
        if len(own) == len(texts) and not says(own[-1], gold.text[place])
        and all(
            _has_right(prompt_text(subject, gold.row), reply, gold.text, text, place, usual)
            for text, reply in zip(texts, own[:-1], strict=False)
        )
    ]  # fmt: skip


def _has_right(prompt: str, reply: str, text: str, wrong: str, place: slice, usual: set[str]) -> bool:
    """Whether a reply to a wrong value has what is right there, and nothing else of its form, or all of it.

    A value counts where the prompt has what is before its last characters: others may be suggested as being alike.
    """
    right, said, whole = text[place].casefold(), words_of(reply), text.casefold()
    alone = right in said and not mates_of(right, said) - usual - {wrong[place].casefold()}
    is_told = place.stop is None and says(prompt, text[: place.start])
    return alone or (is_told and whole in said and not mates_of(whole, said) - {wrong.casefold()})


def _paid_next(subject: Subject, tool: dict[str, Any], told: Sequence[_Told], of: int) -> Iterator[Finding]:
    """The finding, if gold scores after a wrong value was given to the tool, and that value does not."""
    asked = [(one.gold.row, [_call(tool, one.wrong) or "", *one.gold.turns]) for one in told]
    wrong = [(one.gold.row, [*one.gold.turns[:-1], assistant_message(one.wrong)]) for one in told]
    won = won_of(subject, play_answers(subject, asked))
    if as_good_on_most(subject, won, len(told)) and seldom_won(subject, play_compared(subject, wrong)):
        one = next(one for one in told if one.gold.row == won[0].row_index)
        yield _finding(subject, tool, one, won[0], len(told), of)


def _finding(subject: Subject, tool: dict[str, Any], one: _Told, episode: Episode, told: int, of: int) -> Finding:
    known = one.gold.calls or _RULE.search(prompt_text(subject, one.gold.row))
    return Finding(
        f"{name_of(tool)} replies to a wrong value with the right character, on {told} of {of} rows: "
        f"{quoted(one.wrong)} gets {quoted(one.reply, 100)}, and "
        f"{quoted(one.gold.text)} after it scores {episode.reward:g}.",
        "Say only that it is wrong, and neither which character nor what would be right; or count the first call.",
        one.gold.row, own_turns(episode.completion), reward_with_parts(episode), less_than_gold(subject, episode),
        severity=None if known else "warning",
    )  # fmt: skip
