"""Whether what must not be said is looked for in every message, and not in the last one only."""

import re
from collections.abc import Iterator
from copy import deepcopy

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, less_than_gold, play_answers, was_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_ROWS, MOSTLY, MOST_CHARS = 4, 12, 0.75, 40
_FORBIDS = regex(
    r"\b(?:never|(?:do|must|may|should|shall|can)(?: not|n't)|cannot|without|avoid)\b[^.;\n]{0,40}?"
    r"\b(?:writ|say|said|tell|giv|reveal|nam|mention|us(?:e|ing)|spell|show|stat|disclos)",
    re.IGNORECASE,
)
_AT_THE_END = regex(r"\b(?:final|last|closing|summar\w+|conclu\w+|at the end)\b", re.IGNORECASE)
"""Where it is forbidden at the end, it may be said earlier."""


@check("G651", kinds=("tools", "multi-turn"), needs=("gold",))
def what_must_not_be_said_is_looked_for_everywhere(subject: Subject) -> Iterator[Finding]:
    """A value of the row that gold may not say in its last message costs as much in an earlier one."""
    known = [gold for gold in some_golds(subject)[:MOST_ROWS] if _forbids(subject, gold) and len(_texts(gold)) > 1]
    for column in subject.row(known[0].row) if len(known) >= FEWEST_ROWS else ():
        secrets = {gold.row: secret for gold in known if (secret := _secret(subject, gold, column))}
        asked = [gold for gold in known if gold.row in secrets]
        if len(asked) < FEWEST_ROWS or 2 * len(set(secrets.values())) < len(asked):
            continue
        shown: list[tuple[Gold, Episode]] = []
        for some in (asked[:TASTED], asked[TASTED:]):
            shown += [(gold, one) for gold in some if (one := _unpunished(subject, gold, secrets))]
            if not shown:
                break
        if len(shown) >= max(FEWEST_ROWS, MOSTLY * len(asked)):
            yield _finding(subject, *shown[0], secrets, column, len(shown), len(asked))
            return


def _forbids(subject: Subject, gold: Gold) -> bool:
    sentences = sentences_of(prompt_text(subject, gold.row))
    return any(_FORBIDS.search(one) and not _AT_THE_END.search(one) for one in sentences)


def _texts(gold: Gold) -> list[int]:
    """The turns of gold that only say something."""
    return [place for place, turn in enumerate(gold.turns) if turn.get("content") and not turn.get("tool_calls")]


def _secret(subject: Subject, gold: Gold, column: str) -> str:
    """The value of a column, if neither the prompt nor gold says it."""
    value = subject.row(gold.row).get(column)
    first = value[0] if isinstance(value, list) and value else value
    text = str(first) if isinstance(first, str | int | float) and not isinstance(first, bool) else ""
    said = "\n".join([prompt_text(subject, gold.row), *(str(turn.get("content") or "") for turn in gold.turns)])
    plain = column not in ("prompt", "case_idx") and 1 < len(text) <= MOST_CHARS
    return text if plain and not says(said, text) else ""


def _unpunished(subject: Subject, gold: Gold, secrets: dict[int, str]) -> Episode | None:
    """The episode that says it earlier and is as good as gold, where it costs something in the last message."""
    secret, (*earlier, last) = secrets[gold.row], _texts(gold)
    other = next((one for one in secrets.values() if one != secret), "")
    said = [_saying(gold, last, other), _saying(gold, last, secret), *(_saying(gold, one, secret) for one in earlier)]
    played = play_answers(subject, [(gold.row, turns) for turns in said])
    if len(played) < len(said) or not all(map(was_scored, played)):
        return None
    neutral, punished, *free = played
    if not as_good_as_gold(subject, neutral) or as_good_as_gold(subject, punished):
        return None  # else it is no such word that costs something there
    return next((one for one in free if as_good_as_gold(subject, one)), None)


def _saying(gold: Gold, place: int, word: str) -> list[Message]:
    turns = deepcopy(gold.turns)
    turns[place]["content"] = f"{turns[place]['content']} {word}"
    return turns


def _finding(
    subject: Subject, gold: Gold, episode: Episode, secrets: dict[int, str], column: str, won: int, of: int
) -> Finding:
    secret = secrets[gold.row]
    return Finding(
        f"What must not be said, {secret!r} from the column {column!r}, costs something in the last message only: gold "
        f"that says it in an earlier one scores as much as gold on {won} of {of} rows: "
        f"{quoted(turns_text(own_turns(episode.completion)), 160)}.",
        "Look for it in all messages of the assistant: keep what was said, or read the whole completion.",
        gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip
