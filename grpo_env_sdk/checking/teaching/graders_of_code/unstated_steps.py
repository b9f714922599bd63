"""Whether hidden tests demand what no word of a prompt states: a rounding, a cut, or a value for what is empty."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import bare_code
from grpo_env_sdk.checking.teaching.graders_of_code.graded_code import Code
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, SHORTEST_CUT, LONGEST_CUT = 2, 11, 10_000
"""On how many rows; and how long what is left is: a year or a date may be the begin of what is longer."""
_ROUNDED = regex(
    r"\bround\w*|\b(?:full|complete|how many|number of|counts?|decimals?|places?|digits?|precis\w+|nearest|int)\b|"
    r"\binteger|\b(?:whole|cents?|hundredths?|tenths?|thousandths?|euros?|dollars?|pounds?|prices?|money|percent\w*)\b|"
    r"[€$£%]|\d\.\d",
    re.IGNORECASE,
)
_CUT = regex(
    r"\b(?:cut\w*|truncat\w+|short\w*|trim\w*|limit\w*|at most|no more|max\w*|up to|longest|length|long|first|last|"
    r"characters?|letters of|top|prefix|begin\w*|start\w*|alphabet|ids?|hash\w*|digest|most|few\w*|part|date|day|"
    r"time\w*|iso|eleven|twelve|dozen|fifteen|sixteen|twenty|thirty|forty|fifty|hundred)\b",
    re.IGNORECASE,
)
_EMPTY = regex(
    r"\b(?:empty|nothing|none|null|without|no|zero|blank|missing|otherwise|invalid|not|if|unless|length|errors?|0)\b|-1|"
    r"\[\]|''|\"\"",
    re.IGNORECASE,
)
"""What a prompt says where it may speak of such a step."""


@dataclass(frozen=True, slots=True)
class _Step:
    what: str
    mentioned: re.Pattern[str]
    code: str
    """Gold's code without it."""


@check("G701", needs=("gold",), kinds=("single-turn",), severity="warning")
def tests_demand_what_is_stated(subject: Subject) -> Iterator[Finding]:
    """Code is not refused for a rounding, a cut, or a value for what is empty, of which no prompt speaks."""
    unstated = [
        (Code(gold, gold.text), step)
        for row, gold in golds(subject).items() if "return" in gold.text
        for step in _steps(bare_code(gold.text))
        if not step.mentioned.search(prompt_text(subject, row))
    ]  # fmt: skip
    if len({code.gold.row for code, _ in unstated}) < FEWEST_ROWS:
        return
    episodes = play_answers(subject, [(code.gold.row, code.with_other(step.code)) for code, step in unstated])
    refused = [
        (code.gold, step, episode)
        for (code, step), episode in zip(unstated, episodes, strict=False)
        if loses_half(subject, episode)
    ]
    rows = {gold.row for gold, _, _ in refused}
    if len(rows) >= FEWEST_ROWS:
        gold, step, episode = refused[0]
        others = "; ".join(dict.fromkeys(step.what for _, step, _ in refused))
        yield Finding(
            f"Tests demand what no word of the prompt states on {len(rows)} of {len(golds(subject))} rows ({others}): "
            f"gold without that scores {episode.reward:g} in row {gold.row}: {quoted(step.code, 200)}.",
            "Say in the prompt what the tests demand, or leave those tests out.",
            gold.row, prompt_text(subject, gold.row)[-600:], episode.reward, gold.reward,
        )  # fmt: skip


def _steps(text: str) -> Iterator[_Step]:
    """The last steps of a function that may be left out, each with the code without it."""
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        count = sum(isinstance(node, ast.Return) for node in ast.walk(ast.parse(text)))
        for place in range(count):
            tree = ast.parse(text)  # anew, as each step changes it
            node = [one for one in ast.walk(tree) if isinstance(one, ast.Return)][place]
            found = _without_step(node, {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}, tree)
            if found:
                yield _Step(*found, ast.unparse(tree))


def _without_step(node: ast.Return, parameters: set[str], tree: ast.AST) -> tuple[str, re.Pattern[str]] | None:
    """What is taken from a return, and the words that would speak of it."""
    match node.value:
        case ast.Call(func=ast.Name(id="round"), args=[value, *digits], keywords=[]):
            node.value = value
            return f"round to {ast.unparse(digits[0])} places" if digits else "round", _ROUNDED
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=ast.Constant(value=int(most)), step=None)):
            if SHORTEST_CUT <= most <= LONGEST_CUT:
                node.value = value
                return f"cut off at {most}", regex(rf"{_CUT.pattern}|\b{most}\b|['\"`].{{{most}}}['\"`]", re.IGNORECASE)
        case ast.IfExp(test=ast.Name(id=name), orelse=orelse) if name in parameters and (number := _value(orelse)):
            node.value.orelse = ast.Constant(None)
            return _of_empty(number, name)
        case given if given is not None and (number := _value(given)) and (name := _guarded(node, tree)) in parameters:
            node.value = ast.Constant(None)
            return _of_empty(number, name)
    return None


def _of_empty(value: str, name: str) -> tuple[str, re.Pattern[str]]:
    return f"{value} for an empty {name}", regex(rf"{_EMPTY.pattern}|{re.escape(value)}", re.IGNORECASE)


def _value(node: ast.expr) -> str:
    """A number that follows from nothing, as Python writes it: 0, 1, words and what is empty may be what is natural."""
    with suppress(ValueError):
        value = ast.literal_eval(node)
        return repr(value) if type(value) in (int, float) and value not in (0, 1) else ""
    return ""


def _guarded(node: ast.Return, tree: ast.AST) -> str:
    """The name of what is empty where a return is all that `if not name` does."""
    for one in ast.walk(tree):
        match one:
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)), body=[body]) if body is node:
                return name
    return ""
