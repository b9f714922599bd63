"""Whether tools show the row, with what the model has to work out, whatever they are called with."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import TOKEN
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import TriedCall, calls_made, drawn_call
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.option_in_errors import option_in_errors
from grpo_env_sdk.checking.teaching.telling.row_in_errors import ODD, row_in_errors
from grpo_env_sdk.checking.teaching.telling.shown_secret import Secret, named_values
from grpo_env_sdk.checking.teaching.telling.silence import values_of
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, MOST_ROWS, MOSTLY = 4, 8, 0.8
"""On how many rows, and in what share of a tool's calls, the row has to be shown; how many are tried with odd calls."""


Made = Mapping[str, list[tuple[TriedCall, Secret | None]]]
"""By tool, the calls that gold does not make, each with the secret that its reply shows."""


@check("G531", kinds=("tools", "multi-turn"), needs=("calls", "gold"))
def replies_do_not_show_the_row(subject: Subject) -> Iterator[Finding]:
    """No tool replies to every call, whatever its arguments, with what only gold knows of the row."""
    secrets = {row: found for row, gold in golds(subject).items() if (found := _secrets(subject, gold))}
    if len({canonical_json([one.value for one in found]) for found in secrets.values()}) < FEWEST_ROWS:
        yield from islice(chain(row_in_errors(subject), option_in_errors(subject)), 1)
        return
    of_gold = {row: _calls_of(gold) for row, gold in golds(subject).items()}
    made: dict[str, list[tuple[TriedCall, Secret | None]]] = defaultdict(list)
    for call in calls_made(subject):
        row = call.episode.row_index
        if row in secrets and required_of(call.tool(subject)) and canonical_json(call.call) not in of_gold[row]:
            given = canonical_json(call.outcome["arguments"])
            others = (one for one in secrets[row] if str(one.value) not in given)
            made[call.name].append((call, next((one for one in others if one.shown_in(call.content)), None)))
    for name, calls in made.items():
        shown = [(call, secret) for call, secret in calls if secret is not None]
        rows = {call.episode.row_index for call, _ in shown}
        if len(rows) >= FEWEST_ROWS and len(shown) >= MOSTLY * len(calls):
            yield _finding(name, *shown[0], len(shown), len(calls))
            return
    shown_else = (_kept_for_the_scorer(secrets, made, of_gold), _shown_to_odd_calls(subject, secrets))
    yield from islice(chain(*shown_else, row_in_errors(subject), option_in_errors(subject)), 1)


def _shown_to_odd_calls(subject: Subject, secrets: Mapping[int, list[Secret]]) -> Iterator[Finding]:
    """The finding that a tool shows the row to calls with an empty text, 0 or -1, as in an error."""
    rows = list(secrets)[:MOST_ROWS]
    for tool in subject.tools:
        for value, kinds in ODD.items():
            names = [name for name in required_of(tool) if properties_of(tool)[name].get("type") in kinds]
            odd = dict.fromkeys(names, value)
            tried: list[tuple[int, Completion]] = []
            for row in rows if names else ():
                given = drawn_call(subject, tool, row)["tool_calls"][0]["function"]["arguments"]
                tried.append((row, [call_message(name_of(tool), **{**given, **odd}), ""]))
            replies = {one.row_index: one.tool_calls[0] for one in play_answers(subject, tried) if one.tool_calls}
            shown = {
                row: (call, secret)
                for row, call in replies.items()
                for secret in secrets[row]
                if str(secret.value) not in canonical_json(call["arguments"]) and secret.alone_in(str(call["content"]))
            }
            if len(shown) >= FEWEST_ROWS and len(shown) >= MOSTLY * len(replies):
                row, (call, secret) = next(iter(shown.items()))
                how = f"called with {joined([f'{name}={value!r}' for name in names])}"
                yield _told(name_of(tool), row, secret, how, len(shown), len(replies), call)
                return


def _kept_for_the_scorer(
    secrets: Mapping[int, list[Secret]], made: Made, of_gold: Mapping[int, set[str]]
) -> Iterator[Finding]:
    """The finding that a tool that gold does not need has it behind a name such as "expected" or "solution"."""
    for name, calls in made.items():
        if any(f'"name":"{name}"' in call for calls_of_row in of_gold.values() for call in calls_of_row):
            continue
        of_calls = [(call, secret) for call, _ in calls for secret in secrets[call.episode.row_index]]
        shown = [(call, secret) for call, secret in of_calls if secret.marked_in(call.content)]
        if len({call.episode.row_index for call, _ in shown}) >= FEWEST_ROWS:
            found = _finding(name, *shown[0], len(shown), len(calls), "as it is kept for the scorer")
            yield replace(found, severity="warning")
            return


def _finding(
    name: str, call: TriedCall, secret: Secret, shown: int, of: int, how: str = "whatever it is called with"
) -> Finding:
    return _told(name, call.episode.row_index, secret, how, shown, of, {**call.call, "content": call.content})


def _told(name: str, row: int, secret: Secret, how: str, shown: int, of: int, call: Mapping[str, Any]) -> Finding:
    return Finding(
        f"The replies of {name} show the row, {how}: {secret.name!r} is "
        f"{quoted(secret.value)} in row {row}, which gold needs and the prompt does not have, in {shown} of {of} calls "
        "that gold does not make.",
        "Reply only with what was asked for; keep records, debug output and what the scorer compares with to the "
        "scorer.",
        row, {"name": name, "arguments": call["arguments"]}, call["content"], f"a reply without {quoted(secret.value)}",
    )  # fmt: skip


def _secrets(subject: Subject, gold: Gold) -> list[Secret]:
    """The values of a row that have words of gold that are not in the prompt."""
    shown = {word.casefold() for word in TOKEN.findall(prompt_text(subject, gold.row))}
    needed = {word for word in values_of(gold) - shown if len(word) > 1}
    row = subject.row(gold.row)
    pairs = named_values({name: value for name, value in row.items() if name not in ("prompt", "case_idx")})
    return [Secret(name, value) for name, value in pairs if _words(value) & needed]


def _words(value: Any) -> set[str]:
    """The words of a text or number; of a list, those of its items."""
    items = value if isinstance(value, list) else [value]
    texts = [str(item) for item in items if isinstance(item, str | int | float)]
    return {word.casefold() for text in texts for word in TOKEN.findall(text)}


def _calls_of(gold: Gold) -> set[str]:
    calls = functions_of(gold.turns)
    return {canonical_json({"name": call["name"], "arguments": call["arguments"]}) for call in calls}
