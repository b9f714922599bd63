"""Whether the result that a formula has for the shown numbers is taken for the formula."""

import re
from collections.abc import Iterator
from copy import deepcopy
from statistics import mean, median

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    gold_episodes,
    golds,
    less_than_gold,
    play_answers,
    too_good,
    won_of,
)
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Act, last_acts
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 3, "default": 5, "thorough": 12}
FEWEST_ROWS, MOST_NUMBERS, MOST_TRIED, MOST_IN_CALLS = 3, 12, 400, 40
_FORMULA = regex(r"=\s*\S.*|(?=.*[a-zA-Z_])[\w\s=]*[\w.]+\(.*\)|lambda\b.*", re.DOTALL)
_NUMBER = regex(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_ASKED = regex(r"\b(?:formula|function|expression|query|code|program|script|cell|one-liner)\b", re.IGNORECASE)
_CHANGES = regex(
    r"\b(?:chang\w+|any|every|always|hidden|other (?:values|inputs|numbers|data)|general|stays?|edit\w*|new)\b",
    re.IGNORECASE,
)
"""What a prompt says where the numbers that it shows are an example."""


@check("G552", needs=("gold",), severity="warning")
def a_formula_is_not_its_result(subject: Subject) -> Iterator[Finding]:
    """Where gold is a formula or a call, what it results in for the numbers of the prompt is not gold."""
    if subject.traits.kind != "single-turn":
        yield from _in_calls(subject)
        return
    known = [
        gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort])
        if _FORMULA.fullmatch(gold.text.strip()) and _ASKED.search(prompt_text(subject, gold.row))
    ]  # fmt: skip
    won: list[Episode] = []
    for number, gold in enumerate(known, 1):
        won += _winning(subject, gold)[:1]
        if number - len(won) > len(known) - FEWEST_ROWS:
            return
    if len(won) >= FEWEST_ROWS:
        episode = won[0]
        row, said = episode.row_index, answer_text(episode.completion)
        yield Finding(
            f"A constant scores as much as the formula that the prompt asks for, on {len(won)} of {len(known)} rows: "
            f"{quoted(said)} for {quoted(golds(subject)[row].text)}.",
            "Score with other numbers than those that the prompt shows.",
            row, said, episode.reward, less_than_gold(subject, episode),
            severity="error" if _CHANGES.search(prompt_text(subject, row)) else "warning",
        )  # fmt: skip


def _in_calls(subject: Subject) -> Iterator[Finding]:
    """The finding that the result of a formula, which gold gives to a tool, is taken for it in the same call."""
    for acts in last_acts(subject).values():
        with_formula = [
            (act, name, formula) for act in acts for name, formula in act.arguments.items()
            if isinstance(formula, str) and formula.startswith("=") and _FORMULA.fullmatch(formula.strip())
            and _ASKED.search(prompt_text(subject, act.gold.row))
        ][: MOST_ROWS[subject.effort]]  # fmt: skip
        won: list[Episode] = []
        for act, name, formula in with_formula:
            played = play_answers(subject, list(_with_results(subject, act, name, formula)))
            won += won_of(subject, played)[:1]
        if len(won) >= FEWEST_ROWS:
            changes = any(_CHANGES.search(prompt_text(subject, episode.row_index)) for episode in won)
            yield Finding(
                f"A constant scores as much as the formula that the prompt asks for, on {len(won)} of "
                f"{len(with_formula)} rows.",
                "Score with other numbers than those that the prompt shows.",
                *too_good(subject, won[0]),
                severity="error" if changes else "warning",
            )  # fmt: skip


def _with_results(subject: Subject, act: Act, name: str, formula: str) -> Iterator[tuple[int, list[Message]]]:
    """Gold with numbers that its tools replied, and figures of the numbers of the prompt, in place of a formula."""
    gold = act.gold
    replies = " ".join(str(call["content"]) for call in gold_episodes(subject)[gold.row].tool_calls)
    shown = _NUMBER.findall(replies.replace(formula, " "))
    for value in list(dict.fromkeys([*shown, *_results(prompt_text(subject, gold.row))]))[:MOST_IN_CALLS]:
        turns = deepcopy(gold.turns)
        for call in (call for turn in turns for call in turn.get("tool_calls") or ()):
            if call["function"]["arguments"] == act.arguments:
                call["function"]["arguments"] = {**act.arguments, name: value}
        yield gold.row, turns


def _winning(subject: Subject, gold: Gold) -> list[Episode]:
    """The constants that are as good as a formula on its row."""
    sign = "=" if gold.text.strip().startswith("=") else ""
    texts = [text for text in _results(prompt_text(subject, gold.row)) if text != gold.text.strip()]
    episodes = play_answers(subject, [(gold.row, form + text) for text in texts for form in dict.fromkeys(("", sign))])
    return won_of(subject, episodes)


def _results(prompt: str) -> list[str]:
    """What sums, means and the like of neighbouring numbers of a prompt are."""
    numbers = [float(text) for text in _NUMBER.findall(prompt)][:MOST_NUMBERS]
    parts = [numbers[start:end] for start in range(len(numbers)) for end in range(start + 1, len(numbers) + 1)]
    values = [of(part) for of in (sum, max, min, mean, len, median) for part in parts]
    return list(dict.fromkeys(f"{value:.6f}".rstrip("0").rstrip(".") for value in values))[:MOST_TRIED]
