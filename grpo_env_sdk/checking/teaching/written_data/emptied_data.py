"""Whether data that the scorer reads can be emptied with a query, where no gold is known."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import NEARLY, play_compared, play_scored, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

MOST_ROWS, FEWEST_ROWS, MOSTLY, SELDOM, MOST_TABLES = 8, 4, 0.75, 0.25, 4
OF_NOTHING: tuple[int | str, ...] = (0, "", "none", "None", "[]")
"""What a query gives where there are no data, and how it is written."""
_QUERY = regex(r"\b(?:sql\w*|quer(?:y|ies)|statement)\b", re.IGNORECASE)
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_NAMED = regex(r"\btables?:? (?:called |named )?[\"'`]?([A-Za-z_]\w*)")


def emptied_without_gold(subject: Subject) -> Iterator[Finding]:
    """The finding that what holds of no data is right on most rows once a query has deleted them, and else is not."""
    top = subject.traits.reward_range[1]
    rows = subject.sample(MOST_ROWS)
    for tool in subject.tools:
        needed = required_of(tool)
        if len(needed) != 1 or not _QUERY.search(f"{needed[0]} {canonical_json(properties_of(tool))}"):
            continue
        tables = _tables(subject, rows[0], name_of(tool), needed[0])
        deleting = [call_message(name_of(tool), **{needed[0]: f"DELETE FROM {table}"}) for table in tables]
        for value in OF_NOTHING if deleting else ():
            emptied = play_scored(subject, _on_all(rows, [*deleting, str(value)]))
            honest = play_compared(subject, _on_all(rows, [str(value)])) if emptied else []
            won = [one for one in emptied if reward_of(one) >= top - NEARLY]
            usual = [one for one in honest if reward_of(one) >= top - NEARLY]
            if len(won) < max(FEWEST_ROWS, MOSTLY * len(emptied)) or len(usual) > SELDOM * len(honest):
                continue
            statement = f"DELETE FROM {tables[0]}"
            yield Finding(
                f"{name_of(tool)} runs statements that write: after {statement!r} the answer {str(value)!r} scores "
                f"{won[0].reward:g} on {Share(len(won), len(emptied))}, and without it on {len(usual)}.",
                "Open the data read-only, or refuse what does not start with SELECT; work out what is expected before "
                "the episode, and not from data that it may change.",
                won[0].row_index, own_turns(won[0].completion), reward_with_parts(won[0]), f"less than {top:g}",
                severity="error",
            )  # fmt: skip
            return


def _tables(subject: Subject, row: int, tool: str, parameter: str) -> list[str]:
    """The tables that the database lists, or else those that the prompt names."""
    episode = subject.answer(row, [call_message(tool, **{parameter: _TABLES}), ""])
    told = "\n".join(str(call["content"]) for call in episode.tool_calls if not call["error"])
    names = [] if SAYS_WRONG.search(told) else re.findall(r"[A-Za-z_]\w*", told)
    return list(dict.fromkeys([*names, *_NAMED.findall(prompt_text(subject, row))]))[:MOST_TABLES]


def _on_all(rows: Sequence[int], turns: Sequence[str | Message]) -> list[tuple[int, Completion]]:
    return [(row, list(turns)) for row in rows]
