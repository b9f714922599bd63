"""An index of a run's episodes: their position in the file, and the columns of the viewer's table."""

import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from grpo_env_sdk.data.messages import answer_text, readable_text, tool_calls_of
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.images.image import data_url
from grpo_env_sdk.images.run_images import RunImageError, RunImages, references
from grpo_env_sdk.runs.counted_episodes import CountedEpisodes
from grpo_env_sdk.runs.provenance import provenance_notes
from grpo_env_sdk.runs.reading import EPISODES, Run, RunError, open_run
from grpo_env_sdk.runs.record_shapes import open_regular
from grpo_env_sdk.runs.running import is_running
from grpo_env_sdk.runs.training_progress import progress_of
from grpo_env_sdk.types import Episode

_BINS = 20
_SNIPPET = 120
_UNSEARCHED = ("role", "type", "id", "tool_call_id")
"""Keys of messages that a search ignores: else "user" would be found in every episode."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram of rewards, from the lowest possible to the highest."""

    low: float
    high: float
    counts: list[int]

    @classmethod
    def over(cls, rewards: Sequence[float], ends: tuple[float, float]) -> "Histogram":
        """The rewards in bins of equal width; an infinite end is replaced by the lowest or highest reward."""
        finite = [value for value in (*rewards, *ends) if math.isfinite(value)] or [0.0]
        histogram = cls(min(finite), max(finite), [0] * _BINS)
        for reward in rewards:
            histogram.counts[histogram.bin_of(reward)] += 1
        return histogram

    def bin_of(self, reward: float) -> int:
        """The bin of a reward."""
        return min(_BINS - 1, int((reward - self.low) / ((self.high - self.low) or 1.0) * _BINS))


class RunIndex:
    """Reads the file once for the table, and later what was added; an episode is read again when it is opened."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.kept = RunImages(run.path)
        self.table: list[dict[str, Any]] = []
        self._places: list[tuple[int, int, int]] = []
        """Where each line begins, its length, and a hash: what it was when it was checked."""
        self._counted, self._lines, self._end = CountedEpisodes(run.manifest), 0, 0
        """What counts of the lines so far, how many they are, and where they end."""
        self._metrics = Metrics.of_manifest(run.manifest)
        self._file: tuple[int, int] | None = None
        """Which file has the episodes; None where it is read from its beginning the next time."""
        self._read_on()

    def newest(self) -> "RunIndex":
        """The index of the run as it is now: this one with what was added, or a new one where earlier lines changed."""
        run = open_run(self.run.path)
        if run.manifest != self.run.manifest or self._file is None or self._file != _file_of(run):
            return RunIndex(run)
        try:
            if self._places:
                self.record(len(self._places) - 1)
        except RunError:
            return RunIndex(run)
        self._read_on()
        return self

    def _read_on(self) -> None:
        """Add the episodes after those that are known."""
        file, self._file = _file_of(self.run), None
        for line, episode in self.run.lines(self._end, self._lines + 1):
            start, self._end, self._lines = self._end, self._end + len(line), self._lines + 1
            if not self._counted.counts(episode):
                continue
            self._places.append((start, len(line), hash(line)))
            self._metrics.add(episode)
            self.table.append({"i": len(self.table)} | _table_row(episode))
        self._counted.note(self.run.path / EPISODES)
        rewards = [row["reward"] for row in self.table if row["reward"] is not None]
        self.histogram = Histogram.over(rewards, self._metrics.reward_range)
        for row in self.table:
            row["bin"] = None if row["reward"] is None else self.histogram.bin_of(row["reward"])
        self.summary = self._metrics.summary()
        self._file = file  # nothing failed

    def about(self) -> dict[str, Any]:
        """The data for the head of the page."""
        return {
            "path": str(self.run.path), "manifest": self.run.manifest, "summary": self.summary,
            "histogram": asdict(self.histogram), "running": is_running(self.run.path), "training": _training(self.run),
            "notes": provenance_notes(self.run.manifest),
        }  # fmt: skip

    def record(self, i: int) -> dict[str, Any]:
        """One episode."""
        return next(self._read(self._places[i : i + 1]))

    def records(self) -> Iterator[dict[str, Any]]:
        """Every episode, one at a time."""
        return self._read(self._places)

    def _read(self, places: Sequence[tuple[int, int, int]]) -> Iterator[dict[str, Any]]:
        """The episodes at these places, as long as they are what they were."""
        path = self.run.path / EPISODES
        try:
            with open_regular(path) as file:
                for start, size, kept in places:
                    file.seek(start)
                    line = file.read(size)
                    if hash(line) != kept:
                        raise ValueError("its episodes are others")
                    yield json.loads(line)
        except (OSError, ValueError) as exc:
            self._file = None
            raise RunError(f"{path} has changed since it was opened: {exc}.", "Load it again.") from exc

    def images(self) -> Iterator[tuple[str, str]]:
        """Every image of the episodes: its hash and a data URL; one that is missing or damaged is left out."""
        for name in sorted(set().union(*(references(record) for record in self.records()))):
            with suppress(RunImageError):
                yield name, data_url(self.kept.png(name))

    def search(self, text: str) -> list[int]:
        """The episodes with this text in a message, a tool call, the row or the error, ignoring case."""
        wanted = text.lower()
        return [i for i, record in enumerate(self.records()) if wanted in _searched(record).lower()]


def _file_of(run: Run) -> tuple[int, int] | None:
    try:
        state = os.lstat(run.path / EPISODES)
    except OSError:
        return None
    return state.st_dev, state.st_ino


def _training(run: Run) -> dict[str, Any] | None:
    """How far a training is; None where nothing says so."""
    with suppress(RunError):
        if progress := progress_of(run):
            return progress.as_json()
    return None


def _searched(record: dict[str, Any]) -> str:
    """The text that a search looks through; page.js has the same for an exported file."""
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
        "env": episode.env, "row": episode.row_index, "sample": episode.sample, "reward": episode.reward,
        "stop": episode.stop_reason,
        "turns": episode.turns, "calls": len(episode.tool_calls),
        "failed_calls": sum(call["error"] is not None for call in episode.tool_calls),
        "seconds": round(sum(episode.timings.values()), 3),
        "cause": f"{error.whose} {error.stage}: {error.type}" if error else None,
        "asked": _snippet(_question(episode)),
        "said": _snippet(f"{error.type}: {error.message}" if error else _last_answer(episode)),
    }  # fmt: skip


def _question(episode: Episode) -> str:
    """The last user message before the policy's first turn."""
    contents = [message.get("content") for message in episode.messages[: episode.opening] if message["role"] == "user"]
    return readable_text(contents[-1]) if contents else ""


def _last_answer(episode: Episode) -> str:
    """The last text of the policy, or its last tool calls if there is none."""
    messages = [message for message in episode.completion if message.get("role") == "assistant"]
    calls = tool_calls_of(messages[-1]) if messages else []
    return answer_text(messages) or " ".join(
        f"→ {call.name}({json.dumps(call.arguments, ensure_ascii=False)})" for call in calls
    )


def _snippet(text: str) -> str:
    return " ".join(text[: 10 * _SNIPPET].split())[:_SNIPPET]
