"""Whether the reply to a wrong choice names the right one, and choosing that one next still pays."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, Place, choices_of
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT
from grpo_env_sdk.checking.evidence.golds import less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import TOKEN, has_word, hinted, mates_of, words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, prompt_text, replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, seldom_won
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_VALUES, OTHERS, UNKNOWN, EMPTY = 3, 2, "qua vex", ""
"""The fewest different right values, how many wrong ones are tried on a row, one that exists nowhere, and one that may
not count as said."""
_TRIES = regex(r"\b(?:try|tries|attempts?|guess\w*|until|times|as often|again|feedback)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Trial:
    """A choice, and a wrong value that is tried first: after gold's turns before it, or without them."""

    choice: Choice
    wrong: Any
    whole: bool

    @property
    def row(self) -> int:
        """The row of the choice."""
        return self.choice.gold.row

    def answer(self, *values: Any) -> tuple[int, Completion]:
        """The row, and the turns with these values."""
        return self.row, self.choice.turns(*values, whole=self.whole)


@dataclass(frozen=True, slots=True)
class Named:
    """The episode of a wrong choice and then the right one, with the reply that names the right one."""

    trial: Trial
    reply: str
    form: str
    """The reply without the right value, and without what the prompt and the call had."""
    episode: Episode


def right_choice_told(subject: Subject) -> Iterator[Finding]:
    """The finding that a wrong choice is answered with the right one, which is paid when it is chosen next."""
    for place, choices in choices_of(subject).items():
        known = list(dict.fromkeys(choice.value for choice in choices))
        if len(known) < FEWEST_VALUES:
            continue
        wrong = [(one, other) for number, one in enumerate(choices) for other in _others(known, one.value, number)]
        for whole in (True, False) if any(one.turn for one in choices) else (True,):
            told = _told(subject, [Trial(one, other, whole) for one, other in wrong], known)
            if len(told) >= max(FEWEST_ROWS - 1, len(choices) / 2) and _differ(told):
                yield from _paid_next(subject, place, told, len(choices))


def _told(subject: Subject, tried: Sequence[Trial], known: Sequence[Any]) -> list[Named]:
    """For each row a reply that names the right value, all in the same words but for the values."""
    episodes = play_answers(subject, [one.answer(one.wrong, one.choice.value) for one in tried])
    named = [
        Named(one, reply, _form(subject, one, reply), episode)
        for one, episode in zip(tried, episodes, strict=False)
        if (reply := _telling(subject, one, known, episode))
    ]
    usual = Counter(one.form for one in named).most_common(1)
    return list({one.trial.row: one for one in named if one.form == usual[0][0]}.values())


def _differ(told: Sequence[Named]) -> bool:
    return len({one.trial.choice.value for one in told}) >= FEWEST_VALUES


def _form(subject: Subject, trial: Trial, reply: str) -> str:
    asked = words_of(prompt_text(subject, trial.row)) | words_of(turns_text(trial.answer(trial.wrong)[1]))
    right = words_of(str(trial.choice.value))
    return TOKEN.sub(lambda word: "\0" if word[0].casefold() in asked | right else word[0], reply)


def _others(known: Sequence[str | int], right: str | int, number: int) -> list[str | int]:
    """A few values that are right on other rows, not the same ones for every row, one that exists nowhere, and none."""
    others = [value for value in known if value != right]
    start = number % len(others)
    unknown = [UNKNOWN, EMPTY] if isinstance(right, str) else [-1, 0]
    return [*[*others[start:], *others[:start]][:OTHERS], *(value for value in unknown if value != right)]


def _telling(subject: Subject, trial: Trial, known: Sequence[Any], episode: Episode) -> str:
    """The reply to the wrong choice if it names the right one and no other; else nothing."""
    before, reply = _replies(trial, episode)
    right, given = str(trial.choice.value).casefold(), str(trial.wrong).casefold()
    if not reply or right in given or has_word(before, right):
        return ""
    if not trial.whole and reply in replies_to_gold(subject, trial.row):
        return ""  # what gold is told as well, as whoever says anything may be
    asked = prompt_text(subject, trial.row).casefold()
    others = {str(value).casefold() for value in known} - {right, given}
    if has_word(asked, right) and not any(has_word(asked, other) for other in others):
        return ""  # the prompt tells it
    text = reply.casefold()
    words = words_of(reply) - words_of(given) - words_of(asked)
    if any(map(str.isdecimal, right)) and len(right) > 1 and mates_of(right, words):
        return ""  # a list of those that there are
    named = has_word(text, right) or (len(right) > 3 and hinted(right, text) and not hinted(right, given + before))
    return reply if named and not any(has_word(text, other) for other in others) else ""


def _replies(trial: Trial, episode: Episode) -> tuple[str, str]:
    """What was shown before the wrong act, and the reply to it."""
    choice, turn = trial.choice, trial.choice.turn if trial.whole else 0
    own = places_of_turns(episode.completion)
    if len(own) < turn + 2:
        return "", ""  # the episode was over
    before = texts_of(episode.completion[: own[turn]])
    after = texts_of(episode.completion[own[turn] : own[turn + 1]])
    if choice.name and choice.call < len(after):
        return " ".join(before).casefold(), after[choice.call]
    return " ".join(before).casefold(), " ".join(after)


def _paid_next(subject: Subject, place: Place, told: Sequence[Named], of: int) -> Iterator[Finding]:
    """The finding, if the right choice after the wrong one is gold, and the wrong one alone is not."""
    won = won_of(subject, [one.episode for one in told])
    alone = play_answers(subject, [one.trial.answer(one.trial.wrong) for one in told])
    if not as_good_on_most(subject, won, len(told)) or not seldom_won(subject, alone):
        return
    one = next(one for one in told if one.episode is won[0])
    tool, parameter = place
    what = "message" if tool == TEXT else f"{parameter!r} of {tool}"
    said = prompt_and_tools(subject, one.trial.row)
    without = "" if one.trial.whole else ", without what gold does before"
    yield Finding(
        f"The reply to a wrong {what} names the right one, on {len(told)} of {of} rows: {quoted(one.reply, 100)} to "
        f"{quoted(one.trial.wrong)}, and {quoted(one.trial.choice.value)} after it{without} scores "
        f"{won[0].reward:g}, as gold does.",
        "Say only that it was wrong, or let the first choice count.",
        one.trial.row, own_turns(one.episode.completion), reward_with_parts(one.episode),
        less_than_gold(subject, one.episode), severity="warning" if _TRIES.search(said) else "error",
    )  # fmt: skip
