"""Whether labels follow from numbers, versions, dates or times that the author's code compares as texts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.author_code.compared_by_value import ORDERS, ComparesByValue, Turned
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, episode_functions, row_functions
from grpo_env_sdk.checking.evidence.author_code.watched_comparisons import WatchedComparisons
from grpo_env_sdk.checking.evidence.fresh_instances import BUILD_SECONDS, built, fresh_instance, splits_of
from grpo_env_sdk.checking.evidence.gold.spellings import BETWEEN
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    golds,
    loses_half,
    play_answers,
    reward_of,
    says_gold,
    was_scored,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.orders_of_texts import asks_for_texts, speaks_of_letters
from grpo_env_sdk.checking.evidence.quoted_answers import answer_shown
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.types import Message, Row, canonical_json

FEWEST_WRONG, MOST_PLAYED, MOST_SOLVED, MOST_SECONDS = 2, 6, 40, 5.0
"""How many rows get another label by value, on how many that is tried, how many are solved again, and
what building the rows may take."""


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Gold of a row and what it is by value, and two of the texts that were compared, which its prompt shows."""

    gold: Gold
    by_value: Sequence[Message | str]
    turned: Turned


@check("C178", needs=("gold",))
def labels_do_not_follow_the_letters_of_values(subject: Subject) -> Iterator[Finding]:
    """Labels that follow from an order of numbers, versions, dates or times are worked out by what these are."""
    env = subject.loaded.env
    of_rows = row_functions(env)
    known = {one.function for one in of_rows}
    if any(map(_orders, of_rows)):
        findings = list(_proven(subject, _by_rows(subject, of_rows)))
        yield from findings
        if findings:
            return
    of_episodes = [one for one in episode_functions(env) if one.function not in known]
    if subject.traits.solvable and any(map(_orders, of_episodes)):
        yield from _proven(subject, _by_solve(subject, of_episodes))


def _by_rows(subject: Subject, functions: Sequence[ScoreFunction]) -> list[_Wrong]:
    """What gold is by the columns of rows that are built with comparisons by value."""
    split = splits_of(subject)[0]
    before = _by_prompt(fresh_instance(subject, split)[1])
    if (subject.recall(BUILD_SECONDS) or 0.0) > MOST_SECONDS:
        return []
    values = ComparesByValue()
    try:
        with WatchedComparisons(functions, values).watched():
            _, rows = built(subject, split)
    except GrpoEnvError:
        return []  # code that can only go on with the order of texts
    return list(_changed(subject, before, _by_prompt(rows), list(values.turned))) if values.turned else []


def _by_solve(subject: Subject, functions: Sequence[ScoreFunction]) -> Iterator[_Wrong]:
    """What `solve` gives where it, and what scores it, compare by value."""
    known = dict(list(golds(subject).items())[:MOST_SOLVED])
    values = ComparesByValue()
    with WatchedComparisons(functions, values).watched():
        episodes = subject.play_many(list(known), "gold")
    for episode in filter(was_scored, episodes):
        gold, turns = known[episode.row_index], own_turns(episode.completion)
        shown = _shown(subject, episode.row_index, list(values.turned))
        if shown and not says_gold(turns, gold) and reward_of(episode) >= gold.reward - NEARLY:
            yield _Wrong(gold, turns, shown)


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
) -> Iterator[_Wrong]:
    """The rows of which one column is another by value, and whose prompts show what was compared."""
    for index, gold in golds(subject).items():
        row = subject.row(index)
        key = canonical_json(row["prompt"])
        if key not in after or key not in before or (shown := _shown(subject, index, turned)) is None:
            continue
        names = [name for name in row if name != "case_idx" and after[key].get(name) != before[key].get(name)]
        if len(names) == 1 and before[key].get(names[0]) == row[names[0]]:
            texts = subject.once(("texts of labels", names[0]), partial(_texts_of_labels, subject, names[0]))
            if (text := _instead(gold, row[names[0]], after[key].get(names[0]), texts)) is not None:
                yield _Wrong(gold, [*gold.turns[:-1], text], shown)


def _shown(subject: Subject, row: int, turned: Sequence[Turned]) -> Turned | None:
    """Two compared texts that a prompt shows, if it does not ask for an order of letters in which they may be meant."""
    prompt = prompt_text(subject, row)
    if asks_for_texts(prompt):
        return None
    by_letters = speaks_of_letters(prompt)
    return next((one for one in turned if _shows(prompt, one) and ("versions" in one.kind or not by_letters)), None)


def _shows(prompt: str, turned: Turned) -> bool:
    return all(
        re.search(rf"(?<![\w.]){re.escape(one)}(?![\w:]|\.\d)", prompt) for one in (turned.smaller, turned.larger)
    )


def _proven(subject: Subject, found: Iterable[_Wrong]) -> Iterator[Finding]:
    """The finding, where the answers by value are refused."""
    wrong = list(found)
    answers = [(one.gold.row, one.by_value) for one in wrong[:MOST_PLAYED]]
    episodes = play_answers(subject, answers) if len(answers) >= FEWEST_WRONG else []
    if len(episodes) < FEWEST_WRONG or not all(loses_half(subject, episode) for episode in episodes):
        return
    one, turned = wrong[0], wrong[0].turned
    yield Finding(
        f"Labels follow from {turned.kind} that are compared as texts, on {len(wrong)} of {len(golds(subject))} rows: "
        f"{turned.where} compares {turned.smaller!r} with {turned.larger!r}, which as a text is the smaller one. The "
        f"answer by value is refused and scores {episodes[0].reward:g}: {answer_shown(one.by_value)}; gold is "
        f"{answer_shown(one.gold.turns)}.",
        "Compare values and not texts: int(text), tuple(map(int, text.split('.'))), date.fromisoformat(text).",
        one.gold.row, prompt_text(subject, one.gold.row)[-600:], episodes[0].reward, one.gold.reward,
    )  # fmt: skip


def _texts_of_labels(subject: Subject, column: str) -> dict[str, str]:
    """The text of gold by the label of a column, for labels that have the same text on all of several rows."""
    texts: dict[str, list[str]] = {}
    for row, gold in golds(subject).items():
        texts.setdefault(canonical_json(subject.row(row).get(column)), []).append(gold.text)
    return {label: said[0] for label, said in texts.items() if len(said) > 1 and len(set(said)) == 1}


def _instead(gold: Gold, label: Any, by_value: Any, texts: Mapping[str, str]) -> str | None:
    """The text of gold with the label by value; None where it is not clear how that is written."""
    if (known := texts.get(canonical_json(by_value))) is not None:
        return known
    for written, other in _written(label, by_value):
        if written and gold.text.count(written) == 1:
            return gold.text.replace(written, other)
    return None


def _written(label: Any, by_value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(label, list) and isinstance(by_value, list):
        yield from ((between.join(map(str, label)), between.join(map(str, by_value))) for between in BETWEEN)
    else:
        yield str(label), str(by_value)
