"""Whether a tool that reads one thing of a row by its name reads the answer too, which is kept beside these things."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers, was_scored, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.json_data import leaves, read_json
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.tool_use.exploring import KEPT_FOR_THE_SCORER
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, TASTED, MOSTLY, FEWEST_VALUES, FEWEST_NAMED, MOST_KEYS, MOST_CHARS = 10, 2, 0.8, 3, 2, 24, 80
NONSENSE = "zephyr"
_MORE = regex(
    r"\b(?:such as|like|e\.?g\.?|for (?:example|instance)|examples?|etc|including|any|other)\b|"
    r"\b(?:und so weiter|zum Beispiel)\b|\.\.\.|…",
    re.IGNORECASE,
)
"""What a tool says that does not name all that it takes."""
Values = dict[int, str]
"""By row, what is kept under a key."""


def told_to_keys(subject: Subject) -> Iterator[Finding]:
    """The finding that the name of a value which no tool offers is answered with what scores as the answer."""
    tools = [] if subject.traits.tools_of_rows else [tool for tool in subject.tools if _takes_a_name(tool)]
    rows = subject.sample(MOST_ROWS) if tools else []
    if len(rows) < FEWEST_ROWS:
        return
    kept = _kept(subject, rows)
    shown = [prompt_text(subject, row) for row in rows]
    for tool in tools:
        names_all = _names_all(tool, kept)
        for key, values in kept.items():
            is_open = names_all or _is_for_scorers(key, shown)
            if not is_open or _is_named(key, tool, shown):
                continue
            if len(_told(subject, tool, key, dict(list(values.items())[:TASTED]))) < TASTED:
                continue
            told = _told(subject, tool, key, values)
            guessed: list[tuple[int, Completion]] = [(row, [_asking(tool, key), NONSENSE]) for row in values]
            if _told(subject, tool, NONSENSE, values) or won_of(subject, play_answers(subject, guessed)):
                continue
            if len(told) >= max(FEWEST_ROWS, MOSTLY * len(rows)):
                severity: Severity = "error" if _is_for_scorers(key, shown) else "warning"
                yield _finding(subject, key, told[0], len(told), len(rows), severity)
                return


def _takes_a_name(tool: Mapping[str, Any]) -> bool:
    """Whether a tool looks something up, and takes one text that may be any."""
    needed = required_of(tool)
    schema = properties_of(tool).get(needed[0], {}) if len(needed) == 1 else {}
    return may_only_look(tool) and schema.get("type") == "string" and "enum" not in schema


def _kept(subject: Subject, rows: Sequence[int]) -> dict[str, Values]:
    """The short values inside the objects of columns, by key, where nearly all rows have one and they differ."""
    found: dict[str, Values] = defaultdict(dict)
    for row in rows:
        for name, value in subject.row(row).items():
            data = read_json(value) if isinstance(value, str) else value
            if name == "prompt" or not isinstance(data, dict):
                continue
            for path, leaf in leaves(data, MOST_KEYS):
                if (
                    isinstance(path[-1], str)
                    and isinstance(leaf, str | int | float)
                    and 0 < len(str(leaf)) < MOST_CHARS
                ):
                    found[path[-1]].setdefault(row, str(leaf))
    return {
        key: values for key, values in found.items()
        if len(values) >= MOSTLY * len(rows) and len(set(values.values())) >= FEWEST_VALUES
    }  # fmt: skip


def _names_all(tool: Mapping[str, Any], kept: Mapping[str, Values]) -> bool:
    """Whether a tool names several things that it takes, and not as examples."""
    parameter = properties_of(tool)[required_of(tool)[0]]
    said = f"{description_of(tool)} {parameter.get('description') or ''}"
    return sum(says(said, key) for key in kept) >= FEWEST_NAMED and not _MORE.search(said)


def _is_for_scorers(key: str, prompts: Sequence[str]) -> bool:
    """Whether a key is called as what scorers compare with, and no prompt has this word."""
    return bool(KEPT_FOR_THE_SCORER.search(key)) and not any(says(prompt, key) for prompt in prompts)


def _is_named(key: str, tool: Mapping[str, Any], prompts: Sequence[str]) -> bool:
    """Whether a tool names a key, or a prompt has it in quotes."""
    in_quotes = regex(rf"[`'\"]{re.escape(key)}[`'\"]")
    return says(canonical_json(tool), key) or any(map(in_quotes.search, prompts))


def _told(subject: Subject, tool: Mapping[str, Any], name: str, values: Values) -> list[Episode]:
    """The episodes in which a name is answered with the value alone, and the value as answer is as good as gold."""
    played = play_answers(subject, [(row, [_asking(tool, name), value]) for row, value in values.items()])
    return [
        one for one in played
        if was_scored(one) and bare(reply_to(one)) == bare(values[one.row_index]) and as_good_as_gold(subject, one)
    ]  # fmt: skip


def _asking(tool: Mapping[str, Any], name: str) -> Message:
    return call_message(name_of(tool), **{required_of(tool)[0]: name})


def _finding(subject: Subject, key: str, episode: Episode, rows: int, of: int, severity: Severity) -> Finding:
    turns = own_turns(episode.completion)
    return Finding(
        f"The name {key!r}, which the tool does not offer, is answered with the answer, on {rows} of {of} rows: "
        f"{turns_text(turns[:1])} gets {quoted(reply_to(episode))}, which scores {episode.reward:g} as the answer.",
        "Let the tool read only the names that it offers, and keep the answer in a column of its own.",
        episode.row_index, turns, episode.reward, less_than_gold(subject, episode),
        severity=severity,
    )  # fmt: skip
