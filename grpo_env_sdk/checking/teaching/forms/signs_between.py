"""Whether the sign between the items of an answer, without which it scores nothing, is asked for."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import Gold, golds, reward_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Variant, played
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.teaching.forms.list_forms import items_of
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, MOSTLY, MOST_CHARS, LOST = 6, 0.75, 80, 0.5
"""On how many rows and on what share gold has the sign, how long gold is, and the part of its reward that is lost."""
_BETWEEN = regex(r"(?<=\S) ([^\w\s,;]{1,3}) (?=\S)")
_OF_COURSE = {"+", "-", "−", "*", "/", "=", "<", ">", "×", "&"}  # noqa: RUF001  # what authors write
"""Signs with a meaning of their own, which other ones do not have."""
_IS_NUMBER = regex(r"\D{0,2}(?:\d+[.,]\d{1,2}|\d{1,3}(?:[.,' ]\d{2})*(?:[.,' ]\d{3})+(?:[.,]\d+)?)\D{0,2}")
_OTHERS = (", ", " x ", " * ", " ")
_USUAL = (", ", "\n")
_MENTIONED = {
    **dict.fromkeys(("; ", ";"), r";|semicolon|separat|delimit"),
    **dict.fromkeys((" | ", "|"), r"\||pipe|\bbar\b|separat|delimit"),
    " / ": r"/|slash|separat|delimit",
    ",": r"\w,\w|without (?:any )?(?:spaces|blanks)|no (?:spaces|blanks)|comma|csv|separat|delimit|format",
}
"""What may stand between the items of a list, and what a prompt says that asks for it."""


def unmentioned_signs(subject: Subject, known: Sequence[Gold]) -> Iterator[Finding]:
    """The finding that gold puts a sign between its items that no prompt shows, and that every other one loses."""
    if (found := _between_items(subject, known)) is not None:
        yield found
        return
    with_sign = [gold for gold in known if len(gold.text) <= MOST_CHARS and _BETWEEN.search(gold.text)]
    signs = {sign for gold in with_sign for sign in _BETWEEN.findall(gold.text)}
    if len(with_sign) < max(FEWEST_ROWS, MOSTLY * len(known)) or len(signs) != 1 or signs <= _OF_COURSE:
        return
    between = f" {signs.pop()} "
    if between in " ".join([str(subject.tools), *(prompt_text(subject, gold.row) for gold in known)]):
        return
    tried = [Variant(other, gold, gold.text.replace(between, other)) for other in _OTHERS for gold in with_sign]
    if finding := _finding_if_refused(subject, tried, between, "warning"):
        yield finding


def _between_items(subject: Subject, known: Sequence[Gold]) -> Finding | None:
    """The finding that gold is a list with another sign between its items than commas, which no prompt mentions."""
    short = [gold for gold in known if len(gold.text) <= MOST_CHARS and not _IS_NUMBER.fullmatch(gold.text.strip())]
    lists = {gold.row: items_of(gold.text.strip()) for gold in short}
    signs = {between for items, between in lists.values() if items}
    listed = [gold for gold in known if lists.get(gold.row, ([], ""))[0]]
    if len(listed) < max(FEWEST_ROWS, MOSTLY * len(known)) or len(signs) != 1:
        return None
    between = signs.pop()
    shown = " ".join([str(subject.tools), *(prompt_text(subject, gold.row) for gold in known)])
    if between not in _MENTIONED or re.search(_MENTIONED[between], shown, re.IGNORECASE):
        return None
    others = [other for other in _USUAL if other.strip() != between.strip() or between == ","]
    tried = [Variant(other, gold, other.join(lists[gold.row][0])) for other in others for gold in listed]
    return _finding_if_refused(subject, tried, between, "error")


def _finding_if_refused(subject: Subject, tried: Sequence[Variant], between: str, severity: Severity) -> Finding | None:
    """The finding that each other sign loses most of the reward on all rows."""
    outcomes, rewards = played(subject, tried), golds(subject)
    of_all = [episode for outcome in outcomes.values() for episode in outcome.episodes]
    kept = [one for one in of_all if reward_of(one) > LOST * rewards[one.row_index].reward]
    if len(outcomes) < len({one.name for one in tried}) or kept:
        return None
    episode, rows = of_all[0], len({one.gold.row for one in tried})
    said, gold = answer_text(episode.completion), rewards[episode.row_index]
    return Finding(
        f"A sign that no prompt shows decides the score: {quoted(said)} scores {episode.reward:g}, and "
        f"{quoted(gold.text)} {gold.reward:g}, and each of {len(outcomes)} other signs loses on {rows} rows.",
        f"Show in the prompt that items are separated by {between!r}, or compare the items alone.",
        row=episode.row_index, input=said, output=episode.reward, expected=gold.reward, severity=severity,
    )  # fmt: skip
