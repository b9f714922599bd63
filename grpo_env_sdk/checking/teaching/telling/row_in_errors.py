"""Whether an error shows the row with what gold chooses, also where the prompt lists it among other options."""

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.tool_use.calls import drawn_call
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.shown_secret import Secret, named_values
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, MOSTLY, FEWEST_VALUES = 8, 0.8, 3
ODD: dict[Any, tuple[str, ...]] = {"": ("string",), 0: ("integer", "number"), -1: ("integer", "number")}
"""Values that nobody asks for, and the types of parameters that take them."""


def row_in_errors(subject: Subject) -> Iterator[Finding]:
    """The finding that the error of an odd call shows a column with what gold chooses, and gold after it scores."""
    calling = [gold for gold in golds(subject).values() if gold.calls]
    known = Random(len(calling)).sample(calling, min(MOST_ROWS, len(calling)))  # like rows are often side by side
    chosen = {gold.row: found for gold in known if (found := _chosen(subject, gold, known))}
    if len(chosen) < FEWEST_ROWS or len({str(found[0].value) for found in chosen.values()}) < FEWEST_VALUES:
        return
    for tool in subject.tools:
        for value in ODD:
            tried = {gold.row: call for gold in known if (call := odd_call(subject, tool, gold, value))}
            after: list[tuple[int, Completion]] = [
                (gold.row, [tried[gold.row], *gold.turns]) for gold in known if gold.row in tried
            ]
            shown = [
                (one, secret) for one in play_answers(subject, after)
                if as_good_as_gold(subject, one) and (secret := _shown(one, chosen.get(one.row_index, [])))
            ]  # fmt: skip
            if len(shown) >= max(FEWEST_ROWS, MOSTLY * len(known)):
                yield _finding(name_of(tool), value, *shown[0], len(shown), len(known))
                return


def odd_call(subject: Subject, tool: Mapping[str, Any], gold: Gold, value: Any) -> Message | None:
    """A call with this value in each argument that takes it; None where none does."""
    names = [name for name in required_of(tool) if properties_of(tool)[name].get("type") in ODD[value]]
    if not names:
        return None
    usual = gold.first_given(name_of(tool))
    given = usual or drawn_call(subject, tool, gold.row)["tool_calls"][0]["function"]["arguments"]
    return call_message(name_of(tool), **{**given, **dict.fromkeys(names, value)})


def _chosen(subject: Subject, gold: Gold, known: list[Gold]) -> list[Secret]:
    """The columns of a row whose value gold gives to a tool, or answers."""
    row = subject.row(gold.row)
    text = without_form(gold.text, form_of([one.text for one in known]))
    used = {bare(str(value)) for _, given in gold.calls[-1:] for value in given.values()} | {bare(text)}
    columns = {name: value for name, value in row.items() if name not in ("prompt", "case_idx")}
    return [
        Secret(name, value) for name, value in named_values(columns)
        if used & {bare(str(item)) for item in (value[-1:] if isinstance(value, list) else [value])} - {""}
    ]  # fmt: skip


def _shown(episode: Episode, chosen: list[Secret]) -> Secret | None:
    """What the error of the first call shows of what gold chooses."""
    call = episode.tool_calls[0] if episode.tool_calls else {}
    reply = str(call.get("content", ""))
    is_error = call.get("error") or SAYS_WRONG.search(reply)
    return next((one for one in chosen if is_error and _is_in_record(one, reply)), None)


def _is_in_record(secret: Secret, reply: str) -> bool:
    """Whether a reply has the name and the value of a column as a record is printed."""
    if isinstance(secret.value, list):
        return secret.shown_in(reply)
    pattern = rf"\b{re.escape(secret.name)}[\"']?\s*[:=]\s*[\"']?{re.escape(str(secret.value))}(?!\w)"
    return secret.alone_in(reply) and re.search(pattern, reply) is not None


def _finding(name: str, value: Any, episode: Episode, secret: Secret, rows: int, of: int) -> Finding:
    return Finding(
        f"The error of {name} for {value!r} shows the row, on {rows} of {of} rows: {secret.name!r} is "
        f"{quoted(secret.value)}, which gold chooses, and gold after it scores {episode.reward:g}.",
        "Say only what is wrong with the call; keep records and what the scorer compares with out of errors.",
        episode.row_index, own_turns(episode.completion), episode.tool_calls[0]["content"],
        f"an error without {quoted(secret.value)}",
    )  # fmt: skip
