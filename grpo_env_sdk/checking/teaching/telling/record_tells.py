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
from grpo_env_sdk.late_patterns import regex

FEWEST_VALUES, MOST_VALUES, TELLS, MOST_WORDS = 2, 12, 0.95, 4
"""How many values a choice has, on how many rows the record has the right one, and in how many words beside others."""
_CONDITION = regex(
    r"\b(?:if|when|where|unless|otherwise|else|others?|within|than|over|under|above|below|from|until|after|before)\b|\d",
    re.IGNORECASE,
)
_TEXT = regex(r"\b(?:titles?|subject|summary|messages?|text|notes?|descriptions?|body|content)\b", re.IGNORECASE)
"""Names of fields whose words rules are made to read."""
_LOOK_UP = regex(r"\b(?:look(?:ing)? (?:it |this |that )?up|find out|responsible|belongs? to|owns?)\b", re.IGNORECASE)


@check("G586", kinds=("tools", "multi-turn"), needs=("calls", "gold"))
def records_do_not_tell_the_choice(subject: Subject) -> Iterator[Finding]:
    """No record that a tool shows has the choice that rules, which are the same for all rows, are there to decide."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments:
            chosen = {act.gold.row: act for act in acts if isinstance(act.arguments.get(parameter), str)}
            values = {str(act.arguments[parameter]) for act in chosen.values()}
            if len(chosen) < FEWEST_ROWS or not FEWEST_VALUES < len(values) + 1 <= MOST_VALUES:
                continue
            rules = _same_lines(subject, chosen)
            if not _are_rules(rules, values):
                continue
            enough = max(FEWEST_ROWS, TELLS * len(chosen))
            for tool, key in _keys(subject, chosen):
                shown = {row: _shown(subject, act, tool).get(key) for row, act in chosen.items()}
                same = [act for row, act in chosen.items() if shown[row] == act.arguments[parameter]]
                told = same
                if len(same) < enough and _decide(rules, values):
                    told = [
                        act
                        for row, act in chosen.items()
                        if _names(shown[row], act.arguments[parameter], values)
                        and not _is_said(subject, act, key, str(shown[row]))
                    ]
                if len(told) >= enough:
                    value = shown[told[0].gold.row]
                    yield Finding(
                        f"{tool} shows the right choice: {key!r} of its reply {'is' if told is same else 'names'} the "
                        f"{parameter!r} of gold's {name} on {len(told)} of {len(chosen)} rows, such as "
                        f"{quoted(str(value))}, although rules decide it.",
                        f"Leave {key!r} out of what {tool} shows, so that the rules have to be applied.",
                        told[0].gold.row, {"reply": _shown(subject, told[0], tool)}, value, f"a reply without {key!r}",
                        "error" if told is same else "warning",
                    )  # fmt: skip
                    return


def _names(shown: Any, right: str, values: set[str]) -> bool:
    """Whether a few words have the right value in them, and no other of the values."""
    if not isinstance(shown, str) or len(words := re.findall(r"\w+", shown)) > MOST_WORDS:
        return False
    text = " ".join(words).casefold()
    return [value for value in values if has_word(text, " ".join(re.findall(r"\w+", value)).casefold())] == [right]


def _is_said(subject: Subject, act: Act, key: str, shown: str) -> bool:
    """Whether a field is what rules may be about: by its own name, or as the prompt has this or what it says."""
    if _TEXT.search(key.replace("_", " ")):
        return True
    prompt = prompt_text(subject, act.gold.row).casefold()
    return shown.casefold() in prompt or all(word[:5] in prompt for word in re.findall(r"[a-z]{3,}", key.casefold()))


def _same_lines(subject: Subject, chosen: Mapping[int, Act]) -> set[str]:
    """The lines that are the same on all rows, in replies or in prompts."""
    return set.intersection(*(set(_lines(subject, act)) for act in chosen.values()))


def _are_rules(lines: set[str], values: set[str]) -> bool:
    """Whether a text names most of the values."""
    same = " ".join(lines).casefold()
    named = [value for value in values if has_word(same, value.casefold())]
    return len(named) >= max(FEWEST_VALUES, len(values) * 0.6) and len(same) > 40


def _decide(lines: set[str], values: set[str]) -> bool:
    """Whether several lines say when a value is right, and none to look it up."""
    with_values = [one for one in lines if any(has_word(one.casefold(), value.casefold()) for value in values)]
    conditions = [one for one in with_values if _CONDITION.search(one)]
    return len(conditions) >= FEWEST_VALUES and not any(map(_LOOK_UP.search, lines))


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
