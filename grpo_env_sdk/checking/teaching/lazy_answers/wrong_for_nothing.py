"""Whether a wrong answer scores nothing where the prompt says so."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    gold_episodes,
    golds,
    nothing_of,
    play_answers,
    reward_of,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, OTHERS, MUCH, CLEARLY = 3, 3, 0.1, 0.9
"""On how many rows it is tried first, with how many wrong answers; what is more than nothing, and less than gold."""
_WRONG = r"(?:wrong|incorrect|false|mistaken)"
_NONE = r"(?:nothing|zero|0(?![.,]?\d)|no (?:points?|credits?|scores?|rewards?|marks?)|none)\b"
_SCORES = r"(?:scores?|earns?|gets?|gives?|brings?|pays?|receives?|yields?|(?:is|are) worth|counts? (?:as|for))"
_SAID = regex(
    rf"\b{_WRONG} (?:\w+ ){{1,2}}{_SCORES} (?:you )?{_NONE}|\b{_NONE} for (?:an? |any |the )?{_WRONG} \w+|"
    rf"\bif [^.,;]{{0,40}}\b{_WRONG},? [^.;]{{0,20}}\b{_NONE}|"
    rf"\bonly (?:an? |the )?(?:right|correct) \w+ (?:{_SCORES}|(?:is|are) (?:rewarded|paid))|"
    r"\bfalsche \w+ (?:gibt|geben|bringt|bringen|z\u00e4hlt|z\u00e4hlen) (?:keine Punkte|nichts|0)\b",
    re.IGNORECASE,
)
_OTHERWISE = regex(
    r"\b(?:format\w*|tags?|layout|partial\w*|clos(?:e|er|est)|near\w*|brief\w*|polite\w*|explanation|reasoning|"
    r"in any case|regardless|whatever|consolation|participat\w*|unless|except|half)\b",
    re.IGNORECASE,
)
"""What prompts say that tell of rewards for something else than the right answer."""


def wrong_answers_for_something(subject: Subject) -> Iterator[Finding]:
    """The finding that wrong answers score on most rows, at once or after gold's acts, though the prompt says not."""
    known = [gold for gold in some_golds(subject) if _says_so(subject, gold) and _others(subject, gold)]
    if len(known) < FEWEST_ROWS:
        return
    for at_once in (True, False):
        if not at_once and all(len(gold.turns) == 1 for gold in known):
            return
        paid = {gold.row: episodes for gold in known[:TASTED] if (episodes := _paid(subject, gold, at_once))}
        if len(paid) < TASTED:
            continue
        paid |= {gold.row: episodes for gold in known[TASTED:] if (episodes := _paid(subject, gold, at_once))}
        if len(paid) >= max(FEWEST_ROWS, 3 * len(known) / 4):
            yield _finding(subject, paid, len(known), at_once)
            return


def _finding(subject: Subject, paid: Mapping[int, Sequence[Episode]], of: int, at_once: bool) -> Finding:
    row, (episode, *_) = next(iter(paid.items()))
    turns, gold = own_turns(episode.completion), golds(subject)[row]
    how = "as the first message" if at_once else "after what gold does"
    return Finding(
        f"The prompt says {quoted(_says_so(subject, gold), 80)}, but wrong answers {how} score on {len(paid)} of {of} "
        f"rows: {quoted(turns[-1].get('content'))} scores {episode.reward:g} there, and gold {gold.reward:g} with "
        f"{quoted(gold.text)}.",
        "Multiply everything else by whether the answer is right, or say in the prompt what wrong answers score.",
        row, turns, reward_with_parts(episode), nothing_of(subject, gold.reward),
    )  # fmt: skip


def _says_so(subject: Subject, gold: Gold) -> str:
    """The sentence of the prompt by which a wrong answer scores nothing; empty where it has none, or other rewards."""
    prompt = prompt_text(subject, gold.row)
    if _OTHERWISE.search(prompt):
        return ""
    return next((sentence.strip() for sentence in sentences_of(prompt) if _SAID.search(sentence)), "")


def _others(subject: Subject, gold: Gold) -> list[Message]:
    """What gold says last on other rows, where these have no word in common: answers that are wrong here."""
    if gold.turns[-1].get("tool_calls"):
        return []
    texts = {one.text: one for one in some_golds(subject) if not one.turns[-1].get("tool_calls")}
    shared = set.intersection(*(words_of(text) for text in texts))
    own = words_of(gold.text) - shared
    wrong = [one.turns[-1] for text, one in texts.items() if own and not own & words_of(text)]
    return wrong[:OTHERS] if len(wrong) >= OTHERS else []


def _paid(subject: Subject, gold: Gold, at_once: bool) -> list[Episode]:
    """The episodes of wrong answers, if all of them end as gold does, and score between nothing and gold.

    After gold's acts they have to score more than these acts with a message that is no answer.
    """
    before = [] if at_once else gold.turns[:-1]
    tried = [(gold.row, [*before, one]) for one in _others(subject, gold)]
    episodes = play_answers(subject, tried)
    floor, ended = nothing_of(subject, gold.reward), gold_episodes(subject)[gold.row].stop_reason
    if not at_once:
        acts = [one for one in play_answers(subject, [(gold.row, [*before, "..."])]) if was_scored(one)]
        floor = max(floor, reward_of(acts[0])) if acts else gold.reward
    least = floor + MUCH * (gold.reward - floor) + NEARLY
    fits = [
        len(own_turns(one.completion)) == len(before) + 1 and was_scored(one) and one.stop_reason == ended
        and least <= reward_of(one) <= CLEARLY * gold.reward
        for one in episodes
    ]  # fmt: skip
    return episodes if len(episodes) == len(tried) and all(fits) else []
