"""Whether the values with which the author's code compares a column of the rows, or a role, occur there."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.literal_tests import LiteralTest, literal_tests
from grpo_env_sdk.checking.evidence.author_code.own_words import own_words
from grpo_env_sdk.checking.evidence.author_code.traced_values import OF_EPISODES, Kind
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.config import parameters_of
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.plain_text import joined
from grpo_env_sdk.rewards.reward import RESERVED, Reward
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Row

MOST_ROWS, MOST_VALUES, MOST_FINDINGS, FEWEST_LETTERS = 20_000, 200, 3, 3
"""In how many rows a value is looked for, of how many different ones, how many findings are reported, and how long a
word is that has another spelling."""
_TAKES_ROW = ("setup", "reset", "solve", "get_tools", "view", "score_episode")
_ROLES = {"system", "developer", "user", "assistant", "tool"}
_SEPARATORS = regex(r"[\s_-]+")


@check("C169", needs=("rows",), severity="error")
def code_compares_with_values_that_occur(subject: Subject) -> Iterator[Finding]:
    """Where code compares a column with a text or number that no row has, no row has it in another spelling either."""
    tests = literal_tests(subject.loaded.env, {**OF_EPISODES, **columns_given(subject)})
    if tests and len(subject.rows) <= MOST_ROWS:
        yield from islice(chain(_misspelt(subject, tests), _roles(subject, tests)), MOST_FINDINGS)


def columns_given(subject: Subject) -> Mapping[tuple[str, str], Kind]:
    """The parameters of rewards and scorers that are columns of a row, and those that are the row."""
    env, columns = subject.loaded.env, set(subject.rows.columns) - set(RESERVED)
    given = {(name, "row"): Kind("row") for name in _TAKES_ROW}
    scorer = getattr(env, "score_episode", None)
    if scorer is not None:
        taken = columns.intersection(inspect.signature(scorer).parameters) - {"model", "tokenizer"}
        given |= {("score_episode", name): Kind("column", name) for name in taken}
    for item in Rubric.of(env).rewards:
        if isinstance(item, Reward):
            name = getattr(item.function, "__name__", item.name)
            sources = {one: item.sources.get(one, one) for one in inspect.signature(item.function).parameters}
            given |= {(name, one): Kind("column", column) for one, column in sources.items() if column in columns}
            given[name, "row"] = Kind("row")
    return given


def _misspelt(subject: Subject, tests: Sequence[LiteralTest]) -> Iterator[Finding]:
    """Comparisons with what no row has in a column, where rows have another spelling that no code compares with."""
    columns: dict[str, list[LiteralTest]] = {}
    for test in tests:
        if test.kind.what == "column" and test.kind.key in subject.rows.columns:
            columns.setdefault(test.kind.key, []).append(test)
    for column, found in columns.items():
        counts = _counts(subject, column)
        compared = [literal for test in found for literal in test.literals]
        for test in found:
            for literal in test.literals:
                spelt = _other_spelling(literal, counts)
                if literal not in counts and spelt is not None and not _is_among(spelt, compared):
                    finding = _finding(test, column, literal, spelt, counts)
                    yield replace(finding, severity="warning") if parameters_of(subject.cls) else finding


def _roles(subject: Subject, tests: Sequence[LiteralTest]) -> Iterator[Finding]:
    """Comparisons of the role of a message with one that no message has."""
    tests = [test for test in tests if test.kind.what == "role"]
    for test in tests:
        name = str(test.literals[0])
        if not name or _ROLES.intersection(test.literals) or any(name in _roles_of(row) for row in subject.rows):
            continue
        if own_words(subject.loaded.env, test.function)[name] <= sum(one.literals.count(name) for one in tests):
            yield Finding(
                f"The code looks for messages with the role {name!r}, which no message has: {test.place}.",
                f"The roles are {joined(sorted(_ROLES))}.",
                input={"role": name},
                severity="warning",
            )


def _roles_of(row: Row) -> set[str]:
    prompt = row["prompt"]
    return {str(message.get("role")) for message in prompt} if isinstance(prompt, list) else set()


def _counts(subject: Subject, column: str) -> dict[Any, int]:
    """How many rows have each value of a column; empty where it has other than texts and numbers, or too many."""
    counts: dict[Any, int] = {}
    for value in (subject.row(row).get(column) for row in range(len(subject.rows))):
        if not isinstance(value, str | int | float | None) or len(counts) > MOST_VALUES:
            return {}
        counts[value] = counts.get(value, 0) + 1
    return counts


def _other_spelling(literal: Any, counts: Mapping[Any, int]) -> Any:
    """The value of a column that is a literal in other letters, with other signs or as another type; else None."""
    values = [value for value in counts if value is not None]
    kinds = {type(value) for value in values}
    if kinds in ({str}, {int}, {bool}) and type(literal) in {str, int, bool} - kinds:
        said = str(literal).strip().casefold()
        return next((value for value in values if str(value).casefold() == said), None)
    if kinds != {str} or not isinstance(literal, str) or sum(map(str.isalpha, literal)) < FEWEST_LETTERS:
        return None
    return next((value for value in values if _plain(value) == _plain(literal)), None)


def _plain(text: str) -> str:
    return _SEPARATORS.sub("", text.casefold())


def _is_among(value: Any, literals: Sequence[Any]) -> bool:
    return any(type(one) is type(value) and one == value for one in literals)


def _finding(test: LiteralTest, column: str, literal: Any, spelt: Any, counts: Mapping[Any, int]) -> Finding:
    return Finding(
        f"The code compares the column {column!r} with {literal!r}, which none of the {sum(counts.values())} rows has: "
        f"{test.place}. {counts[spelt]} have {spelt!r} instead.",
        f"Compare with {spelt!r}, or write the rows with {literal!r}.",
        input={column: literal},
        expected=spelt,
    )
