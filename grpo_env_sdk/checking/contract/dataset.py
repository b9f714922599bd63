"""Faults of the rows: repeated, ambiguous, in both splits, not accepted by chat templates."""

import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold.gold_source import ANSWER_COLUMNS
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.data.opening import row_messages
from grpo_env_sdk.errors import did_you_mean
from grpo_env_sdk.isolation.calls.tracebacks import defined_at
from grpo_env_sdk.rewards.reward import RESERVED
from grpo_env_sdk.types import Row, canonical_json, row_hash

MANY = 0.1
"""From this share of repeated rows on, it is a warning."""
ONLY_SYSTEM = "there is only a system message"
_SPLIT_COLUMNS = {"split", "subset", "fold", "partition"}
_TRAINING = {"train", "training"}
_TESTING = {"test", "testing", "eval", "evaluation", "dev", "heldout", "held_out", "held-out"}
_TESTING |= {"val", "valid", "validation"}
FEW = 50
"""A task with fewer different rows may need the same rows in both splits."""


@check("C110", severity="info", needs=("rows",))
def rows_differ(subject: Subject) -> Iterator[Finding]:
    """No row is in the dataset twice."""
    seen: dict[int, int] = {}
    keys = enumerate(_keys(subject))
    repeated = [(index, seen[key]) for index, key in keys if seen.setdefault(key, index) != index]
    if not repeated:
        return
    share = len(repeated) / len(subject.rows)
    index, first = repeated[0]
    message = f"{len(repeated)} of {len(subject.rows)} rows repeat another row, such as {index} and {first}."
    hint = "Remove the copies, unless these rows should count more in training."
    yield Finding(message, hint, index, severity="warning" if share >= MANY else "info")


@check("C111", severity="warning", kinds=("single-turn",), needs=("rows",))
def a_prompt_has_one_answer(subject: Subject) -> Iterator[Finding]:
    """Rows with the same prompt have the same answer."""
    columns = [name for name in ANSWER_COLUMNS if name in subject.rows.columns]
    if not columns:
        return
    seen: dict[str, tuple[int, Any]] = {}
    for index, row in enumerate(_all(subject)):
        prompt = canonical_json(row_messages(row))
        answer = canonical_json(row[columns[0]])
        first, known = seen.setdefault(prompt, (index, answer))
        if known != answer:
            message = f"Rows {first} and {index} have the same prompt and different answers in column {columns[0]!r}."
            yield Finding(message, "Put what is different into the prompt.", index, row["prompt"], answer, known)
            return


@check("C112", severity="warning", needs=("rows",))
def templates_take_the_roles(subject: Subject) -> Iterator[Finding]:
    """Chat prompts have their roles in an order that chat templates accept, and end before the model's turn."""
    if not subject.rows.chat:
        return
    faults: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(_all(subject)):
        fault = role_fault(row["prompt"])
        if fault == ONLY_SYSTEM and _reset_speaks_first(subject):
            continue
        if fault:
            faults[fault].append(index)
    for fault, indices in faults.items():
        prompt = subject.row(indices[0])["prompt"]
        message = f"{len(indices)} of {len(subject.rows)} prompts: {fault}."
        hint = "Start with at most one system message, alternate user and assistant, end with the user."
        yield Finding(message, hint, indices[0], input=[one["role"] for one in prompt])


def _reset_speaks_first(subject: Subject) -> bool:
    """Whether `reset` adds the first message of the user to prompts that have none."""
    if subject.traits.kind == "single-turn":
        return False
    opening = subject.once(("contract", "opening"), lambda: subject.answer(subject.chosen[0], "").messages)
    own = next((place for place, message in enumerate(opening) if message["role"] == "assistant"), len(opening))
    return own > 0 and role_fault(opening[:own]) == ""


def role_fault(messages: Sequence[Mapping[str, Any]]) -> str:
    """What some chat templates would reject in the order of roles, or an empty string."""
    roles = ["system" if message["role"] == "developer" else str(message["role"]) for message in messages]
    if "system" in roles[1:]:
        return "a system message comes after the first message"
    turns = roles[1:] if roles[0] == "system" else roles
    if not turns:
        return ONLY_SYSTEM
    if turns[0] != "user":
        return f"the first turn is from the {turns[0]}"
    for before, role in pairwise(turns):
        if before == role and role != "tool":
            return f"two {role} messages follow each other"
    return "the last message is from the assistant" if turns[-1] == "assistant" else ""


@check("C113", severity="info", kinds=("single-turn",), needs=("rows",))
def scorers_ask_for_what_there_is(subject: Subject) -> Iterator[Finding]:
    """Every parameter of the scorer is a column, also those with a default."""
    scorer = getattr(subject.loaded.env, "score_episode", None)
    if scorer is None:
        return
    offered = {*subject.rows.columns, *RESERVED}
    for parameter in list(inspect.signature(scorer).parameters.values())[3:]:
        named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if named and parameter.name not in offered:
            near = did_you_mean(parameter.name, subject.rows.columns)
            message = f"score_episode's parameter {parameter.name!r} is always {parameter.default!r}: no such column"
            hint = near or "Remove the parameter, or add the column."
            yield Finding(f"{message} ({defined_at(scorer)}).", hint, severity="warning" if near else "info")


@check("C122", needs=("rows",))
def splits_are_disjoint(subject: Subject) -> Iterator[Finding]:
    """No row of `test` is also in `train`, if the environment splits its rows itself."""
    env, first = subject.loaded.env, subject.rows.of_train
    if first is None:
        return
    whole = _keys(subject)
    known = dict(zip(whole[:first], subject.rows.indices, strict=False))
    both = [(place, known[key]) for place, key in enumerate(whole[first:], first) if key in known]
    if both:
        index, twin = both[0]
        count = f"{len(both)} of {len(whole) - first} rows of `test` are"
        message = f"{count} also in `train`, such as row {index}, equal to row {twin}"
        hint = "Hold rows out before drawing from them; or remove the `split` parameter: about a tenth is held out."
        place = defined_at(env.build_dataset)
        severity: Severity = "error" if len(set(whole)) >= FEW or _mostly_in_train(whole, first) else "warning"
        yield Finding(f"{message} ({place}).", hint, index, severity=severity, input=subject.row(index)["prompt"])


def _mostly_in_train(whole: Sequence[int], first: int) -> bool:
    """Whether half of the test rows or more are training rows, of which there are others that are no test rows."""
    train, test = set(whole[:first]), whole[first:]
    return 2 * sum(key in train for key in test) >= len(test) and not train <= set(test)


@check("C157", needs=("rows",), severity="warning")
def a_column_of_splits_is_used(subject: Subject) -> Iterator[Finding]:
    """No column says of each row whether it is for training or for testing, as nothing here reads it."""
    if subject.rows.of_train is not None:
        return
    for name in sorted(_SPLIT_COLUMNS.intersection(subject.rows.columns)):
        values = {str(row[name]).casefold() for row in _all(subject)}
        tests = sorted(values & _TESTING)
        if tests and values & _TRAINING and values <= _TRAINING | _TESTING:
            test = tests[0]
            yield Finding(
                f"The column {name!r} says which rows are for {test!r}, and nothing reads it: the rows that are held "
                "out are about a tenth of all, chosen by their content.",
                "Take the split as an argument, and return its rows alone: def build_dataset(self, tokenizer, "
                "split='train').",
                next(index for index, row in enumerate(_all(subject)) if str(row[name]).casefold() == test),
            )  # fmt: skip
            return


def _all(subject: Subject) -> list[Row]:
    """Every row, read once."""
    return subject.once(("contract", "rows"), lambda: list(subject.rows))


def _keys(subject: Subject) -> list[int]:
    """A hash of the content of each row."""
    return subject.once(("contract", "keys"), lambda: [row_hash(row) for row in _all(subject)])
