"""Whether another value of a config parameter changes anything: the rows, or what the instance holds."""

import ast
import pickle
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.unread_config import DECLARED, unread_parameters
from grpo_env_sdk.checking.evidence.author_code.score_code import code_beside_rows, row_functions
from grpo_env_sdk.checking.evidence.fresh_instances import (
    BUILD_SECONDS,
    end_left_threads,
    fresh_instance,
    splits_of,
    with_value,
)
from grpo_env_sdk.checking.evidence.processes.row_contents import contents
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.config import Parameter, parameters_of
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.errors import DeadlineError, GrpoEnvError
from grpo_env_sdk.plain_text import joined

MOST_VALUES, MOST_ENTRIES, FIRST, MOST_SECONDS = 3, 50, 5, 0.15
LEAST_SECONDS, SLOWER = 2.0, 20
"""An instance with another value has so many seconds, and so many times those of the one in use."""
_OF_THE_SDK = ("_grpo", "shared")


@check("C156", needs=("rows",), effort="default", share=2)
def values_of_config_change_something(subject: Subject) -> Iterator[Finding]:
    """Another value of a parameter gives other rows, or another instance."""
    for name, used, others in other_values(subject):
        if name in unread_parameters(subject):
            continue
        if not subject.time_left:
            return
        if all(_changes_nothing(subject, name, used, value) for value in others):
            yield Finding(
                f"The parameter {name!r} of {subject.cls.__name__} changes nothing: with "
                f"{joined([repr(value) for value in others])} the rows and the instance are the same as with {used!r}.",
                "Look where its value is lost: a key in another case, a default that wins, or a value that is not "
                "passed on.",
                input={name: others[0]}, severity="warning" if type(used) is int else "error",
            )  # fmt: skip


def other_values(subject: Subject) -> Iterator[tuple[str, Any, list[Any]]]:
    """Each parameter of a class with other values to try: its name, the value in use, and a few of the others."""
    if not isinstance(subject.cls, type):
        return
    for parameter in parameters_of(subject.cls).values():
        used = subject.spec.config.get(parameter.name, parameter.default)
        others = [value for value in _offered(subject, parameter, used) if value != used][:MOST_VALUES]
        if others and parameter.name not in DECLARED:
            yield parameter.name, used, others


def _offered(subject: Subject, parameter: Parameter, used: Any) -> list[Any]:
    """The values that a parameter offers: those of its annotation, others of the same table, or a near number."""
    if isinstance(used, bool):
        return [not used]
    if type(used) is int:
        if (subject.recall(BUILD_SECONDS) or 0.0) > MOST_SECONDS:
            return []  # each number would cost a build
        return [used // 2, used + 1] if used > 1 else [used + 1, used + 2]
    if not isinstance(used, str):
        return []
    listed = [value for value in parameter.schema.get("enum", ()) if isinstance(value, str)]
    return listed or _beside(subject.loaded.env, parameter.name, used)


def _beside(env: Any, name: str, used: str) -> list[str]:
    """The short texts in the globals of a module that hold the value in use, and those that code compares it with."""
    found: list[str] = []
    for held in vars(sys.modules[type(env).__module__]).values():
        if type(held) in (dict, list, tuple, set, frozenset) and len(held) <= MOST_ENTRIES:
            texts = [one for one in held if type(one) is str]
            if used.casefold() in (text.casefold() for text in texts):
                found += sorted(texts) if type(held) in (set, frozenset) else texts
    for function in row_functions(env):
        found += _compared_with(function.tree, name)
    return list(dict.fromkeys(found))


def _compared_with(tree: ast.AST, name: str) -> Iterator[str]:
    """The texts that a name, or the attribute of that name, is compared with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(name in (getattr(side, "id", None), getattr(side, "attr", None)) for side in sides):
                texts = [one for side in sides for one in ast.walk(side) if isinstance(one, ast.Constant)]
                yield from (one.value for one in texts if isinstance(one.value, str))


def _changes_nothing(subject: Subject, name: str, used: Any, value: Any) -> bool:
    """Whether an instance with another value holds the same, and builds the same rows."""
    try:
        other, usual = subject.with_config({name: value}, seconds_with(subject)), subject.another()
        differ = differing(usual, other)
        if any(not _is_kept(usual, other, one, used, value) for one in differ):
            return False
        if is_read_elsewhere(subject, {name, *differ}):
            return False
        rows = with_value(subject, name, value, seconds_with(subject))[1]
        before = fresh_instance(subject, splits_of(subject)[-1])[1]
        few = list(rows.indices)[:FIRST]
        if len(rows) != len(before) or any(str(rows.row(row)) != str(before.row(row)) for row in few):
            return False
        return bool(contents(rows)["hashes"] == contents(before)["hashes"])
    except DeadlineError:  # some values make a task that is never done
        end_left_threads()
        return False
    except GrpoEnvError:
        return False  # a value that is refused changes something


def seconds_with(subject: Subject) -> float:
    """How long an instance and its rows may take with another value."""
    return LEAST_SECONDS + SLOWER * (subject.recall(BUILD_SECONDS) or 0.0)


def differing(one: LoadedEnv, other: LoadedEnv) -> list[str]:
    """The attributes that differ between two new instances."""
    held, there = (getattr(loaded.env, "__dict__", {}) for loaded in (one, other))
    names = [name for name in {**held, **there} if name not in _OF_THE_SDK]
    return [name for name in names if name not in held or name not in there or not _same(held[name], there[name])]


def _same(one: Any, other: Any) -> bool:
    with suppress(Exception):
        return bool(pickle.dumps(one) == pickle.dumps(other))
    return False


def _is_kept(usual: LoadedEnv, other: LoadedEnv, attribute: str, used: Any, value: Any) -> bool:
    """Whether an attribute holds nothing but the value that was given."""
    both = [getattr(loaded.env, attribute, None) for loaded in (usual, other)]
    return all(str(one).casefold() == str(given).casefold() for one, given in zip(both, (used, value), strict=True))


def is_read_elsewhere(subject: Subject, names: set[str]) -> bool:
    """Whether code that writes no rows reads one of these attributes, or any attribute by a name that it computes."""
    rest = code_beside_rows(subject.loaded.env)
    return any(re.search(rf"\.{re.escape(name)}\b|[\"']{re.escape(name)}[\"']", rest) for name in names) or bool(
        re.search(r"\b(?:getattr|vars|__dict__|asdict)\b", rest)
    )
