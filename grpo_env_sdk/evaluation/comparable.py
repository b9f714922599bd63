"""What can be compared: a run, its path, or an evaluation, whether it has a run or kept its episodes in memory."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.result import Evaluation
from grpo_env_sdk.images.run_images import image_reference
from grpo_env_sdk.runs.reading import Run, open_run
from grpo_env_sdk.runs.record_line import record_line
from grpo_env_sdk.runs.record_shapes import read_record
from grpo_env_sdk.types import Episode

Comparable = Run | Evaluation | str | Path


class RunInMemory(Run):
    """The episodes of an evaluation without a folder, as they would be read from one."""

    def __init__(self, name: str, manifest: Mapping[str, Any], kept: Sequence[Episode]) -> None:
        super().__init__(Path(name), json.loads(json.dumps(manifest, default=repr)))
        self._kept = [Episode.from_json(read_record(record_line(one, image_reference)[1])) for one in kept]

    def episodes(self, images: bool = False) -> Iterator[Episode]:
        """Every episode, in the order in which they ended."""
        return iter(self._kept)


def run_of(given: Comparable) -> Run:
    """The run, or an error for anything that has none."""
    if isinstance(given, Run):
        return given
    if isinstance(given, str | Path):
        return open_run(given)
    if isinstance(given, Evaluation) and given.run is not None:
        return open_run(given.folder or given.run)
    if isinstance(given, Evaluation) and given.kept is not None and given.manifest is not None:
        return RunInMemory(f"{given.policy} on {given.env}", given.manifest, given.kept)
    if isinstance(given, Evaluation):
        raise UsageError(f"{given!r:.80} kept no episodes to compare.", "Use `evaluate`, or give `run` a writer.")
    what = "A run, its path or the result of `evaluate` can be compared"
    raise UsageError(f"{what}, not {given!r:.80}.", "Like compare('runs/before', 'runs/after').")
