"""One try more than a prompt allows, and the last of them right."""

import re
from collections.abc import Sequence
from itertools import chain

from grpo_env_sdk.checking.evidence.attempts.scripts import Script, Step, answers_of, scripts_of
from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.shown_texts import replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject

MOST_BETWEEN = 60


def tries_too_many(subject: Subject, script: Script, limit: int, place: int) -> list[Step]:
    """The last acts of other golds, as many as are allowed, after gold's own acts, and then the right one.

    In the second place all of gold's acts are tries, such as those that halve a range, and only so many more are made
    that the right one comes one try too late; each of them has to be answered as gold's own wrong ones.
    """
    *before, right = script.steps
    others = list({one.steps[-1].shown: one.steps[-1] for one in scripts_of(subject)}.values())
    if subject.traits.kind != "multi-turn" or len(before) > limit or place > 1:
        return []
    if place == 0:
        added, count = [one for one in others if one.shown != right.shown], limit
    else:
        said = {one.shown for one in script.steps}
        added = [one for one in chain(_between(script.steps), others) if one.shown not in said]
        count = limit - len(before)
    found = [*before, *added[:count], right]
    if len(added) < count or len(found) > subject.traits.max_turns:
        return []
    return found if place == 0 or (_are_tries(script.steps) and _is_answered(subject, script, found)) else []


def _between(steps: Sequence[Step]) -> list[Step]:
    """The whole numbers between those that gold says, which are all ones that may be tried."""
    numbers = [int(one.shown) for one in steps if one.shown.isdecimal()]
    inner = range(min(numbers), max(numbers))[:MOST_BETWEEN] if numbers else ()
    return [Step(str(number), "", str(number)) for number in inner]


def _are_tries(steps: Sequence[Step]) -> bool:
    """Whether gold's acts are all numbers, or all single words of one length."""
    texts = [one.shown for one in steps]
    words = all(text.isalnum() for text in texts) and len(set(map(len, texts))) == 1
    return len(texts) > 1 and (words or all(text.isdecimal() for text in texts))


def _is_answered(subject: Subject, script: Script, steps: Sequence[Step]) -> bool:
    """Whether every try but the last is answered as gold is on some row, apart from numbers."""
    (episode,) = play_answers(subject, answers_of([(script, steps)]))
    usual = set(chain.from_iterable(_kinds(replies_to_gold(subject, one.gold.row)) for one in scripts_of(subject)))
    return usual.issuperset(_kinds(texts_of(episode.completion)[: len(steps) - 1]))


def _kinds(replies: Sequence[str]) -> list[str]:
    return [re.sub(r"\d+", "#", reply) for reply in replies]
