"""Whether the reply to nonsense tells the rows of a guessing game apart, which a proper question does not."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold.compared_gold import probes
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.told_to_nonsense import GAME, UNCLEAR
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_PROBES, MOSTLY, A_QUESTION = 12, 6, 0.75, 0.5
"""The share of rows with a reply of their own from which it tells them apart, and the part of these that a proper
message may have."""
_REFUSES = regex(
    r"\b(?:only|usage|use|please|must|format|form|understand\w*|understood|unclear|unknown|invalid|expect\w*|such as|"
    r"instead|nur|bitte|verstehe\w*|solo|sólo|entiend\w*|seulement|compren\w*|veuillez)\b",
    re.IGNORECASE,
)


@check("G616", kinds=("multi-turn",), needs=("acts",), severity="error")
def nonsense_does_not_tell_rows_apart(subject: Subject) -> Iterator[Finding]:
    """In a game of finding out whose prompts are all the same, the reply to nonsense is the same on all rows."""
    texts = {re.sub(r"\d+", "", prompt_text(subject, row)) for row in subject.sample(MOST_ROWS)}
    known = {gold.row: gold for gold in some_golds(subject)[:MOST_ROWS]} if len(texts) == 1 else {}
    if len(known) < FEWEST_ROWS or not GAME.search(next(iter(texts))):
        return
    for said in UNCLEAR:
        replies = _replies(subject, known, said)
        own = len(set(replies.values()))
        if own < max(FEWEST_ROWS, MOSTLY * len(known)) or not all(map(_refuses, replies.values())):
            continue
        if _replies(subject, known, said, anew=True) == replies and not _shown_to_all(subject, known):
            won = _won(subject, known, said)
            if len(won) >= MOSTLY * len(known):
                yield _finding(said, replies, won)
                return


def _refuses(reply: str) -> bool:
    return bool(_REFUSES.search(reply) or SAYS_WRONG.search(reply))


def _replies(subject: Subject, rows: Mapping[int, Gold], said: str, anew: bool = False) -> dict[int, str]:
    """By row, what a first message is answered with; `anew` plays it again, as a reply may be drawn."""
    play = subject.answers if anew else lambda answers: play_answers(subject, answers)
    return {one.row_index: reply for one in play([(row, [said, ""]) for row in rows]) if (reply := reply_to(one))}


def _shown_to_all(subject: Subject, known: Mapping[int, Gold]) -> bool:
    """Whether a proper first message is answered with as much: then what differs is there to be seen."""
    asked = dict.fromkeys(str(gold.turns[0].get("content")) for gold in known.values() if gold.turns)
    shown = probes(subject, prompt_text(subject, next(iter(known))))
    for said in (*list(asked)[:2], *list(shown)[:MOST_PROBES]):
        replies = [reply for reply in _after_first(subject, known, said) if reply and not _refuses(reply)]
        if len(set(replies)) > A_QUESTION * len(known):
            return True
    return False


def _after_first(subject: Subject, known: Mapping[int, Gold], said: str) -> list[str]:
    """What the first message is answered with, whether it ends the episode or not."""
    after = [episode.completion[1:] for episode in play_answers(subject, [(row, [said, ""]) for row in known])]
    return [
        " ".join(str(one.get("content")) for one in takewhile(lambda one: one["role"] != "assistant", messages))
        for messages in after
    ]


def _won(subject: Subject, known: Mapping[int, Gold], said: str) -> list[Episode]:
    """The episodes in which nonsense and then the last message of gold score as much as gold."""
    played = play_answers(subject, [(row, [said, gold.turns[-1]]) for row, gold in known.items()])
    return [one for one in played if not one.error and reward_of(one) >= known[one.row_index].reward - NEARLY]


def _finding(said: str, replies: Mapping[int, str], won: Sequence[Episode]) -> Finding:
    one = won[0].row_index
    other = next(row for row in replies if replies[row] != replies[one])
    return Finding(
        f"All prompts are the same, and the reply to {quoted(said)}, which is not understood, tells which row it is: "
        f"{quoted(replies[one], 120)} in row {one}, {quoted(replies[other], 120)} in row {other}. Saying the right "
        f"thing next scores {won[0].reward:g}, without a question, on {len(won)} rows.",
        "Answer what is not understood with words that are the same on every row.",
        one, own_turns(won[0].completion), reward_with_parts(won[0]), "a reply that is the same on all rows",
    )  # fmt: skip
