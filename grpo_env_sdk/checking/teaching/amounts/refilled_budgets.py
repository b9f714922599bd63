"""Whether a budget that a prompt gives is kept, whatever other tools are called in between."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, golds, play_answers, too_good
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown, quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import things_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.searching.alphabet import tool_of
from grpo_env_sdk.checking.teaching.amounts.given_back import given_back
from grpo_env_sdk.checking.teaching.amounts.spent_for_good import spent_for_good
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_CALLS, ROWS, FEWEST_ROWS, MOST_VALUES, MOST_TOOLS, ENOUGH = 24, 6, 3, 100, 8, 3
"""How often a tool is called, on how many rows, on how few it counts, with how many values, and how many other tools
are tried; and how many replies of one text are a refusal."""
_NUMBER = rf"(\d{{1,2}}|{COUNT_WORDS})"
_ALLOWED = regex(
    rf"\b(?:at most|no more than|not more than|up to|only|maximum(?: of| is)?|limit(?:ed)?(?: of| to| is)?|"
    rf"budget (?:of|is)|within|(?:may|can) \w+|you have|have|gets?|given)\b(?: \w+){{0,3}}? {_NUMBER}\b",
    re.IGNORECASE,
)
_SO_MANY = regex(rf"\b{_NUMBER} \w+(?: \w+)?? (?:at most|in all|in total|altogether|only|left)\b", re.IGNORECASE)
_FROM_TO = regex(r"\b(?:from|between) (-?\d{1,4}) (?:to|and) (-?\d{1,4})\b")
_REFILLS = regex(
    r"refill|recharg|reload|restock|replenish|renew|again|buy|more |extra|new (?:round|day|game)|next|each round|fresh|"
    r"start(?:s|ing)? over|restart",
    re.IGNORECASE,
)
"""What a tool says of itself that may give new acts."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A tool that refuses after so many calls, which its prompt allows."""

    row: int
    tool: str
    calls: tuple[dict[str, Any], ...]
    count: int
    refusal: str

    def times(self, count: int, start: int = 0) -> list[Message]:
        """So many of its calls, with one value after another."""
        return [call_message(self.tool, **given) for given in islice(cycle(self.calls), start, start + count)]


@check("G600", kinds=("tools",), needs=("calls",))
def budgets_are_kept(subject: Subject) -> Iterator[Finding]:
    """A tool that refuses after as many calls as the prompt allows does so whatever else is called."""
    rows = subject.sample(ROWS)
    for tool in subject.tools_of(rows[0]):
        budgets = [found for row in rows if _may_allow(subject, row) and (found := _budget(subject, row, tool))]
        if len(budgets) < FEWEST_ROWS:
            continue
        for other in subject.tools_of(rows[0])[:MOST_TOOLS]:
            if name_of(other) == name_of(tool) or _REFILLS.search(canonical_json(other)):
                continue
            kept_on = [(budget, spent) for budget in budgets if (spent := _refilled(subject, budget, other))]
            if len(kept_on) >= max(FEWEST_ROWS, len(budgets) / 2):
                yield _finding(subject, kept_on, len(budgets), name_of(other))
                return
    yield from given_back(subject)
    yield from spent_for_good(subject)


def _may_allow(subject: Subject, row: int) -> set[int]:
    """The numbers of acts that the prompt or the schemas of a row allow."""
    said = f"{prompt_text(subject, row)} {canonical_json(subject.tools_of(row))}"
    found = [*_ALLOWED.findall(said), *_SO_MANY.findall(said)]
    return {count for one in found if 0 < (count := count_of(one)) < MOST_CALLS - ENOUGH}


def _budget(subject: Subject, row: int, tool: dict[str, Any]) -> Budget | None:
    """What a tool allows in a row; None where it never refuses, or after another number of calls than allowed."""
    calls = tuple(islice(_arguments(subject, row, tool), MOST_VALUES))
    if not calls:
        return None
    budget = Budget(row, name_of(tool), calls, 0, "")
    played = play_answers(subject, [(row, [called_together(budget.times(MOST_CALLS))])])
    replies = [str(call["content"]) for episode in played for call in episode.tool_calls]
    count = next((at for at, said in enumerate(replies) if set(replies[at:]) == {said}), len(replies))
    kept = len(replies) - count >= ENOUGH and count in _may_allow(subject, row)
    kept = kept and replies[count] not in replies[:count]  # a refusal is not said before
    return Budget(row, name_of(tool), calls, count, replies[count]) if kept else None


def _arguments(subject: Subject, row: int, tool: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments that a tool may take: those of gold, or every value of its only parameter."""
    gold = golds(subject).get(row)
    yield from (given for name, given in (gold.calls if gold else ()) if name == name_of(tool))
    needed = required_of(tool)
    if not needed:
        yield {}
    elif len(needed) == 1:
        schema = properties_of(tool).get(needed[0], {})
        yield from ({needed[0]: value} for value in _values(prompt_text(subject, row), tool, schema))


def _values(prompt: str, tool: dict[str, Any], schema: dict[str, Any]) -> Sequence[Any]:
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    if schema.get("type") in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        told = _FROM_TO.search(f"{canonical_json(tool)} {prompt}")
        if not isinstance(low, int) or not isinstance(high, int):
            low, high = (int(told[1]), int(told[2])) if told else (1, MOST_VALUES)
        return range(low, min(high, low + MOST_VALUES) + 1)
    return things_of([prompt]) if schema.get("type") == "string" else ()


def _refilled(subject: Subject, budget: Budget, other: dict[str, Any]) -> list[Message]:
    """The calls that use the tool up, one of another tool, and one that then works again; empty where it does not."""
    for given in islice(_arguments(subject, budget.row, other), 2):
        between = call_message(name_of(other), **given)
        spent = [*budget.times(budget.count + 1), between, *budget.times(1, budget.count)]
        for episode in play_answers(subject, [(budget.row, [called_together(spent)])]):
            replies = [str(call["content"]) for call in episode.tool_calls]
            refused = len(replies) == len(spent) and budget.refusal == replies[-3]
            if refused and budget.refusal != replies[-1] and not episode.tool_calls[-1]["error"]:
                return spent
    return []


def _won(subject: Subject, budget: Budget, more: Sequence[Message]) -> Episode | None:
    """An episode that still scores as gold after the acts above the budget; None where none is found."""
    gold = golds(subject).get(budget.row)
    if gold is not None:
        tried = [[called_together(more), *gold.turns]]
    else:
        ends = [tool for tool in subject.tools_of(budget.row) if name_of(tool) not in (budget.tool, tool_of(more[-2]))]
        tried = [
            [called_together([*more, call_message(name_of(tool), **given)])]
            for tool in ends[:2] for given in islice(_arguments(subject, budget.row, tool), MOST_VALUES)
        ]  # fmt: skip
    played = play_answers(subject, [(budget.row, turns) for turns in tried])
    return next((one for one in played if not one.error and as_good_as_gold(subject, one)), None)


def _finding(subject: Subject, found: Sequence[tuple[Budget, list[Message]]], of: int, other: str) -> Finding:
    won = next((one for pair in found[:FEWEST_ROWS] if (one := _won(subject, *pair))), None)
    budget, spent = found[0]
    episode = won or subject.answer(budget.row, [called_together(spent)])
    last = episode.tool_calls[-1]
    act = answer_shown([call_message(last["name"], **last["arguments"])])
    paid = f", and after all that {act} scores {episode.reward:g}" if won else ""
    return Finding(
        f"{budget.tool} refuses after {budget.count} calls, as many as the prompt allows ({quoted(budget.refusal)}); "
        f"once {other} was called it works again, on {len(found)} of {of} rows{paid}.",
        f"Count the calls of {budget.tool} where {other} does not reset them, or say in the prompt that it gives more.",
        *too_good(subject, episode),
        "error" if won else "warning",
    )  # fmt: skip
