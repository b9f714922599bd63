"""Whether code that returns its results in the wrong order passes, where the prompt asks for an order."""

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_compared, play_scored
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.result_orders import asks_for_an_order
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import bare_code
from grpo_env_sdk.checking.teaching.graders_of_code.graded_code import Code, codes_of_gold
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode, Message

MOST_ROWS = {"quick": 6, "default": 10, "thorough": 40}
TASTED, FEWEST_ROWS, LEAST = 3, 3, 1 / 3
"""On how many rows it is tried first, and on how many, and on what share, the wrong order has to pass."""
_AROUND = """

def _reordered(function, depth=[0]):
    def outermost(*args, **kwargs):
        depth[0] += 1
        try:
            result = function(*args, **kwargs)
        finally:
            depth[0] -= 1
        if depth[0] or not isinstance(result, (list, tuple, str)) or result[::-1] == result:
            return result
        {changed}
    return outermost


{name} = _reordered({name})
"""
_REVERSED, _REFUSED = "return result[::-1]", "raise ValueError('a result with an order')"
"""What becomes of a result that is another one from its end to its start; refused, it shows that a test has one."""


@check("G685", needs=("gold",), plays=8)
def results_in_the_wrong_order_fail(subject: Subject) -> Iterator[Finding]:
    """Where gold is a function and the prompt asks for an order, the same results from last to first are not gold."""
    codes = [
        code for code in codes_of_gold(subject, MOST_ROWS[subject.effort])
        if _function(subject, code) and asks_for_an_order(prompt_text(subject, code.gold.row))
    ]  # fmt: skip
    if len(codes) < FEWEST_ROWS:
        return
    won = _passing(subject, codes[:TASTED])
    if not won:
        return
    won |= _passing(subject, codes[TASTED:])
    passing = [code for code in codes if code.gold.row in won]
    refused = play_compared(subject, [(code.gold.row, _changed(subject, code, _REFUSED)) for code in passing])
    ordered = {episode.row_index for episode in refused if not as_good_as_gold(subject, episode)}
    shown = [won[row] for row in won if row in ordered]
    of = len(codes) - len(passing) + len(shown)
    if len(shown) >= max(FEWEST_ROWS, LEAST * of):
        first, own = shown[0], own_turns(shown[0].completion)
        yield Finding(
            "The prompt asks for an order, and gold's code with its results from last to first scores as much as gold "
            f"on {Share(len(shown), of)}.",
            "Compare results as they are returned: not sorted, and not as sets.",
            first.row_index, answer_text(own) if len(own) == 1 else own, first.reward, less_than_gold(subject, first),
        )  # fmt: skip


def _passing(subject: Subject, codes: Sequence[Code]) -> dict[int, Episode]:
    """By row, the episodes with reversed results that are as good as gold."""
    played = play_scored(subject, [(code.gold.row, _changed(subject, code, _REVERSED)) for code in codes])
    return {one.row_index: one for one in played if not one.error and as_good_as_gold(subject, one)}


def _changed(subject: Subject, code: Code, change: str) -> list[Message]:
    """Gold whose function has its results changed in this way."""
    return code.with_other(bare_code(code.text) + _AROUND.format(changed=change, name=_function(subject, code)))


def _function(subject: Subject, code: Code) -> str:
    """The function of gold's code that the prompt names, or the last one; empty where there is none."""
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        tree, prompt = ast.parse(bare_code(code.text)), prompt_text(subject, code.gold.row)
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        return next((name for name in names if re.search(rf"\b{name}\b", prompt)), names[-1] if names else "")
    return ""
