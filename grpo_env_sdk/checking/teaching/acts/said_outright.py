"""Whether what a prompt forbids to say, such as the result of a lesson, earns everything if it is said at once."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, won_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    as_good_on_most,
    compared_turns,
    paid,
    played_turns,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_ROWS, MOST_WORDS, RARE = 4, 12, 3, 3
"""On how many rows it is tried first and in all, with how many words, and on one row of how many a word may be said."""
FORBIDS = regex(
    r"\b(?:never|(?:do|must|may|should|shall|can)(?: not|n't)|cannot|without|avoid)\b[^.;\n]{0,40}?"
    r"\b(?:writ|say|said|tell|told|giv|reveal|nam|mention|spell|show|stat|disclos|utter|contain|leak|hand|us(?:e|ing)\b)"
    r"[^.;\n]*?"
    r"\b(?:results?|answers?|solutions?|sums?|totals?|products?|words?|terms?|numbers?|names?|titles?|values?|"
    r"secrets?|it|them|itself|outcomes?|roots?|translations?|diagnosis|capitals?|plurals?)\b|"
    r"\bwithout (?:having been|being) told\b|\bon (?:his|her|their|its) own\b|\bkeep\b[^.;\n]{0,30}\bto yourself\b|"
    r"\b(?:answer|result|solution|word|number|name)\b[^.;\n]{0,30}\b(?:taboo|off[- ]limits|forbidden|not allowed)\b",
    re.IGNORECASE,
)
"""What a prompt says that forbids to give away what somebody else has to find."""
_WORD = regex(r"(?<!\w)(?:-?\d+(?:[.,:/]\d+)*|[^\W\d_][\w-]{2,})(?!\w)")
_WAYS = ("It is {}.", "The answer is {}.")


@check("G669", kinds=("tools", "multi-turn"), needs=("gold",), share=0.5)
def what_is_forbidden_to_say_does_not_pay(subject: Subject) -> Iterator[Finding]:
    """Saying at once what the prompt forbids to say, and the user says at the end of gold, scores less than gold."""
    known = [gold for gold in some_golds(subject)[:MOST_ROWS] if _rule(subject, gold)]
    found = _found_out(subject, known) if len(known) >= FEWEST_ROWS else {}
    asked = [gold for gold in known if found.get(gold.row)]
    if len(asked) < FEWEST_ROWS:
        return
    for way in _WAYS:
        for place in range(MOST_WORDS):
            words = {gold.row: found[gold.row][place] for gold in asked if len(found[gold.row]) > place}
            told = [gold for gold in asked if gold.row in words]
            if len(told) < FEWEST_ROWS or not won_of(subject, played_turns(subject, _said(told[:TASTED], words, way))):
                continue
            won = won_of(subject, played_turns(subject, tried := _said(told, words, way)))
            others = dict(zip(words, [*list(words.values())[1:], *list(words.values())[:1]], strict=True))
            lost = compared_turns(subject, _said(told, others, way))
            if as_good_on_most(subject, won, len(tried)) and seldom_won(subject, lost):
                yield _finding(subject, won, words, len(tried), way)
                return


def _rule(subject: Subject, gold: Gold) -> str:
    """The sentence of a prompt that forbids to say something."""
    sentences = sentences_of(prompt_text(subject, gold.row))
    return next((one.strip() for one in sentences if FORBIDS.search(one)), "")


def _found_out(subject: Subject, known: Sequence[Gold]) -> Mapping[int, list[str]]:
    """The words of the last thing that the user says to gold which gold never says, and which few rows have."""
    replies = {gold.row: _last_reply(subject, gold) for gold in known}
    often = Counter(word for text in replies.values() for word in {one.casefold() for one in _WORD.findall(text)})
    found = {}
    for gold in known:
        said = "\n".join(str(turn.get("content") or "") for turn in gold.turns)
        words = [
            one for one in dict.fromkeys(_WORD.findall(replies[gold.row]))
            if RARE * often[one.casefold()] <= len(known) and not says(said, one)
        ]  # fmt: skip
        found[gold.row] = words[::-1][:MOST_WORDS]  # what was found out is mostly said last
    return found


def _last_reply(subject: Subject, gold: Gold) -> str:
    """The last message of the user in gold's episode that gold has not begun with."""
    episode = gold_episodes(subject).get(gold.row)
    messages = episode.completion if episode else []
    own = next((place for place, one in enumerate(messages) if one["role"] == "assistant"), len(messages))
    return next(reversed(list(texts_of([one for one in messages[own:] if one["role"] == "user"]))), "")


def _said(golds: Sequence[Gold], words: Mapping[int, str], way: str) -> dict[int, list[Message]]:
    """A first message that says the word, and then what gold says last."""
    return {
        gold.row: [{"role": "assistant", "content": way.format(words[gold.row])}, *gold.turns[1:][-1:]]
        for gold in golds
    }


def _finding(subject: Subject, won: Sequence[Episode], words: Mapping[int, str], of: int, way: str) -> Finding:
    row = won[0].row_index
    rule = _rule(subject, next(gold for gold in some_golds(subject) if gold.row == row))
    return paid(
        subject, won, of,
        f"Saying {way.format(words[row])!r} at once, which gold never says, although {quoted(rule, 140)} is a rule,",
        "Give nothing where a message of the assistant says it before the user does.",
    )  # fmt: skip
