"""The held-out reward of a training in words: at its end, in its report and its model card, and in `runs show`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from grpo_env_sdk.evaluation.stats import Mean
from grpo_env_sdk.plain_text import counted

_SCORED = {"sampled": "scored", "greedy": "greedy_scored"}
"""The key of how many rows have a reward, by how they were answered."""


def heldout_text(found: Mapping[str, Any]) -> str:
    """`sampled 0.546 [0.493, 0.599] (14 of 20 scored), greedy 0.333`."""
    greedy = Mean(found.get("greedy"))
    return f"sampled {_mean(found)}{missing_rows(found)}, greedy {greedy}{missing_rows(found, 'greedy')}"


def heldout_title(found: Mapping[str, Any]) -> str:
    """`held-out reward`, or `reward on 20 rows (15 trained on)`."""
    return f"reward on {heldout_rows(found)}" if found.get("trained_on") else "held-out reward"


def heldout_rows(found: Mapping[str, Any]) -> str:
    """`20 held-out rows`; where some are trained on, `20 rows (15 trained on)`."""
    trained, count = found.get("trained_on"), found.get("rows")
    rows = f"{_held_out(found)}rows" if count is None else counted(count, f"{_held_out(found)}row")
    return f"{rows} ({'all' if trained == count else trained} trained on)" if trained else rows


def missing_rows(found: Mapping[str, Any], how: str = "sampled") -> str:
    """` (14 of 20 scored)`; nothing where every row has a reward, or a run of an earlier version does not say."""
    text = scored_text(found, how)
    return f" ({text} scored)" if text and _unscored(found, how) else ""


def scored_text(found: Mapping[str, Any], how: str = "sampled") -> str:
    """`14 of 20`; nothing where a run of an earlier version does not say."""
    return f"{found[_SCORED[how]]} of {found['rows']}" if {_SCORED[how], "rows"} <= found.keys() else ""


def heldout_notes(
    heldout: Mapping[str, Mapping[str, Any] | None] | None, compared: Mapping[str, Any] | None, *, examples: bool = True
) -> Iterator[str]:
    """Where rows have no reward: the rows compared that have one both times, and why the others have none."""
    results = [found for found in (heldout or {}).values() if found]
    if not any(_unscored(found, how) for found in results for how in _SCORED):
        return
    held_out = _held_out(results[0])
    for how, change in (compared or {}).items():
        if change:
            before, after, difference = (_mean(change[name]) for name in ("before", "after", "difference"))
            rows = f"the {change['rows']} of {heldout_rows({**results[0], 'rows': change['of']})} scored both times"
            yield f"On {rows}: {how} {before} before, {after} after, difference {difference}."
        else:
            yield f"No {held_out}row was scored both times ({how}), so before and after cannot be compared."
    yield from _causes(results, examples)


def _causes(results: list[Mapping[str, Any]], with_examples: bool) -> Iterator[str]:
    causes: Counter[str] = sum((Counter(found.get("errors") or {}) for found in results), Counter())
    examples = {cause: text for found in results for cause, text in (found.get("error_examples") or {}).items()}
    for cause, count in causes.most_common():
        example = f", e.g. {examples[cause]:.300}" if with_examples and cause in examples else ""
        yield f"Failed on {_held_out(results[0])}rows: {counted(count, 'episode')} by {cause}{example}"
    none = sum(_unscored(found, how) for found in results for how in _SCORED) - causes.total()
    if none > 0:
        yield f"Scoring gave None for {counted(none, f'{_held_out(results[0])}episode')}."


def _held_out(found: Mapping[str, Any]) -> str:
    """What rows are called of which none is trained on."""
    return "" if found.get("trained_on") else "held-out "


def _unscored(found: Mapping[str, Any], how: str) -> int:
    return int(found["rows"] - found[_SCORED[how]]) if scored_text(found, how) else 0


def _mean(found: Mapping[str, Any]) -> Mean:
    return Mean(found.get("mean"), found.get("low"), found.get("high"))
