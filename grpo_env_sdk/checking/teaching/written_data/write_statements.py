"""Whether tools write what the scorer reads: a query that is a statement, another file than gold's."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import chain, islice, product

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    as_good_as_gold,
    gold_episodes,
    golds,
    less_than_gold,
    play_answers,
    won_of,
)
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    Turns,
    as_good_on_most,
    called_together,
    last_acts,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.written_data.emptied_data import OF_NOTHING, emptied_without_gold
from grpo_env_sdk.checking.teaching.written_data.overwriting import overwritten_targets
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

_PATH = regex(r"[\w./-]*\w\.[a-z]{1,5}\b")
MOST_FILES = 10
_TABLE = regex(r"\b(?:from|join)\s+[\"`\[]?(\w+)", re.IGNORECASE)
_FILES = "Score with files of your own, such as the tests of the row, and not with those that tools can write."


@check("G523", kinds=("tools", "multi-turn"), needs=("calls",), severity="warning")
def queries_only_read(subject: Subject) -> Iterator[Finding]:
    """A parameter that takes a query does not take a statement that writes, nor one that takes files all of them."""
    if not golds(subject):
        yield from emptied_without_gold(subject)
        return
    for name, acts in last_acts(subject).items():
        for act in acts[:FEWEST_ROWS]:
            for parameter, value in act.arguments.items():
                statement = _write(value) if isinstance(value, str) else None
                episode = _written(subject, act, parameter, statement) if statement else None
                if episode is None:
                    continue
                if emptied := _paid_for_emptying(subject, act, parameter):
                    yield emptied
                    return
                right = as_good_as_gold(subject, episode)
                said = str(own_turns(episode.completion)[-1]["content"])
                then = f"the answer {said!r} scores {episode.reward:g} then" if right else "the next query shows it"
                yield Finding(
                    f"{name} runs statements that write: {statement!r} changed the data, and {then}.",
                    "Open the data read-only, or refuse what does not start with SELECT; score with other data.",
                    act.gold.row, own_turns(episode.completion), reward_with_parts(episode),
                    less_than_gold(subject, episode), "error" if right else "warning",
                )  # fmt: skip
                return
    yield from islice(chain(_overwritten(subject), overwritten_targets(subject)), 1)


def _overwritten(subject: Subject) -> Iterator[Finding]:
    """The findings that emptying the other files that are shown, in place of gold's own, is gold."""
    for name, acts in last_acts(subject).items():
        turns = {act.gold.row: (act, emptied) for act in acts if (emptied := _emptied(subject, act))}
        played = played_acts(subject, list(turns.values()))
        won = won_of(subject, played)
        if as_good_on_most(subject, won, len(played)):
            what = f"Emptying the other files with {name}, and doing nothing else,"
            yield replace(paid(subject, won, len(played), what, _FILES), severity="error")


def _emptied(subject: Subject, act: Act) -> Turns:
    """Gold's act with an empty text for every other file that prompt and replies name; empty where it writes none."""
    paths = [key for key, value in act.arguments.items() if isinstance(value, str) and _PATH.fullmatch(value)]
    texts = [key for key, value in act.arguments.items() if isinstance(value, str) and key not in paths]
    if len(paths) != 1 or len(texts) != 1:
        return []
    shown = [prompt_text(subject, act.gold.row), *replies_to_gold(subject, act.gold.row)]
    listing = [call_message(name_of(tool)) for tool in subject.tools_of(act.gold.row) if not required_of(tool)]
    for episode in subject.answers([(act.gold.row, [*listing, ""])]) if listing else ():
        shown += texts_of(episode.completion)
    others = dict.fromkeys(_PATH.findall(" ".join(shown)))
    emptied = [path for path in list(others)[:MOST_FILES] if path != act.arguments[paths[0]]]
    return (
        [called_together(act.again(**{paths[0]: path, texts[0]: ""}) for path in emptied), *act.end] if emptied else []
    )


def _written(subject: Subject, act: Act, parameter: str, statement: str) -> Episode | None:
    """The episode of a statement, gold's query and the answer that is right then; None if nothing was changed."""
    turns = [*act.before, act.again(**{parameter: statement}), act.again()]
    episode = subject.answer(act.gold.row, [*turns, {"role": "assistant", "content": "1"}])
    calls = gold_episodes(subject)[act.gold.row].tool_calls
    before = next((call["content"] for call in calls if call["arguments"] == act.arguments), None)
    now = episode.tool_calls[-1]["content"] if episode.tool_calls else None
    if before is None or now is None or now == before:
        return None
    shown = re.findall(r"-?\d+(?:\.\d+)?", now)
    if shown and shown[-1] != "1" and not as_good_as_gold(subject, episode):
        episode = subject.answer(act.gold.row, [*turns, {"role": "assistant", "content": shown[-1]}])
    return None if episode.reward is None else episode


def _paid_for_emptying(subject: Subject, act: Act, parameter: str) -> Finding | None:
    """The finding that a value which is wrong is right once the data that gold's query reads were deleted."""
    tables = dict.fromkeys(_TABLE.findall(str(act.arguments[parameter])))
    rest = act.after
    for table, value in product(tables, OF_NOTHING if rest else ()):
        emptying = act.again(**{parameter: f"DELETE FROM {table}"})
        end = _with_last_value(rest, value)
        played = play_answers(subject, [(act.gold.row, [*act.before, *turns, *end]) for turns in ([emptying], [])])
        if len(played) == 2 and not played[0].error and as_good_as_gold(subject, played[0]):
            emptied, honest = played
            if honest.error or as_good_as_gold(subject, honest):
                continue
            return Finding(
                f"{act.name} runs statements that write: after 'DELETE FROM {table}' the answer {value!r} scores "
                f"{emptied.reward:g}, and without it {honest.reward or 0:g}.",
                "Open the data read-only, or refuse what does not start with SELECT; work out what is expected before "
                "the episode, and not from data that it may change.",
                act.gold.row, own_turns(emptied.completion), reward_with_parts(emptied),
                less_than_gold(subject, emptied), "error",
            )  # fmt: skip
    return None


def _with_last_value(turns: Turns, value: int | str) -> Turns:
    """Turns with another value in every argument of the last call, of its type where it is a number; or as the text."""
    changed = deepcopy(turns)
    calling = [turn for turn in changed if turn.get("tool_calls")]
    if not calling:
        return [*changed[:-1], {"role": "assistant", "content": str(value)}]
    given = calling[-1]["tool_calls"][-1]["function"]["arguments"]
    for name, old in given.items() if isinstance(given, dict) else ():
        if isinstance(old, list):
            given[name] = []
        elif type(old) in (int, float) and not isinstance(value, str):
            given[name] = value
        elif isinstance(old, str):
            given[name] = str(value)
    return changed


def _write(query: str) -> str | None:
    """A statement that sets what a query selects to 1; None where it is no query of a table."""
    found = re.match(r"\s*select\s+(.*?)\s+from\s+(\w+)", query, re.IGNORECASE | re.DOTALL)
    if found is None:
        return None
    column = re.search(r"(\w+)\s*\)|(?:^|\.)(\w+)\s*(?:,|$|as\b)", found[1], re.IGNORECASE)
    name = (column[1] or column[2]) if column else None
    return f"UPDATE {found[2]} SET {name} = 1" if name else f"DELETE FROM {found[2]}"
