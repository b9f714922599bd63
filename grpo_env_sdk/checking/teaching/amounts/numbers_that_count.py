"""Whether a number that gold looks up, and puts into a call, counts at all: any other one may do as well."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import gold_episodes, won_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import required_of, tool_named
from grpo_env_sdk.checking.evidence.playing.turns import messages_before
from grpo_env_sdk.checking.evidence.prompts.input_echo import FOR_READERS
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look, only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import (
    FEWEST_ROWS,
    Act,
    as_good_on_most,
    last_acts,
    lost_without,
    paid,
    played_acts,
)
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_VALUES, SMALLEST, MOSTLY = 3, 3, 0.75
"""How many different numbers gold has at least, from which one on there are wrong ones below, and on what share of the
rows they are told."""
_FREE = regex(
    r"\b(?:any (?:number|amount|quantity|size|value|price)|as (?:many|much) as|at (?:least|most)|enough|up to|minimum|"
    r"maximum|or (?:more|less|above|below|over|under)|(?:more|less|fewer|higher|lower|larger) than|"
    r"(?:about|around) \W?\d|roughly|approx\w*|estimat\w*|guess\w*|of your (?:own )?choice|you (?:may|can) choose|"
    r"optional\w*|does not matter|doesn't matter|(?:not|un)important|ignored)\b",
    re.IGNORECASE,
)
"""What prompts and descriptions say where other numbers are as good."""
_BOUND = regex(
    r"limit|max|min|most|least|timeout|wait|sleep|delay|seconds|budget|size|top|pages?|depth|radius|tolerance|seed|"
    r"confiden|probab|score|rating|priority|step|speed|retries|width|height",
    re.IGNORECASE,
)
"""The names of parameters that bound what a tool does, or that are an opinion."""


@check("G656", needs=("gold",), kinds=("tools",), severity="warning")
def numbers_of_calls_count(subject: Subject) -> Iterator[Finding]:
    """A call with another number than the one that the prompt or a reply has told scores less than gold."""
    for name, acts in last_acts(subject).items():
        for parameter in _numbers(subject, name, acts[0]):
            told = [act for act in acts if _is_told(subject, act, parameter)]
            values = {act.arguments[parameter] for act in told}
            if len(told) < max(FEWEST_ROWS, MOSTLY * len(acts)) or len(values) < FEWEST_VALUES:
                continue
            few = told[:FEWEST_ROWS]
            if _any_other_wins(subject, few, parameter) is None:
                continue
            if (found := _any_other_wins(subject, told, parameter)) and lost_without(subject, told):
                yield found
                return


def _numbers(subject: Subject, name: str, act: Act) -> list[str]:
    """The parameters of a changing tool that need a number, which nothing says may be another one."""
    tool = tool_named(subject.tools_of(act.gold.row), name)
    if tool is None or only_looks(tool) or (may_only_look(tool) and _may_work_out(subject, name)):
        return []
    if _FREE.search(prompt_text(subject, act.gold.row)) or _FREE.search(canonical_json(tool)):
        return []
    return [
        one for one in required_of(tool)
        if _is_number(act.arguments.get(one)) and not _BOUND.search(one) and not FOR_READERS.search(one)
    ]  # fmt: skip


def _may_work_out(subject: Subject, name: str) -> bool:
    """Whether a tool may only work something out, or note it, as the last text is what counts in the end."""
    return FOR_READERS.search(name) is not None or bool(golds_with_text(subject, FEWEST_ROWS))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_told(subject: Subject, act: Act, parameter: str) -> bool:
    """Whether the prompt, or a reply before the call, has this number, and there are wrong ones below it."""
    value = act.arguments.get(parameter)
    if not isinstance(value, int | float) or isinstance(value, bool) or value < SMALLEST:
        return False
    before = messages_before(gold_episodes(subject)[act.gold.row].completion, len(act.before))
    shown = " ".join([prompt_text(subject, act.gold.row), *texts_of(before)])
    spelled = {f"{value:g}", f"{value:.1f}", f"{value:.2f}", str(value)}
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w|\.\d)", shown) for one in spelled)


def _any_other_wins(subject: Subject, acts: Sequence[Act], parameter: str) -> Finding | None:
    """The finding that numbers far above and below gold's are as good as gold's."""
    found: Finding | None = None
    for change in (_far_below, _far_above):
        tried = [(act, act.instead(**{parameter: change(act.arguments[parameter])})) for act in acts]
        played = played_acts(subject, tried)
        won = won_of(subject, played)
        if not as_good_on_most(subject, won, len(played)):
            return None
        found = paid(
            subject, won, len(played),
            f"A call of {acts[0].name} with another {parameter!r} than the one that is told",
            f"Compare {parameter!r} with the right number, or say that any will do.",
        )  # fmt: skip
    return found


def _far_above(value: float) -> float:
    return 3 * value + 7


def _far_below(value: float) -> float:
    return value // 3 if isinstance(value, int) else round(value / 3, 2)
