"""The episodes of runs as a flat table, one row for each: for a warehouse, a data frame or a spreadsheet."""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from grpo_env_sdk.data.messages import answer_text, readable_text, sendable
from grpo_env_sdk.data.quiet_reading import quiet_reading
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.measured import measured
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import Episode, canonical_json, row_hash

_FORMATS = (".parquet", ".csv", ".jsonl")
_COLUMNS = {
    "env": "string", "distribution": "string", "version": "string", "source_hash": "string", "config": "string",
    "policy": "string", "run": "string", "split": "string", "seed": "int64", "samples": "int64",
    "row_index": "int64", "sample": "int64", "row_hash": "string",
    "reward": "float64", "stop_reason": "string", "error": "string", "error_message": "string",
    "turns": "int64", "tool_calls": "int64", "failed_tool_calls": "int64", "env_retries": "int64",
    "prompt_tokens": "int64", "completion_tokens": "int64", "seconds": "float64",
    "prompt": "string", "answer": "string", "row": "string",
}  # fmt: skip
"""The columns of every table and their types; after them come `reward/NAME` and `metric/NAME`, which are numbers."""


def table_of_run(run: Run) -> list[dict[str, Any]]:
    """The episodes of a run as flat rows, with the same columns in each."""
    return table_of_runs([run])


def table_of_runs(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """The episodes of several runs as one table, run by run."""
    return _with_all_columns(row for run in runs for row in _rows(run.episodes(), run.manifest, run=str(run.path)))


def table_of(episodes: Iterable[Episode], manifest: Mapping[str, Any], **about: str | None) -> list[dict[str, Any]]:
    """The episodes as flat rows by row and sample; `manifest` and `about` say what all of them are of."""
    return _with_all_columns(_rows(episodes, manifest, **about))


def _rows(episodes: Iterable[Episode], manifest: Mapping[str, Any], **about: str | None) -> Iterator[dict[str, Any]]:
    known: dict[str, dict[str, Any]] = {}
    for episode in sorted(episodes, key=lambda one: (one.row_index, one.sample)):
        if episode.env not in known:
            own = measured(manifest, episode.env)
            config = None if own["config"] is None else _json_text(own["config"])
            known[episode.env] = {"policy": manifest.get("policy"), **own, "config": config, **about}
        yield {**known[episode.env], **_flat(episode)}


def _with_all_columns(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with every column that one of them has."""
    kept = list(rows)
    more = sorted({name for row in kept for name in row} - {*_COLUMNS})
    return [{name: row.get(name) for name in (*_COLUMNS, *more)} for row in kept]


def ending_of(name: str) -> str:
    """The ending of the name of a table's file, which says how it is written."""
    ending = Path(name).suffix.lower()
    if ending not in _FORMATS:
        raise UsageError(f"A table's file ends with {' or '.join(_FORMATS)}, got {name!r:.80}.", "Like table.parquet.")
    return ending


def written_table(rows: list[dict[str, Any]], ending: str) -> bytes:
    """A table as the content of a file whose name ends with `.parquet`, `.csv` or `.jsonl`."""
    if ending == ".jsonl":
        return "".join(json.dumps(_finite(row), ensure_ascii=False) + "\n" for row in rows).encode()
    if ending == ".csv":
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().encode()
    from datasets import Dataset, Features, Value

    with quiet_reading():
        features = Features({name: Value(_COLUMNS.get(name, "float64")) for name in rows[0]})
        content = io.BytesIO()
        Dataset.from_list(rows, features=features).to_parquet(content)
    return content.getvalue()


def _flat(episode: Episode) -> dict[str, Any]:
    error, usage = episode.error, episode.usage
    opening = (readable_text(message.get("content")) for message in episode.messages[: episode.opening])
    row = {
        "env": episode.env, "version": episode.version,
        "row_index": episode.row_index, "sample": episode.sample, "row_hash": f"{row_hash(episode.row):016x}",
        "reward": episode.reward, "stop_reason": episode.stop_reason,
        "error": f"{error.whose} {error.stage}: {error.type}" if error else None,
        "error_message": error.message if error else None,
        "turns": episode.turns, "tool_calls": len(episode.tool_calls),
        "failed_tool_calls": sum(call["error"] is not None for call in episode.tool_calls),
        "env_retries": episode.env_retries, "prompt_tokens": usage.get("prompt_tokens"),
        "completion_tokens": usage.get("completion_tokens"), "seconds": sum(episode.timings.values()),
        "prompt": "\n".join(opening), "answer": answer_text(episode.completion), "row": _json_text(episode.row),
    }  # fmt: skip
    row |= {f"reward/{name}": value for name, value in episode.rewards.items()}
    row |= {f"metric/{name}": float(value) for name, value in episode.metrics.items()}
    return {name: sendable(value) if isinstance(value, str) else value for name, value in row.items()}


def _json_text(value: Any) -> str:
    """JSON that every reader takes: NaN and Infinity are text."""
    return canonical_json(json.loads(canonical_json(value), parse_constant=str))


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """The row with nothing in place of numbers that JSON has not."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }
