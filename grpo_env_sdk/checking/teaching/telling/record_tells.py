"""Whether a record that a tool shows already has the choice that a rule book is there to decide."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes
from grpo_env_sdk.checking.evidence.prompts.json_data import read_json
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.secret_words import has_word
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Act, last_acts
from grpo_env_sdk.checking.findings.finding import Finding

FEWEST_VALUES, MOST_VALUES, TELLS = 2, 12, 0.95
"""How many values a choice has, and on how many rows the record has the right one."""


@check("G586", kinds=("tools", "multi-turn"), needs=("calls", "gold"))
def records_do_not_tell_the_choice(subject: Subject) -> Iterator[Finding]:
    """No record that a tool shows has the choice that rules, which are the same for all rows, are there to decide."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments:
            chosen = {act.gold.row: act for act in acts if isinstance(act.arguments.get(parameter), str)}
            values = {str(act.arguments[parameter]) for act in chosen.values()}
            if len(chosen) < FEWEST_ROWS or not FEWEST_VALUES < len(values) + 1 <= MOST_VALUES:
                continue
            if not _ruled(subject, chosen, values):
                continue
            for tool, key in _keys(subject, chosen):
                told = [
                    act for act in chosen.values() if _shown(subject, act, tool).get(key) == act.arguments[parameter]
                ]
                if len(told) >= max(FEWEST_ROWS, TELLS * len(chosen)):
                    value = told[0].arguments[parameter]
                    yield Finding(
                        f"{tool} shows the right choice: {key!r} of its reply is the {parameter!r} of gold's {name} "
                        f"on {len(told)} of {len(chosen)} rows, such as {quoted(value)}, although rules decide it.",
                        f"Leave {key!r} out of what {tool} shows, so that the rules have to be applied.",
                        told[0].gold.row, {"reply": _shown(subject, told[0], tool)}, value, f"a reply without {key!r}",
                    )  # fmt: skip
                    return


def _ruled(subject: Subject, chosen: Mapping[int, Act], values: set[str]) -> bool:
    """Whether a text that is the same on all rows names most of the values: rules, in a reply or in the prompt."""
    lines = [set(_lines(subject, act)) for act in chosen.values()]
    same = " ".join(set.intersection(*lines)).casefold()
    named = [value for value in values if has_word(same, value.casefold())]
    return len(named) >= max(FEWEST_VALUES, len(values) * 0.6) and len(same) > 40


def _lines(subject: Subject, act: Act) -> Iterator[str]:
    """The lines of the prompt and of the replies to gold, each of which says something of a condition."""
    texts = [prompt_text(subject, act.gold.row), *replies_to_gold(subject, act.gold.row)]
    for text in texts:
        yield from (
            line for line in re.split(r"\n|(?<=[.;])\s", text) if len(line) > 15 and not line.startswith(("{", "["))
        )


def _keys(subject: Subject, chosen: Mapping[int, Act]) -> list[tuple[str, str]]:
    """The tools with replies that are objects, and the names in them."""
    act = next(iter(chosen.values()))
    names = {call["name"] for call in gold_episodes(subject)[act.gold.row].tool_calls}
    return [(tool, key) for tool in sorted(names) for key in _shown(subject, act, tool)]


def _shown(subject: Subject, act: Act, tool: str) -> dict[str, Any]:
    """The values of the reply of a tool before the choice, by name, also those of objects in it."""
    found: dict[str, Any] = {}
    for call in gold_episodes(subject)[act.gold.row].tool_calls:
        if call["name"] == act.name:
            break
        if call["name"] == tool:
            found |= _flat(read_json(call["content"]))
    return found


def _flat(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, one in value.items() if isinstance(value, dict) else ():
        found |= _flat(one) if isinstance(one, dict) else {str(key): one}
    return found
