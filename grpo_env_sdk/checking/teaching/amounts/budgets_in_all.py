"""Whether a budget that a prompt states holds for all things together, and not for each of them alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import play_answers, won_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import LOOKS
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, replies_to_gold
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    Act,
    as_good_on_most,
    called_together,
    carried_out,
    last_acts,
    paid,
)
from grpo_env_sdk.checking.evidence.tool_use.calls import known_values
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

FEWEST_ROWS, TASTED, MOST_VALUES, NEAR = 6, 3, 30, 40
"""On how many rows it is shown, and tried first; how many things there may be, and how near a thing its cost stands."""
_UNITS = (
    r"euros?|dollars?|pounds?|francs?|eur|usd|chf|coins?|credits?|gold|points?|kilos?|kilograms?|kg|grams?|g|tons?|tonnes?|"
    r"lit(?:er|re)s?|hours?|h|minutes?|min|days?|metres?|meters?|m|slots?|units?|gb|mb|watts?|kw|calories|kcal|[€$£]"
)
_NUMBER = r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
_STATED = regex(
    rf"\b(?:budget|you have|spend|purse|wallet|capacity|carr(?:y|ies)|holds?|at most|no more than|not more than|up to|"
    rf"limit(?:ed)?|in all|in total|altogether|total)\b[^.;\n\d]{{0,30}}[€$£]? ?{_NUMBER} ?(?:{_UNITS})",
    re.IGNORECASE,
)
_IN_ALL = regex(
    r"\b(?:budget|in all|in total|altogether|together|total|you have|purse|wallet|capacity|carr(?:y|ies)|holds?)\b",
    re.IGNORECASE,
)
"""How prompts state a budget, and what they say where it is one for everything."""
_EACH = regex(r"\b(?:each|per|every|apiece)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Budget:
    """A row's last act with a thing, the budget of its prompt, and what each thing costs."""

    act: Act
    parameter: str
    most: float
    costs: Mapping[str, float]

    @property
    def of_gold(self) -> list[str]:
        """The things in gold's calls of this tool."""
        return [str(given.get(self.parameter)) for name, given in self.act.gold.calls if name == self.act.name]

    def of(self, things: Sequence[str]) -> float:
        """What these cost together."""
        return sum(self.costs.get(one, 0.0) for one in things)


@check("G666", kinds=("tools",), needs=("calls", "gold"))
def budgets_hold_for_all_things_together(subject: Subject) -> Iterator[Finding]:
    """Gold and everything else that a tool takes scores less, where it costs more than the prompt allows in all."""
    for name, acts in last_acts(subject).items():
        for parameter in acts[0].arguments if not LOOKS.match(name) else ():
            known = [one for act in acts if (one := _budget(subject, act, parameter))]
            if len(known) < FEWEST_ROWS or any(one.of(one.of_gold) > one.most for one in known):
                continue
            if len(_won(subject, known[:TASTED])) < TASTED - 1:
                continue
            won = _won(subject, known)
            if as_good_on_most(subject, won, len(known)):
                first = next(one for one in known if one.act.gold.row == won[0].row_index)
                spent = first.of(_taken(subject, first, won[0]))
                yield paid(
                    subject, won, len(known),
                    f"Gold and calls of {name} with everything else, {spent:g} in all where the prompt allows "
                    f"{first.most:g},",
                    "Add up what was taken before, and refuse what no longer fits, or pay nothing for more.",
                )  # fmt: skip
                return


def _budget(subject: Subject, act: Act, parameter: str) -> Budget | None:
    """The budget of a row, where its prompt states one, things have costs, and all of them cost more."""
    prompt = prompt_text(subject, act.gold.row)
    sentences = [one for one in re.split(r"(?<=[.!?])\s|[;\n]", prompt) if _IN_ALL.search(one)]
    stated = {found for one in sentences if not _EACH.search(one) for found in _STATED.findall(one)}
    if len(stated) != 1 or any(type(value) in (int, float, list) for value in act.arguments.values()):
        return None
    values = known_values(subject).get((act.name, parameter), ())
    if not 2 < len(values) <= MOST_VALUES or not all(isinstance(value, str) and value for value in values):
        return None
    text = "\n".join([prompt, *replies_to_gold(subject, act.gold.row)])
    costs = {value: cost for value in values if (cost := _cost(text, value)) > 0}
    found = Budget(act, parameter, float(stated.pop().replace(",", "")), costs)
    return found if set(found.of_gold) <= set(costs) and found.of(list(costs)) > found.most else None


def _cost(text: str, value: str) -> float:
    """The first number behind a thing, before the next line or semicolon; 0 where there is none."""
    behind = rf"(?<!\w){re.escape(value)}(?!\w)[^;\n\d]{{0,{NEAR}}}?{_NUMBER}"
    found = re.search(behind, text)
    return float(found[1].replace(",", "")) if found else 0.0


def _won(subject: Subject, known: Sequence[Budget]) -> list[Episode]:
    """The episodes of gold and everything else that are as good, and whose carried out calls cost too much."""
    answers: list[tuple[int, Completion]] = []
    for one in known:
        others = [value for value in one.costs if value not in one.of_gold]
        turns = one.act.gold.turns
        last = [] if turns[-1].get("tool_calls") else turns[-1:]
        more = called_together(one.act.again(**{one.parameter: value}) for value in others)
        answers.append((one.act.gold.row, [*turns[: len(turns) - len(last)], more, *last]))
    played = play_answers(subject, answers)
    too_much = [
        episode for one, episode in zip(known, played, strict=False)
        if not episode.error and one.of(_taken(subject, one, episode)) > one.most
    ]  # fmt: skip
    return won_of(subject, too_much)


def _taken(subject: Subject, one: Budget, episode: Episode) -> list[str]:
    """The things in the calls that were carried out, each once."""
    calls = [call for call in episode.tool_calls if call["name"] == one.act.name and carried_out(subject, call)]
    return list(dict.fromkeys(str(call["arguments"].get(one.parameter)) for call in calls))
