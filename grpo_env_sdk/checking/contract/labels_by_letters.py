"""Whether labels follow from numbers, versions, dates or times that the author's code compares as texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.compared_by_value import ORDERS, ComparesByValue, Turned
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, row_functions
from grpo_env_sdk.checking.evidence.author_code.watched_comparisons import WatchedComparisons
from grpo_env_sdk.checking.evidence.fresh_instances import BUILD_SECONDS, built, fresh_instance, splits_of
from grpo_env_sdk.checking.evidence.gold.spellings import BETWEEN
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Row, canonical_json

FEWEST_WRONG, MOST_PLAYED, MOST_SECONDS = 2, 6, 5.0
"""How many rows get another label by value, on how many that is tried, and what building the rows may take."""
_AS_TEXTS = regex(
    r"\blexi\w*graph\w*|\bas (?:a |plain )*(?:texts?|words)\b|\bstrings?\b|\bdictionary order|"
    r"\b(?:character|letter|digit) by (?:character|letter|digit)\b|\bASCII\b|\bUnicode\b|```|\bdef \w+\(",
    re.IGNORECASE,
)
_BY_LETTERS = regex(r"\balphabet\w*", re.IGNORECASE)
"""What a prompt says that asks for the order of texts; names may be asked for in that of letters beside versions."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with the label that it has, and the one by value; the texts that were compared, which its prompt shows."""

    gold: Gold
    column: str
    label: Any
    by_value: Any
    turned: Turned


@check("C178", needs=("gold",))
def labels_do_not_follow_the_letters_of_values(subject: Subject) -> Iterator[Finding]:
    """Labels that follow from an order of numbers, versions, dates or times are worked out by what these are."""
    functions = row_functions(subject.loaded.env)
    if not any(_orders(one) for one in functions):
        return
    split = splits_of(subject)[0]
    before = _by_prompt(fresh_instance(subject, split)[1])
    if (subject.recall(BUILD_SECONDS) or 0.0) > MOST_SECONDS:
        return
    values = ComparesByValue()
    try:
        with WatchedComparisons(functions, values).watched():
            _, rows = built(subject, split)
    except GrpoEnvError:
        return  # code that can only go on with the order of texts
    if values.turned:
        wrong = list(_changed(subject, before, _by_prompt(rows), list(values.turned)))
        if len(wrong) >= FEWEST_WRONG:
            yield from _proven(subject, wrong)


def _orders(function: ScoreFunction) -> bool:
    return any(type(one).__name__ in ORDERS for one in function.nodes)


def _by_prompt(rows: Rows) -> dict[str, Row]:
    """Each row by its prompt; none of those that several have."""
    found: dict[str, Row] = {}
    several: set[str] = set()
    for index in rows.indices:
        row = rows.row(index)
        key = canonical_json(row["prompt"])
        several |= {key} & found.keys()
        found[key] = row
    return {key: row for key, row in found.items() if key not in several}


def _changed(
    subject: Subject, before: Mapping[str, Row], after: Mapping[str, Row], turned: Sequence[Turned]
) -> Iterator[_Row]:
    """The rows of which one column is another by value, and whose prompts show what was compared."""
    for index, gold in golds(subject).items():
        row, prompt = subject.row(index), prompt_text(subject, index)
        key = canonical_json(row["prompt"])
        if key not in after or key not in before or _AS_TEXTS.search(prompt):
            continue
        names = [name for name in row if name != "case_idx" and after[key].get(name) != before[key].get(name)]
        shown = next((one for one in turned if _shows(prompt, one)), None)
        if len(names) == 1 and shown and before[key].get(names[0]) == row[names[0]]:
            yield _Row(gold, names[0], row[names[0]], after[key].get(names[0]), shown)


def _shows(prompt: str, turned: Turned) -> bool:
    """Whether a prompt shows both texts, and does not ask for an order of letters in which these may be meant."""
    if "versions" not in turned.kind and _BY_LETTERS.search(prompt):
        return False
    return all(
        re.search(rf"(?<![\w.]){re.escape(one)}(?![\w:]|\.\d)", prompt) for one in (turned.smaller, turned.larger)
    )


def _proven(subject: Subject, wrong: Sequence[_Row]) -> Iterator[Finding]:
    """The finding, where the answers by value are refused."""
    texts = _texts_of_labels(subject, wrong[0].column)
    tried = [(one, text) for one in wrong if (text := _instead(one, texts)) is not None][:MOST_PLAYED]
    if len(tried) < FEWEST_WRONG:
        return
    answers: list[tuple[int, Completion]] = [(one.gold.row, [*one.gold.turns[:-1], text]) for one, text in tried]
    episodes = play_answers(subject, answers)
    if len(episodes) < FEWEST_WRONG or not all(loses_half(subject, episode) for episode in episodes):
        return
    (one, text), turned = tried[0], tried[0][0].turned
    yield Finding(
        f"Labels follow from {turned.kind} that are compared as texts, on {len(wrong)} of {len(golds(subject))} rows: "
        f"{turned.where} compares {turned.smaller!r} with {turned.larger!r}, which as a text is the smaller one. By "
        f"value, the column {one.column!r} is {one.by_value!r} and not {one.label!r}: {quoted(text)} is "
        f"refused and scores {episodes[0].reward:g}; gold is {quoted(one.gold.text)}.",
        "Compare values and not texts: int(text), tuple(map(int, text.split('.'))), date.fromisoformat(text).",
        one.gold.row, prompt_text(subject, one.gold.row)[-600:], episodes[0].reward, one.gold.reward,
    )  # fmt: skip


def _texts_of_labels(subject: Subject, column: str) -> dict[str, str]:
    """The text of gold by the label of a column, for labels that have the same text on all of several rows."""
    texts: dict[str, list[str]] = {}
    for row, gold in golds(subject).items():
        texts.setdefault(canonical_json(subject.row(row).get(column)), []).append(gold.text)
    return {label: said[0] for label, said in texts.items() if len(said) > 1 and len(set(said)) == 1}


def _instead(one: _Row, texts: Mapping[str, str]) -> str | None:
    """The text of gold with the label by value; None where it is not clear how that is written."""
    if (known := texts.get(canonical_json(one.by_value))) is not None:
        return known
    for label, other in _written(one.label, one.by_value):
        if label and one.gold.text.count(label) == 1:
            return one.gold.text.replace(label, other)
    return None


def _written(label: Any, by_value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(label, list) and isinstance(by_value, list):
        yield from ((between.join(map(str, label)), between.join(map(str, by_value))) for between in BETWEEN)
    else:
        yield str(label), str(by_value)
