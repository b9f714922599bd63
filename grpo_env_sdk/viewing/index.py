"""Where each record of a run stands in its file, and the little of it that a table shows."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grpo_env_sdk.data.messages import answer_text, tool_calls_of
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.runs import EPISODES, Run
from grpo_env_sdk.types import Episode

_BINS = 20
_SNIPPET = 120
_UNSEARCHED = ("role", "type", "id", "tool_call_id")
"""Keys of a chat whose values every record has; a search for "user" is for what somebody wrote."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How rewards are spread, from the lowest possible to the highest."""

    low: float
    high: float
    counts: list[int]

    @classmethod
    def over(cls, rewards: Sequence[float], ends: tuple[float, float]) -> "Histogram":
        """The rewards in bars of equal width; an end that is infinite gives way to what there is."""
        finite = [value for value in (*rewards, *ends) if math.isfinite(value)] or [0.0]
        made = cls(min(finite), max(finite), [0] * _BINS)
        for reward in rewards:
            made.counts[made.bin_of(reward)] += 1
        return made

    def bin_of(self, reward: float) -> int:
        """Which bar a reward stands in."""
        return min(_BINS - 1, int((reward - self.low) / ((self.high - self.low) or 1.0) * _BINS))


class RunIndex:
    """Reads the file once; whole records are read again when somebody opens them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.table: list[dict[str, Any]] = []
        self._places: list[tuple[int, int]] = []
        metrics = Metrics.of_manifest(run.manifest)
        start = 0
        for line in run.lines():
            episode = Episode.from_json(json.loads(line))
            self._places.append((start, len(line)))
            start += len(line)
            metrics.add(episode)
            self.table.append({"i": len(self.table)} | _table_row(episode))
        self.summary = metrics.summary()
        self.histogram = Histogram.over(
            [row["reward"] for row in self.table if row["reward"] is not None], metrics.reward_range
        )
        for row in self.table:
            row["bin"] = None if row["reward"] is None else self.histogram.bin_of(row["reward"])

    def about(self) -> dict[str, Any]:
        """What the head of the page says of the run."""
        return {
            "path": str(self.run.path), "manifest": self.run.manifest, "summary": self.summary,
            "histogram": asdict(self.histogram),
        }  # fmt: skip

    def record(self, i: int) -> dict[str, Any]:
        """One record."""
        start, size = self._places[i]
        with (self.run.path / EPISODES).open("rb") as file:
            file.seek(start)
            return _read(file.read(size))

    def search(self, text: str) -> list[int]:
        """Which records have the text in a message, a tool call, the row or the error, in upper or lower case."""
        wanted = text.lower()
        with (self.run.path / EPISODES).open("rb") as file:
            records = (_read(file.read(size)) for _, size in self._places)
            return [i for i, record in enumerate(records) if wanted in _searched(record).lower()]


def _read(line: bytes) -> dict[str, Any]:
    """A record as JSON can carry it: NaN and Infinity, which a browser refuses to read, become text."""
    record: dict[str, Any] = json.loads(line, parse_constant=str)
    return record


def _searched(record: dict[str, Any]) -> str:
    """Everything that a search looks through; page.js has the same for a file that stands alone."""
    error = list((record.get("error") or {}).values())
    return "\n".join(_texts([record["messages"], record["tool_calls"], record["row"], error]))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = [item for key, item in value.items() if key not in _UNSEARCHED]
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def _table_row(episode: Episode) -> dict[str, Any]:
    error = episode.error
    return {
        "row": episode.row_index, "sample": episode.sample, "reward": episode.reward, "stop": episode.stop_reason,
        "turns": episode.turns, "calls": len(episode.tool_calls),
        "failed_calls": sum(call["error"] is not None for call in episode.tool_calls),
        "seconds": round(sum(episode.timings.values()), 3),
        "cause": f"{error.whose} {error.stage}: {error.type}" if error else None,
        "asked": _snippet(_asked(episode)),
        "said": _snippet(f"{error.type}: {error.message}" if error else _last_words(episode)),
    }  # fmt: skip


def _asked(episode: Episode) -> str:
    """The last thing that the user said before the policy began."""
    asked = [message.get("content") for message in episode.messages[: episode.opening] if message["role"] == "user"]
    last = asked[-1] if asked else ""
    return last if isinstance(last, str) else json.dumps(last, ensure_ascii=False)


def _last_words(episode: Episode) -> str:
    """The last text of the policy, or the calls it made in place of one."""
    said = [message for message in episode.completion if message.get("role") == "assistant"]
    calls = tool_calls_of(said[-1]) if said else []
    return answer_text(said) or " ".join(
        f"→ {call.name}({json.dumps(call.arguments, ensure_ascii=False)})" for call in calls
    )


def _snippet(text: str) -> str:
    return " ".join(text[: 10 * _SNIPPET].split())[:_SNIPPET]
