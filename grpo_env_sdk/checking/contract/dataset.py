"""What the rows are like: repeated, ambiguous, leaking from one split to the other, hard for templates."""

import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.gold_source import ANSWER_COLUMNS
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.data.rows import splits_itself
from grpo_env_sdk.errors import did_you_mean
from grpo_env_sdk.isolation.tracebacks import defined_at
from grpo_env_sdk.rewards.reward import RESERVED
from grpo_env_sdk.types import Row, canonical_json, row_hash

MANY = 0.1
"""The share of repeated rows from which that is a warning."""
FEW = 50
"""Up to so many different rows, a task may have no more, and then both splits need the same."""


@check("C110", severity="info", needs=("rows",))
def rows_differ(subject: Subject) -> Iterator[Finding]:
    """No row stands in the dataset twice."""
    seen: dict[int, int] = {}
    keys = enumerate(_keys(subject))
    repeated = [(index, seen[key]) for index, key in keys if seen.setdefault(key, index) != index]
    if not repeated:
        return
    share = len(repeated) / len(subject.rows)
    index, first = repeated[0]
    message = f"{len(repeated)} of {len(subject.rows)} rows repeat another, such as {index} and {first}."
    hint = "Leave them out, unless they are meant to count more often."
    yield Finding(message, hint, index, severity="warning" if share >= MANY else "info")


@check("C111", severity="warning", kinds=("single-turn",), needs=("rows",))
def a_prompt_has_one_answer(subject: Subject) -> Iterator[Finding]:
    """Rows with one prompt have one answer."""
    columns = [name for name in ANSWER_COLUMNS if name in subject.rows.columns]
    if not columns:
        return
    seen: dict[str, tuple[int, Any]] = {}
    for index, row in enumerate(_all(subject)):
        prompt = canonical_json(row["prompt"])
        answer = canonical_json(row[columns[0]])
        first, known = seen.setdefault(prompt, (index, answer))
        if known != answer:
            message = f"Rows {first} and {index} ask the same and want different answers, by column {columns[0]!r}."
            yield Finding(message, "Say in the prompt what tells them apart.", index, row["prompt"], answer, known)
            return


@check("C112", severity="warning", needs=("rows",))
def templates_take_the_roles(subject: Subject) -> Iterator[Finding]:
    """Chat prompts have their roles in an order that chat templates accept, and end where the model is to speak."""
    if not subject.rows.chat:
        return
    faults: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(_all(subject)):
        fault = role_fault(row["prompt"])
        if fault:
            faults[fault].append(index)
    for fault, indices in faults.items():
        prompt = subject.row(indices[0])["prompt"]
        message = f"{len(indices)} of {len(subject.rows)} prompts: {fault}."
        hint = "Begin with at most one system message, let user and assistant take turns, end with the user."
        yield Finding(message, hint, indices[0], input=[one["role"] for one in prompt])


def role_fault(messages: Sequence[Mapping[str, Any]]) -> str:
    """What some chat template would refuse in the order of roles, or an empty string."""
    roles = ["system" if message["role"] == "developer" else str(message["role"]) for message in messages]
    if "system" in roles[1:]:
        return "a system message stands after the first"
    spoken = roles[1:] if roles[0] == "system" else roles
    if not spoken:
        return "there is only a system message"
    if spoken[0] != "user":
        return f"the first to speak is the {spoken[0]}"
    for before, role in pairwise(spoken):
        if before == role and role != "tool":
            return f"two {role} messages stand one after the other"
    return "the last message is the assistant's" if spoken[-1] == "assistant" else ""


@check("C113", severity="info", kinds=("single-turn",), needs=("rows",))
def scorers_ask_for_what_there_is(subject: Subject) -> Iterator[Finding]:
    """Every argument of the scorer is filled by a column, also those that have a default."""
    scorer = getattr(subject.loaded.env, "score_episode", None)
    if scorer is None:
        return
    offered = {*subject.rows.columns, *RESERVED}
    for parameter in list(inspect.signature(scorer).parameters.values())[3:]:
        named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if named and parameter.name not in offered:
            near = did_you_mean(parameter.name, subject.rows.columns)
            message = f"score_episode's {parameter.name!r} is always {parameter.default!r}: no row has such a column"
            hint = near or "Leave it out, or add the column."
            yield Finding(f"{message} ({defined_at(scorer)}).", hint, severity="warning" if near else "info")


@check("C122", needs=("rows",))
def splits_are_disjoint(subject: Subject) -> Iterator[Finding]:
    """No row of `test` stands in `train` too, where the environment splits its rows itself."""
    loaded = subject.loaded
    if not splits_itself(loaded.env):
        return
    test = loaded.rows("test")
    whole = _keys(subject)
    known = dict(zip(whole[: test.offset], subject.rows.indices, strict=False))
    both = [(place, known[key]) for place, key in enumerate(whole[test.offset :], test.offset) if key in known]
    if both:
        index, twin = both[0]
        message = f"{len(both)} of {len(test)} rows of `test` stand in `train` too, such as {index} as {twin}"
        hint = "Hold rows out before anything is drawn from them; or leave `split` out, and a tenth is held out."
        place = defined_at(loaded.env.build_dataset)
        severity: Severity = "error" if len(set(whole)) >= FEW else "warning"
        yield Finding(f"{message} ({place}).", hint, index, severity=severity, input=subject.row(index)["prompt"])


def _all(subject: Subject) -> list[Row]:
    """Every row, read once."""
    return subject.once(("contract", "rows"), lambda: list(subject.rows))


def _keys(subject: Subject) -> list[int]:
    """What is equal for rows of equal content, row by row."""
    return subject.once(("contract", "keys"), lambda: [row_hash(row) for row in _all(subject)])
