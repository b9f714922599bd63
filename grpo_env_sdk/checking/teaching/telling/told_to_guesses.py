"""Whether a user, or a tool that answers questions, says the right choice to somebody who guesses or gives up."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of, last_texts
from grpo_env_sdk.checking.evidence.golds import gold_episodes, less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, seldom_won
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.ways_to_give_up import tools_to_give_up, words_to_give_up
from grpo_env_sdk.data.messages import assistant_message, call_message, places_of_turns
from grpo_env_sdk.types import Episode, Message

PHRASES = ("Is it {}?", "{}", "It is {}, is it not?", "I give up. What is the right answer?")
"""What somebody says who guesses, or gives up."""
NEUTRAL = "Could you tell me more, please?"
"""What somebody says who is to be told: where this is answered, it is the way to find out."""
FEWEST_VALUES, TASTED = 3, 4
"""The fewest different right values, and on how many rows an act is tried first."""
Ask = Callable[[str], Message]
"""An act that may be answered with the right value, with a wrong one in it or without."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A guess that was said before a right choice, the reply, and the episode."""

    choice: Choice
    said: str
    reply: str
    episode: Episode


def told_to_guesses(subject: Subject) -> Iterator[Finding]:
    """The finding that a guess, or giving up, is answered with the right value, and choosing that next is paid."""
    for choices in [*choices_of(subject).values(), *last_texts(subject)]:
        known = list(dict.fromkeys(str(choice.value) for choice in choices))
        secret = [choice for choice in choices if not _is_shown(subject, choice, known)]
        if len(known) < FEWEST_VALUES or len(secret) < FEWEST_ROWS:
            continue
        for ask in _ways_to_ask(subject, secret, known):
            told = _told(subject, secret[:TASTED], known, ask)
            if len(told) == TASTED:
                told += _told(subject, secret[TASTED:], known, ask)
                yield from _paid_next(subject, told, len(secret))


def _ways_to_ask(subject: Subject, secret: Sequence[Choice], known: Sequence[str]) -> Iterator[Ask]:
    """Acts by which one gives up, and guesses; words only where a neutral question is not answered as well."""
    row = secret[0].gold.row
    yield from map(_always, tools_to_give_up(subject, row))
    for tool in (*[""] * _user_listens(subject), *_listeners(subject)):
        if not _told(subject, secret[:TASTED], known, _asking(subject, tool, NEUTRAL)):
            words = () if tool else words_to_give_up(subject, row)
            yield from (_asking(subject, tool, phrase) for phrase in (*words, *PHRASES))


def _user_listens(subject: Subject) -> bool:
    return subject.traits.user == "method" or subject.traits.kind == "multi-turn"


def _listeners(subject: Subject) -> list[str]:
    """The tools that take one free text, as those that ask somebody do."""
    if subject.traits.tools_of_rows:
        return []
    return [name_of(tool) for tool in subject.tools if _takes_a_sentence(tool)]


def _takes_a_sentence(tool: dict[str, Any]) -> bool:
    needed, schemas = required_of(tool), properties_of(tool)
    return len(needed) == 1 and schemas.get(needed[0], {}).get("type") == "string" and "enum" not in schemas[needed[0]]


def _is_shown(subject: Subject, choice: Choice, known: Sequence[str]) -> bool:
    """Whether gold reads its value before it chooses it, or the prompt has it and no other."""
    episode = gold_episodes(subject)[choice.gold.row]
    before = " ".join(texts_of(episode.completion[: places_of_turns(episode.completion)[choice.turn]]))
    asked, right = prompt_text(subject, choice.gold.row), str(choice.value)
    alone = says(asked, right) and not any(says(asked, other) for other in known if other != right)
    return says(before, right) or alone


def _told(subject: Subject, choices: Sequence[Choice], known: Sequence[str], ask: Ask) -> list[Asked]:
    """The guesses whose reply names the right value and no other one, each followed by the right choice."""
    asked = [ask(_other(known, one, place)) for place, one in enumerate(choices)]
    tried = [(one.gold.row, [act, *_choose(one)]) for one, act in zip(choices, asked, strict=True)]
    found = []
    for one, act, episode in zip(choices, asked, play_answers(subject, tried), strict=False):
        reply, right, text = reply_to(episode), str(one.value), _said(act)
        others = [value for value in known if value != right and not says(text, value)]
        if says(reply, right) and not any(says(reply, other) for other in others):
            found.append(Asked(one, text, reply, episode))
    return found


def _other(known: Sequence[str], choice: Choice, place: int) -> str:
    """A value that is right on other rows, not the same one for all."""
    others = [value for value in known if value != str(choice.value)]
    return others[place % len(others)]


def _always(act: Message) -> Ask:
    return lambda _: act


def _asking(subject: Subject, tool: str, phrase: str) -> Ask:
    """Saying a phrase with a wrong value, in a message or with a tool."""
    schema = tool_named(subject.tools, tool) or {}

    def ask(other: str) -> Message:
        text = phrase.replace("{}", other)
        return call_message(tool, **{required_of(schema)[0]: text}) if tool else assistant_message(text)

    return ask


def _said(act: Message) -> str:
    """An act as a message shows it."""
    if not act.get("tool_calls"):
        return quoted(act["content"])
    function = act["tool_calls"][0]["function"]
    values = list(function["arguments"].values())
    return f"{quoted(values[0])} in {function['name']}" if values else f"{function['name']}()"


def _choose(choice: Choice) -> list[Message]:
    """The turns of gold from its choice on."""
    return choice.turns(choice.value)[choice.turn :]


def _paid_next(subject: Subject, told: Sequence[Asked], of: int) -> Iterator[Finding]:
    """The finding, if the right choice after the guess is gold, and a wrong one is not."""
    if len({str(one.choice.value) for one in told}) < FEWEST_VALUES or 2 * len(told) < of:
        return
    won = won_of(subject, [one.episode for one in told])
    others = [told[place - 1].choice.value for place in range(len(told))]
    wrong = [(one.choice.gold.row, one.choice.turns(other)) for one, other in zip(told, others, strict=True)]
    if not as_good_on_most(subject, won, len(told)) or not seldom_won(subject, play_answers(subject, wrong)):
        return
    one = next(one for one in told if one.episode is won[0])
    yield Finding(
        f"A guess, or giving up, is answered with what the model has to find out, on {len(told)} of {of} rows: "
        f"{quoted(one.reply, 100)} to {one.said}, and choosing "
        f"{quoted(one.choice.value)} after it scores {won[0].reward:g}, as gold does.",
        "Say only that a guess is wrong, or let it be the choice that counts; end the episode where it is given up.",
        one.choice.gold.row, own_turns(one.episode.completion), reward_with_parts(one.episode),
        less_than_gold(subject, one.episode),
    )  # fmt: skip
