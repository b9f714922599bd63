"""Where each record of a run stands in its file, and the little of it that a table shows."""

import json
from pathlib import Path
from typing import Any

from grpo_env_sdk.messages import full_text
from grpo_env_sdk.runs import EPISODES, Run
from grpo_env_sdk.tally import Tally

_SNIPPET = 120


class RunIndex:
    """Reads the file once; whole records are read again when somebody opens them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.table: list[dict[str, Any]] = []
        self._places: list[tuple[int, int]] = []
        low, high = run.manifest["reward_range"]
        tally = Tally((low, high))
        start = 0
        for line, episode in zip(run.lines(), run.episodes(), strict=True):
            self._places.append((start, len(line)))
            start += len(line)
            tally.add(episode)
            said = [message for message in episode.completion if message.get("role") == "assistant"]
            self.table.append({
                "i": len(self.table), "row": episode.row_index, "sample": episode.sample,
                "reward": episode.reward, "stop": episode.stop_reason, "turns": episode.turns,
                "calls": len(episode.tool_calls), "seconds": round(sum(episode.timings.values()), 3),
                "error": f"{episode.error.type}: {episode.error.message}"[:_SNIPPET] if episode.error else None,
                "said": full_text(said[-1:])[:_SNIPPET],
            })  # fmt: skip
        self.summary = tally.summary()

    def about(self) -> dict[str, Any]:
        """What the head of the page says of the run."""
        return {"path": str(self.run.path), "manifest": self.run.manifest, "summary": self.summary}

    def line(self, i: int) -> bytes:
        """The JSON of one record."""
        start, size = self._places[i]
        with (self.run.path / EPISODES).open("rb") as file:
            file.seek(start)
            return file.read(size)

    def record(self, i: int) -> dict[str, Any]:
        """One record."""
        found: dict[str, Any] = json.loads(self.line(i))
        return found

    def search(self, text: str) -> list[int]:
        """Which records have the text anywhere in them, upper and lower case alike."""
        wanted = json.dumps(text, ensure_ascii=False)[1:-1].casefold()
        found = []
        with Path(self.run.path / EPISODES).open("rb") as file:
            for i, (_, size) in enumerate(self._places):
                if wanted in file.read(size).decode("utf-8", "replace").casefold():
                    found.append(i)
        return found
