"""Whether the form of a message that calls tools matters: words beside a call, several calls in one message."""

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import takewhile
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    gold_episodes,
    golds,
    play_answers,
    reward_of,
    scores_nothing,
)
from grpo_env_sdk.checking.evidence.playing.turns import calls_in, own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, acts_of, are_most, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS = 8
BESIDE = "I look that up first."
_AT_A_TIME = regex(
    r"\bone (?:\w+ )?(?:call|tool|action|command|move|step)s?\b|\bat a time\b|\bsingle (?:call|tool)|\bonly (?:the )?"
    r"call|\bno (?:other )?(?:text|words?)\b|\bnothing else\b|\bonly\b[^.]{0,20}\bcalls?\b|\bcalls? only\b|\balone\b",
    re.IGNORECASE,
)
"""What says that a message may have one call alone, or no words beside it."""
_AT_ONCE = regex(r"\b(?:in one|same|single) (?:message|turn|go)\b|\bat once\b|\btogether\b|\bparallel\b", re.I)
"""What says that calls have to be in one message."""
Turns = list[Message]


@check("E340", needs=("gold",))
def words_beside_a_call_do_not_matter(subject: Subject) -> Iterator[Finding]:
    """Gold whose messages say something beside their calls scores the same."""
    yield from _lost(
        subject,
        _with_words,
        "Gold with words beside its calls",
        "Run the calls of a message whether it has content or not: models explain what they call.",
    )


@check("E341", needs=("gold",))
def calls_may_be_in_one_message(subject: Subject) -> Iterator[Finding]:
    """Gold with the calls of two messages in one scores the same, or each of them gets a result that says why not."""
    yield from _lost(
        subject,
        _together,
        "Gold with the calls of two of its messages in one",
        "Run every call of a message, and answer each with a result; or say in the prompt that there may be only one.",
    )


@check("E350", kinds=("multi-turn",), needs=("gold",))
def results_belong_to_their_calls(subject: Subject) -> Iterator[Finding]:
    """Each of several calls in one message gets one result, with its id, and with what it gets on its own."""
    changed = [(gold.row, turns) for gold in some_golds(subject)[:MOST_ROWS] if (turns := _together(gold))]
    played = [*play_answers(subject, changed), *(gold_episodes(subject)[gold.row] for gold in some_golds(subject))]
    wrong = [(one, why) for one in played if not one.error and (why := _mixed_up(subject, one))]
    if len({one.row_index for one, _ in wrong}) >= min(FEWEST_ROWS, len(subject.rows)):
        episode, why = wrong[0]
        yield Finding(
            f"Where one message has several calls, {why}, on {len({one.row_index for one, _ in wrong})} rows.",
            "Answer each call with a result that has its id as tool_call_id: models call several tools at once.",
            episode.row_index, own_turns(episode.completion), why,
            "a result for each call, with its id",
        )  # fmt: skip


@check("E351", needs=("gold",))
def calls_may_be_in_messages_of_their_own(subject: Subject) -> Iterator[Finding]:
    """Gold whose calls are in messages of their own scores neither nothing nor more than gold."""
    how = "Gold with each call in a message of its own"
    hint = "Score what was done in all messages, whether the calls came one at a time or together."
    yield from _lost(subject, lambda gold: _apart(subject, gold), how, hint)
    apart = {gold.row: turns for gold in some_golds(subject)[:MOST_ROWS] if (turns := _apart(subject, gold))}
    played = play_answers(subject, list(apart.items()))
    more = [one for one in played if not one.error and reward_of(one) > golds(subject)[one.row_index].reward + NEARLY]
    if are_most(subject, more, played):
        first = more[0]
        yield Finding(
            f"{how} scores {reward_of(first):g}, more than gold, on {len(more)} of {len(played)} rows.",
            "Pay for what was done, and not for each message.", first.row_index, own_turns(first.completion),
            first.reward, golds(subject)[first.row_index].reward,
        )  # fmt: skip


def _lost(subject: Subject, form: Callable[[Gold], Turns], what: str, hint: str) -> Iterator[Finding]:
    """The finding that gold in another form scores nothing, while gold that is played again scores."""
    changed = {gold.row: turns for gold in some_golds(subject)[:MOST_ROWS] if (turns := form(gold))}
    again = play_answers(subject, [(row, golds(subject)[row].turns) for row in changed])
    known = [one.row_index for one in again if reward_of(one) >= golds(subject)[one.row_index].reward - NEARLY]
    played = play_answers(subject, [(row, changed[row]) for row in known if not _is_told(subject, row)])
    lost = [one for one in played if not one.error and scores_nothing(subject, one) and not _answered(subject, one)]
    if are_most(subject, lost, played):
        first = lost[0]
        reward = golds(subject)[first.row_index].reward
        yield Finding(
            f"{what} scores {reward_of(first):g} instead of {reward:g}, on {len(lost)} of {len(played)} rows.",
            hint, first.row_index, own_turns(first.completion), first.reward, reward,
        )  # fmt: skip


def _with_words(gold: Gold) -> Turns:
    """Gold with words beside each call; empty where it has none, or has words there."""
    if any(turn.get("tool_calls") and turn.get("content") for turn in gold.turns):
        return []
    turns = [{**deepcopy(turn), "content": BESIDE} if turn.get("tool_calls") else turn for turn in gold.turns]
    return turns if turns != gold.turns else []


def _together(gold: Gold) -> Turns:
    """Gold with the first two of its messages that call something, one after the other, in one; or none."""
    for place, (one, other) in enumerate(zip(gold.turns, gold.turns[1:], strict=False)):
        if one.get("tool_calls") and other.get("tool_calls"):
            calls = deepcopy([*one["tool_calls"], *other["tool_calls"]])
            for number, call in enumerate(calls):
                call["id"] = f"call_{place}_{number}"
            return [*gold.turns[:place], {**one, "tool_calls": calls}, *gold.turns[place + 2 :]]
    return []


def _apart(subject: Subject, gold: Gold) -> Turns:
    """Gold with one call a message, where that is another form of it that fits and that no prompt speaks against."""
    acts = acts_of(gold)
    fits = len(gold.turns) < len(acts) <= subject.traits.max_turns
    return acts if fits and not _AT_ONCE.search(prompt_text(subject, gold.row)) else []


def _mixed_up(subject: Subject, episode: Episode) -> str:
    """What is wrong with the results of a message with several calls; empty where nothing is."""
    alone = {
        canonical_json([call["name"], call["arguments"]]): call["content"]
        for call in _results(gold_episodes(subject)[episode.row_index]) if call["alone"]
    }  # fmt: skip
    for call in _results(episode):
        if call["ids"] != call["asked"]:
            return f"the results have the ids {joined(call['ids'])}, and the calls {joined(call['asked'])}"
        usual = alone.get(canonical_json([call["name"], call["arguments"]]), call["content"])
        if not call["alone"] and usual != call["content"] and call["content"] in alone.values():
            return f"the result of one call is that of another: {call['content']!r}, and on its own {usual!r}"
    return ""


def _results(episode: Episode) -> Iterator[dict[str, Any]]:
    """The calls of each message whose results have ids, with their results and all ids of the message."""
    for place, message in enumerate(episode.completion):
        calls = message.get("tool_calls") or ()
        after = takewhile(lambda one: one["role"] == "tool", episode.completion[place + 1 :])
        by_id = [(one.get("tool_call_id"), one.get("content")) for one in after]
        if not calls or not by_id or any(given is None for given, _ in by_id):
            continue
        asked, ids = sorted(str(call.get("id")) for call in calls), sorted(str(given) for given, _ in by_id)
        results = dict(by_id)
        for call in calls:
            yield {
                **call["function"], "content": results.get(call.get("id")), "alone": len(calls) == 1,
                "asked": asked, "ids": ids,
            }  # fmt: skip


def _is_told(subject: Subject, row: int) -> bool:
    return _AT_A_TIME.search(prompt_text(subject, row)) is not None


def _answered(subject: Subject, episode: Episode) -> bool:
    """Whether each call got a result, and not those of gold: the model sees what was refused, or the order matters."""
    asked = calls_in(own_turns(episode.completion))
    results = [message for message in episode.completion if message["role"] == "tool"]
    of_gold = [one for one in gold_episodes(subject)[episode.row_index].completion if one["role"] == "tool"]
    return 0 < asked <= len(results) and texts_of(results) != texts_of(of_gold)
