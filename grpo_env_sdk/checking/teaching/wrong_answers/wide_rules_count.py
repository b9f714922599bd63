"""Whether a rule is graded on what it must not let through too: lines of cron, patterns, conditions, intervals."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.wide_rules import wider_rules
from grpo_env_sdk.checking.evidence.golds import Gold, play_compared, play_scored, won_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    as_good_on_most,
    last_acts,
    looking_tools,
    paid,
    seldom_won,
    some_golds,
)
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

MOST_ROWS, MOSTLY = 12, 0.8
"""On how many rows rules are tried, and the share of gold's values that are rules."""
_IN_FORM = regex(r"(?s)(\s*<(\w+)>\s*|\s*```\w*\n|\s*`)(.*?)(\s*</\2>\s*|\n?```\s*|`\s*)")
_OR_MORE = regex(r"\bat (?:least|most)\b|\bor more\b|\bas (?:many|wide|large)\b|\bany (?:more|other)\b", re.IGNORECASE)
"""What prompts say where a rule may let more through."""
_NO_MORE = regex(
    r"\b(?:only|not|no|none|never|nothing|just|exactly|except|without|reject\w*|exclud\w*|but|other(?:s|wise)?|"
    r"nur|kein\w*|nicht)\b",
    re.IGNORECASE,
)
"""What prompts say where it may not."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where gold has a rule: its last text, or an argument; the rule, and what is around it."""

    gold: Gold
    rule: str
    before: list[Message]
    """The turns before it."""
    name: str = ""
    """The parameter, or nothing for the text."""
    around: tuple[str, str] = ("", "")
    call: tuple[str, dict[str, object]] = ("", {})

    def with_rule(self, rule: str) -> tuple[int, Completion]:
        """The row, and gold with another rule."""
        turn = self.gold.turns[len(self.before)]
        if not self.name:
            text = f"{self.around[0]}{rule}{self.around[1]}"
            return self.gold.row, [*self.before, {**turn, "content": text}]
        changed = [
            {**one, "function": {**one["function"], "arguments": {**one["function"]["arguments"], self.name: rule}}}
            if one["function"]["name"] == self.call[0] and one["function"]["arguments"] == self.call[1]
            else one
            for one in turn["tool_calls"]
        ]
        return self.gold.row, [*self.before, {**turn, "tool_calls": changed}, *self.gold.turns[len(self.before) + 1 :]]


@check("G657", needs=("gold",))
def rules_may_not_let_more_through(subject: Subject) -> Iterator[Finding]:
    """Gold with a wider rule, such as '* * * * *' or without its condition, scores less than gold."""
    for what, places in _places(subject).items():
        rules = [place for place in places if wider_rules(place.rule)]
        if len(rules) < max(FEWEST_ROWS, MOSTLY * len(places)) or len({place.rule for place in rules}) < FEWEST_ROWS:
            continue
        if any(_OR_MORE.search(prompt_text(subject, place.gold.row)) for place in rules):
            continue
        if found := _widened(subject, what, rules):
            yield found
            return


def _places(subject: Subject) -> dict[str, list[Place]]:
    """The texts and the arguments of gold that may be rules, by what they are."""
    found: dict[str, list[Place]] = defaultdict(list)
    for gold in some_golds(subject)[:MOST_ROWS]:
        if (
            gold.text
            and not gold.turns[-1].get("tool_calls")
            and str(gold.turns[-1].get("content")).strip() == gold.text
        ):
            form = _IN_FORM.fullmatch(gold.text)
            rule, around = (form[3], (form[1], form[4])) if form else (gold.text, ("", ""))
            found["an answer"].append(Place(gold, rule, gold.turns[:-1], around=around))
    looking = looking_tools(subject)
    for name, acts in last_acts(subject).items():
        for act in acts[:MOST_ROWS] if name not in looking else ():
            for parameter, value in act.arguments.items():
                if isinstance(value, str):
                    place = Place(act.gold, value, act.before, parameter, call=(name, act.arguments))
                    found[f"{parameter!r} of {name}"].append(place)
    return found


def _widened(subject: Subject, what: str, rules: Sequence[Place]) -> Finding | None:
    """The finding that one way to widen the rules is as good as gold on most rows, where another rule is not."""
    by_way: dict[tuple[str, str], list[tuple[Place, str]]] = defaultdict(list)
    for place in rules:
        fixed: dict[str, int] = defaultdict(int)
        for how, wide in wider_rules(place.rule):
            fixed[how] += 1
            by_way[how, str(fixed[how])].append((place, wide))
    for (how, _), tried in by_way.items():
        if len(tried) < FEWEST_ROWS:
            continue
        played = play_scored(subject, [place.with_rule(wide) for place, wide in tried])
        won = won_of(subject, played)
        if as_good_on_most(subject, won, len(played)) and _another_loses(subject, [place for place, _ in tried]):
            first = next(wide for place, wide in tried if place.gold.row == won[0].row_index)
            own = next(place.rule for place, _ in tried if place.gold.row == won[0].row_index)
            found = paid(
                subject, won, len(played), f"As {what}, {how} ({first!r} in place of {own!r})",
                "Try the rule also on what it must not let through: other times, other texts, other records.",
            )  # fmt: skip
            told = all(_NO_MORE.search(prompt_text(subject, place.gold.row)) for place, _ in tried)
            return found if told else replace(found, severity="warning")
    return None


def _another_loses(subject: Subject, places: Sequence[Place]) -> bool:
    """Whether a text that is no rule, and the rules of other rows, are not as good as gold on most rows."""
    nothing = play_compared(subject, [place.with_rule("lorem ipsum") for place in places])
    half = len(places) // 2  # the next one may be near enough
    turned = zip(places, [*places[half:], *places[:half]], strict=True)
    others = play_compared(
        subject, [place.with_rule(other.rule) for place, other in turned if other.rule != place.rule]
    )
    return seldom_won(subject, nothing) and 2 * len(won_of(subject, others)) <= len(others)
