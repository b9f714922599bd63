"""Whether the tests that code is scored by are the examples that its prompt shows, so that a table of them wins."""

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import less_than_gold, play_answers, won_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Row

MOST_ROWS = {"quick": 6, "default": 12, "thorough": 40}
FEWEST_ROWS, FEWEST_TESTS, MOSTLY = 4, 2, 0.9
_ARROW = r"\s*(?:==|is|->|=>|→|returns?|gives|should be|evaluates to|:|=|>>>)?\s*`?\s*"


@dataclass(frozen=True, slots=True)
class Case:
    """One test that compares a call with a constant."""

    name: str
    call: str
    arguments: str
    expected: str


@check("C150", kinds=("single-turn",))
def shown_examples_are_not_all_tests(subject: Subject) -> Iterator[Finding]:
    """A table of the examples that a prompt shows does not pass the tests of its row."""
    rows = {row: cases for row in subject.sample(MOST_ROWS[subject.effort]) if (cases := _cases(subject.row(row)))}
    shown = {
        row: cases for row, cases in rows.items()
        if len(cases) >= FEWEST_TESTS and all(_is_shown(case, prompt_text(subject, row)) for case in cases)
    }  # fmt: skip
    if len(shown) < max(FEWEST_ROWS, MOSTLY * len(rows)):
        return
    episodes = play_answers(subject, [(row, _table(cases)) for row, cases in shown.items()])
    won = won_of(subject, episodes)
    share = Share(len(won), len(episodes))
    if len(won) >= max(FEWEST_ROWS, MOSTLY * len(episodes)):
        episode = won[0]
        yield Finding(
            f"The tests are the examples that the prompt shows: a table of them earns as much as gold on {share}.",
            "Test with other values than those that the prompt shows.",
            episode.row_index, _table(shown[episode.row_index]), episode.reward, less_than_gold(subject, episode),
        )  # fmt: skip


def _cases(row: Row) -> list[Case]:
    """The tests of a row, in whatever column; empty if it has any of another form."""
    for name, value in row.items():
        lines = _lines(value) if name not in ("prompt", "case_idx") else []
        found = [case for line in lines if (case := _case(line))]
        if found and len(found) == sum("==" in line or "assert" in line for line in lines):
            return found
    return []


def _lines(value: Any) -> list[str]:
    """The lines of a text, or of a list of texts."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return [line for item in value for line in _lines(item)]
    return []


def _case(line: str) -> Case | None:
    """The test that a line is, such as `assert double(2) == 4`."""
    with suppress(SyntaxError, ValueError, MemoryError, RecursionError):
        (parsed,) = ast.parse(line).body
        test = parsed.test if isinstance(parsed, ast.Assert) else getattr(parsed, "value", None)
        if (
            isinstance(test, ast.Compare)
            and isinstance(test.ops[0], ast.Eq | ast.Is)
            and isinstance(test.left, ast.Call)
            and isinstance(test.left.func, ast.Name)
            and not test.left.keywords
        ):
            ast.literal_eval(test.comparators[0])
            arguments = tuple(ast.literal_eval(one) for one in test.left.args)
            return Case(test.left.func.id, ast.unparse(test.left), repr(arguments), ast.unparse(test.comparators[0]))
    return None


def _is_shown(case: Case, prompt: str) -> bool:
    """Whether a prompt shows a call with its result, however it is written."""
    plain = _plain(prompt)
    pattern = re.escape(_plain(case.call)) + "`?" + _ARROW + re.escape(_plain(case.expected))
    return re.search(pattern, plain) is not None


def _plain(text: str) -> str:
    """A text with one kind of quotes and no spaces behind commas and at line ends."""
    return re.sub(r",\s+", ",", re.sub(r"\s*\n\s*", " ", text.replace('"', "'")))


def _table(cases: Sequence[Case]) -> str:
    """Code that knows the results of these calls and nothing else."""
    of_name: dict[str, list[str]] = {}
    for case in cases:
        of_name.setdefault(case.name, []).append(f"{case.arguments!r}: {case.expected}")
    functions = (
        f"def {name}(*given):\n    return {{{', '.join(known)}}}.get(repr(given))" for name, known in of_name.items()
    )
    return "```python\n" + "\n\n\n".join(functions) + "\n```"
