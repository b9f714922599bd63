"""Whether what a scorer looks up by `case_idx` has one entry for each row, in their order."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.values_in_code import columns_given
from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, score_functions
from grpo_env_sdk.checking.evidence.author_code.traced_values import OF_EPISODES, Kind, TracedValues
from grpo_env_sdk.checking.evidence.golds import play_answers, scored_by_row
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, MOST_ENTRIES, MOST_SCORED, FEWEST = 60, 2_000, 6, 8
MATCHED = 0.8
"""The share of rows whose prompt has to have more of the values of one entry than of any other."""
_PLACE = Kind("column", "case_idx")
_WORD = regex(r"\w+(?:[.,'-]\w+)*")


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Something that a scorer reads at the place `case_idx`, by its name and with its line."""

    name: str
    line: str
    entries: Sequence[Any]


@check("C173", needs=("rows",), severity="warning")
def labels_are_in_the_order_of_the_rows(subject: Subject) -> Iterator[Finding]:
    """What a scorer looks up by `case_idx` in a list that is longer than the dataset belongs to that row."""
    count = len(subject.rows.table)
    if "case_idx" in subject.rows.table.column_names or count < FEWEST:
        return
    for found in _lookups(subject):
        if not count < len(found.entries) <= MOST_ENTRIES:
            continue
        shifted = next((moved for held in _as_long(subject, found) if (moved := _moved(subject, held))), None)
        if shifted is None:
            continue
        places = {
            row: place for row, place in shifted.items() if repr(found.entries[row]) != repr(found.entries[place])
        }
        proven = _paid_for_another(subject, found.entries, places)
        if not places or proven is False:
            continue
        row = min(places)
        yield Finding(
            f"The score looks {found.name} up by case_idx: `{found.line}`. That has {len(found.entries)} entries and "
            f"the dataset {count} rows, because some entries became no row: from row {row} on rows get the entry of "
            f"another one, such as {short_repr(found.entries[row])} in place of "
            f"{short_repr(found.entries[places[row]])}.",
            "Write what the score needs into a column of the row, or leave the same entries out of the list.",
            row, input=prompt_text(subject, row), output=found.entries[row], expected=found.entries[places[row]],
            severity="error" if proven else "warning",
        )  # fmt: skip
        return


def _lookups(subject: Subject) -> Iterator[_Lookup]:
    """Each list that the code of a score reads at the place `case_idx`."""
    env = subject.loaded.env
    functions = score_functions(env)
    values = TracedValues(env, functions, {**OF_EPISODES, **columns_given(subject)})
    for function in functions:
        for node in function.nodes:
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                held, place = node.value, node.slice
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
                held, place = node.func.value, node.args[0] if node.args else node
            else:
                continue
            if values.kind(function, place) == _PLACE:
                entries = _by_place(_value(env, function, held))
                if entries:
                    yield _Lookup(ast.unparse(held), ast.unparse(node), entries)


def _value(env: Any, function: ScoreFunction, node: ast.expr, deep: int = 3) -> Any:
    """The value of a global, of an attribute of the environment, or of a local name for one; else None."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in ("self", "cls"):
        return vars(env).get(node.attr, getattr(type(env), node.attr, None)) if hasattr(env, "__dict__") else None
    if not isinstance(node, ast.Name) or not function.is_local(node.id):
        return function.named(node)
    set_to = [
        one.value
        for one in function.nodes
        if isinstance(one, ast.Assign) and any(getattr(target, "id", "") == node.id for target in one.targets)
    ]
    return _value(env, function, set_to[0], deep - 1) if len(set_to) == 1 and deep else None


def _by_place(held: Any) -> Sequence[Any]:
    """The entries of a list, or of a dict whose keys count from 0; empty for others."""
    if isinstance(held, Mapping) and list(held) == list(range(len(held))):
        return list(held.values())
    return held if isinstance(held, list | tuple) else ()


def _as_long(subject: Subject, found: _Lookup) -> Iterator[Sequence[Any]]:
    """That list itself, and others of the environment and its module that have as many entries."""
    env = subject.loaded.env
    yield found.entries
    for names in (getattr(env, "__dict__", {}), *(vars(base) for base in type(env).__mro__)):
        yield from (one for value in names.values() if len(one := _by_place(value)) == len(found.entries))
    for function in score_functions(env)[:1]:
        every = function.function.__globals__.values()
        yield from (one for value in every if len(one := _by_place(value)) == len(found.entries))


def _moved(subject: Subject, entries: Sequence[Any]) -> dict[int, int] | None:
    """The rows whose prompt shows an entry of a later place, where all are shown in their order; None if none are.

    Where all are as far ahead as each other, the prompts may be about the entry beside that of the row.
    """
    every = range(len(subject.rows.table))
    rows = every[:: max(1, len(every) // MOST_ROWS)]
    told = [_leaves(entry) for entry in entries]
    places: dict[int, int] = {}
    for row in rows:
        if (place := _shown(prompt_text(subject, row), told)) is not None:
            places[row] = place
    if len(places) < max(FEWEST, MATCHED * len(rows)):
        return None
    ahead = [place - row for row, place in places.items()]
    in_order = ahead == sorted(ahead) and 0 <= ahead[0] < ahead[-1]
    return {row: place for row, place in places.items() if place > row} if in_order else None


def _shown(prompt: str, told: Sequence[Sequence[str]]) -> int | None:
    """The place of the entry of which a prompt has most values; None where several have as many."""
    words = set(_WORD.findall(prompt))
    counts = [sum(one in words if _WORD.fullmatch(one) else one in prompt for one in leaves) for leaves in told]
    most = max(counts)
    return counts.index(most) if most and counts.count(most) == 1 else None


def _leaves(entry: Any, deep: int = 3) -> list[str]:
    """The texts and numbers in an entry."""
    if isinstance(entry, str | int | float):
        return [] if isinstance(entry, bool) or not str(entry).strip() else [str(entry).strip()]
    if is_dataclass(entry) and not isinstance(entry, type):
        entry = [getattr(entry, one.name) for one in fields(entry)]
    parts = entry.values() if isinstance(entry, Mapping) else entry if isinstance(entry, list | tuple) else ()
    return [leaf for part in parts for leaf in _leaves(part, deep - 1)] if deep else []


def _paid_for_another(subject: Subject, entries: Sequence[Any], places: Mapping[int, int]) -> bool | None:
    """Whether the entry of another row is paid and that of a row is not; None where neither can be said."""
    texts = {
        row: (str(entries[row]), str(entries[place])) for row, place in places.items()
        if isinstance(entries[row], str | int | float) and isinstance(entries[place], str | int | float)
    }  # fmt: skip
    rows = list(texts)[:MOST_SCORED]
    other, own = (scored_by_row(play_answers(subject, [(row, texts[row][which]) for row in rows])) for which in (0, 1))
    both = [(other[row].reward or 0.0, own[row].reward or 0.0) for row in rows if row in other and row in own]
    if any(mine > others for others, mine in both):
        return False
    return True if both and all(others > mine for others, mine in both) else None
