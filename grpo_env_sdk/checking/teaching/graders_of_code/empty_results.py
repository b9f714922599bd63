"""Whether a query or pattern that finds nothing is right on the rows on which gold finds nothing either."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import (
    ANY_PATTERN,
    ANY_QUERY,
    EMPTY_PATTERN,
    EMPTY_QUERY,
    tricks_for,
)
from grpo_env_sdk.checking.teaching.graders_of_code.graded_code import Code
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, FEWEST_PAID = 6, 2
"""How many rows have a query, and on how many one that finds nothing is right."""
KINDS = {
    EMPTY_QUERY: (ANY_QUERY, "SELECT 1 WHERE 0 = 1"),
    EMPTY_PATTERN: (ANY_PATTERN, "(?!)"),
}
"""What finds nothing, with what should not be right there either, and the shortest of its kind."""
_MAY_BE_EMPTY = regex(
    r"\b(?:may|might|can|could) (?:also )?(?:be empty|(?:find|return|match) (?:nothing|none|no rows))\b|"
    r"\bif (?:there are|there is|it finds|nothing|none)\b[^.\n]*\b(?:none|no|nothing|empty|matches)\b|"
    r"\bempty (?:result|set|list)s?\b",
    re.IGNORECASE,
)
"""What a prompt says where it is a part of the task that there may be nothing."""


def empty_results(subject: Subject, codes: Sequence[Code]) -> Iterator[Finding]:
    """The finding that what finds nothing scores as gold on some rows, where what always finds something does not."""
    for nothing, (anything, shortest) in KINDS.items():
        known = [code for code in codes if _trick(subject, code, nothing)]
        empty = right_with(subject, known, nothing) if len(known) >= FEWEST_ROWS else []
        if not FEWEST_PAID <= len(empty) <= len(known) / 2 or right_with(subject, empty, anything):
            continue  # on most rows another finding says so
        short = _won(subject, [(code, shortest) for code in empty])
        shown = (short or _won(subject, [(code, _trick(subject, code, nothing)) for code in empty]))[0]
        yield _finding(subject, nothing, empty, shown, len(known))


def right_with(subject: Subject, codes: Sequence[Code], name: str) -> list[Code]:
    """The code in whose place what has this name scores as much as gold; raises where there is no time for all."""
    tried = [(code.gold.row, code.with_other(trick)) for code in codes if (trick := _trick(subject, code, name))]
    rows = {episode.row_index for episode in play_compared(subject, tried) if as_good_as_gold(subject, episode)}
    return [code for code in codes if code.gold.row in rows]


def may_be_empty(subject: Subject, code: Code) -> bool:
    """Whether gold is a query or a pattern, which may find nothing."""
    return any(_trick(subject, code, name) for name in KINDS)


def _finding(subject: Subject, nothing: str, empty: Sequence[Code], shown: Episode, of: int) -> Finding:
    gold = next(code for code in empty if code.gold.row == shown.row_index)
    own = own_turns(shown.completion)
    said = answer_text(own) if len(own) == 1 else turns_text(own)
    announced = any(_MAY_BE_EMPTY.search(prompt_text(subject, code.gold.row)) for code in empty)
    return Finding(
        f"{nothing} is right on {len(empty)} of {of} rows, as gold finds nothing there: {quoted(said, 100)} scores "
        f"{shown.reward:g} in row {shown.row_index}, where gold is {quoted(gold.text, 100)}.",
        "Ask for what the data has, or compare the results on other data too, on which gold finds something.",
        shown.row_index, said, shown.reward, less_than_gold(subject, shown),
        severity="warning" if announced else "error",
    )  # fmt: skip


def _trick(subject: Subject, code: Code, name: str) -> str:
    """What has this name for the language of gold; empty where it has none."""
    groups = tricks_for(code.text, prompt_text(subject, code.gold.row))
    return next((group[name] for group in groups if name in group), "")


def _won(subject: Subject, tried: Sequence[tuple[Code, str]]) -> list[Episode]:
    """The episodes with these queries or patterns that are as good as gold."""
    played = play_scored(subject, [(code.gold.row, code.with_other(query)) for code, query in tried])
    return won_of(subject, played)
