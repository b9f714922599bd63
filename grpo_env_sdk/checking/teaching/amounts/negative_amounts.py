"""Whether a call with a negative amount earns more than any without, where no gold shows how much can be earned."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import BEST_POSSIBLE, NEARLY, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.likely_values import LITERALLY, likely_arguments
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import SAYS_WRONG
from grpo_env_sdk.checking.evidence.stand_ins.stand_ins import SLOW, Looking, Step
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, MOSTLY, FIRST = 5, 4, 0.75, 2
PLAYS = {"quick": 800, "default": 1_200, "thorough": 8_000}
SECONDS = {"quick": 4.0, "default": 4.0, "thorough": 20.0}
"""On how many rows, on how few and on what share it counts, what is tried of each tool, in how many episodes of all,
and the seconds of a quiet machine that end it."""
NEGATIVE = (-50, -3)
MORE = 0.05
"""How much more has to be earned, as a part of the best without."""
_AMOUNT = regex(
    r"quantit|qty|amount|number of|how (?:many|much)|\b(?:count|units?|pieces|copies|nights|tickets|hours|shares|seats|"
    r"guests|people|items|price|cents|euros?|dollars|coins|stake|bet|kilos?|litres?|n|times)\b",
    re.IGNORECASE,
)
"""What names and descriptions call what is never less than nothing."""
Gain = tuple[Episode, Episode]


@dataclass(frozen=True, slots=True)
class Amount:
    """A parameter of a tool that is an amount, and may be negative by its schema."""

    tool: str
    parameter: str

    def step(self, labels: dict[str, str], number: int) -> Step:
        """A call with this number, and what the labels name."""
        return Step(self.tool, tuple({**labels, self.parameter: f"{LITERALLY}{number}"}.items()))


@check("G611", kinds=("tools",), needs=("calls",))
def negative_amounts_earn_nothing(subject: Subject) -> Iterator[Finding]:
    """No call with a negative amount earns more than the best episode found without one."""
    amounts = list(_amounts(subject))
    if not amounts or subject.gold_source is not None or subject.episode_seconds > SLOW:
        return  # G520 and G522 look along gold
    with subject.with_time(SECONDS[subject.effort]):
        looking = Looking(subject, PLAYS[subject.effort], SECONDS[subject.effort])
        for amount in amounts:
            for number in NEGATIVE:
                gains, of = _gains(subject, looking, amount, number)
                if len(gains) >= max(min(FEWEST_ROWS, len(subject.rows)), MOSTLY * of):
                    yield _finding(subject, amount, number, gains, of)
                    return


def _gains(subject: Subject, looking: Looking, amount: Amount, number: int) -> tuple[list[Gain], int]:
    """The rows on which a negative amount earns more, and how many were tried."""
    gains: list[Gain] = []
    tried = 0
    for row in subject.sample(MOST_ROWS):
        if looking.over or (tried >= FIRST and not gains):
            break
        tried += 1
        gain = _gain(subject, looking, row, amount, number)
        gains += [gain] if gain else []
    return gains, tried


def _amounts(subject: Subject) -> Iterator[Amount]:
    for tool in subject.tools:
        for name, schema in properties_of(tool).items():
            said = f"{name.replace('_', ' ')} {schema.get('description') or ''}"
            free = not {"minimum", "exclusiveMinimum", "enum"} & set(schema)
            if schema.get("type") in ("integer", "number") and free and _AMOUNT.search(said) and not only_looks(tool):
                yield Amount(name_of(tool), name)


def _gain(subject: Subject, looking: Looking, row: int, amount: Amount, number: int) -> Gain | None:
    """The best episode found without and with a call of a negative amount, if the second earns clearly more."""
    idle = looking.played(row, [()])
    tool = tool_named(subject.tools_of(row), amount.tool)
    if not idle or tool is None:
        return None
    plain = looking.climbed(row, idle[0], beyond=True)[1]
    most = max(reward_of(plain), *(_best_possible(subject, row)))
    for labels in likely_arguments(tool, subject.row(row), FIRST):
        start = looking.played(row, [(amount.step(labels, number),)])
        if not start or _is_refused(start[0][1]):
            continue
        best = looking.climbed(row, start[0], beyond=True)[1]
        if reward_of(best) > most + max(NEARLY, MORE * abs(most)):
            return plain, best
    return None


def _best_possible(subject: Subject, row: int) -> list[float]:
    most = subject.row(row).get(BEST_POSSIBLE)
    return [most if isinstance(most, int | float) else float("-inf")]


def _is_refused(episode: Episode) -> bool:
    """Whether the negative call was refused."""
    return any(
        call["error"] or SAYS_WRONG.search(without_echo(str(call["content"]), call["arguments"]))
        for call in episode.tool_calls[:1]
    )


def _finding(subject: Subject, amount: Amount, number: int, gains: list[Gain], of: int) -> Finding:
    plain, best = gains[0]
    declared = _best_possible(subject, best.row_index)[0]
    beyond = f", above its {BEST_POSSIBLE} of {declared:.4g}" if declared > float("-inf") else ""
    return Finding(
        f"A call of {amount.tool} with {amount.parameter}={number} earns more than the best episode found without, on "
        f"{len(gains)} of {of} rows: {best.reward:.4g} instead of {plain.reward:.4g} in row {best.row_index}{beyond}: "
        f"{answer_shown(own_turns(best.completion))}.",
        f"Refuse numbers below 1 for {amount.parameter!r}, in the schema (minimum) or in the tool.",
        best.row_index, own_turns(best.completion), reward_with_parts(best), f"at most {plain.reward:.4g}",
    )  # fmt: skip
