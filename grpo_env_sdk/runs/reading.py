"""A run on disk, opened for reading: a manifest, one line per episode, and a summary."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import GrpoEnvError, did_you_mean
from grpo_env_sdk.files.path_errors import next_step, short_path
from grpo_env_sdk.images.run_images import RunImages
from grpo_env_sdk.isolation.calls.command_process import in_folder_of_command
from grpo_env_sdk.plain_text import command_line
from grpo_env_sdk.runs.counted_episodes import CountedEpisodes
from grpo_env_sdk.runs.integrity import is_own, strays
from grpo_env_sdk.runs.record_shapes import (
    MOST_LINE,
    check_manifest,
    check_summary,
    open_regular,
    read_data,
    read_record,
)
from grpo_env_sdk.types import Episode

MANIFEST = "manifest.json"
EPISODES = "episodes.jsonl"
SUMMARY = "summary.json"
LIST = "evaluations.json"
"""In a folder of several runs: those of one command."""
FORMAT = "run-v1"


class RunError(GrpoEnvError, OSError):
    """A run that cannot be read, written or resumed."""


class NoRunError(RunError):
    """A folder that is no run."""


class Run:
    """A run opened for reading."""

    def __init__(
        self, path: Path, manifest: dict[str, Any], end: int | None = None, folder: Path | None = None
    ) -> None:  # fmt: skip
        """`end` is the size of its file of episodes, of which no more is read; None reads all that is there.

        `folder` is where the path leads; None takes it from the folder in which the command began.
        """
        self.path = path
        """As the user wrote it, to be shown."""
        self.folder = folder or in_folder_of_command(path)
        """The same as a whole path, to be read and written: environment code may change the working directory."""
        self.manifest = manifest
        self._end = end

    def __repr__(self) -> str:
        environments = ", ".join(self.environments)
        return f"<Run {self.path}: {self.manifest.get('policy')} on {environments}, {self.manifest.get('created')}>"

    def as_of_now(self) -> "Run":
        """The run with the episodes that it has now, however many another process adds later."""
        try:
            end = os.lstat(self.folder / EPISODES).st_size
        except FileNotFoundError:
            end = 0
        return Run(self.path, self.manifest, end, self.folder)

    @property
    def own(self) -> bool:
        """Whether this user has written it, and nobody has changed its manifest since."""
        return is_own(self.folder, self.manifest)

    @property
    def environments(self) -> list[str]:
        """The environments of a training, or the one of any other run."""
        names = list(self.manifest.get("environments", ()))
        return names if len(names) > 1 else [self.manifest["env"]]

    def check_files(self) -> None:
        """Raise where what is written to the folder, or copied from it, would be a file elsewhere."""
        if found := strays(self.folder):
            raise RunError(
                f"{str(self.path)!r} cannot be used: {found[0]}.", "Put the file itself there, or remove it."
            )

    def episodes(self, images: bool = False) -> Iterator[Episode]:
        """Every episode that counts, in the order in which they ended; an incomplete last line is ignored.

        `images` puts Pillow's images in place of the references to them.
        """
        restored, known = RunImages(self.folder).restored, CountedEpisodes(self.manifest)
        for _, one in self.lines():
            if known.counts(one):
                yield replace(one, row=restored(one.row), messages=restored(one.messages)) if images else one
        known.note(self.path / EPISODES)

    def lines(self, start: int = 0, number: int = 1) -> Iterator[tuple[bytes, Episode]]:
        """The complete lines of `episodes.jsonl` and their episodes; a line that is not an episode is an error.

        `start` is where to begin in the file, and `number` that of the line there.
        """
        path = self.path / EPISODES
        if not os.path.lexists(self.folder / EPISODES):
            return
        try:
            file = open_regular(self.folder / EPISODES)
        except (OSError, ValueError) as exc:
            raise _unreadable(path, exc) from exc
        with file:
            file.seek(start)
            for at, line in enumerate(iter(partial(file.readline, MOST_LINE + 1), b""), number):
                if not line.endswith(b"\n") and len(line) <= MOST_LINE:
                    return
                if self._end is not None and file.tell() > self._end:
                    return
                yield line, _episode(line, f"{path}:{at}")

    def summary(self) -> dict[str, Any] | None:
        """The content of `summary.json`, or None if the run has not finished."""
        path = self.path / SUMMARY
        if not os.path.lexists(self.folder / SUMMARY):
            return None
        try:
            found: dict[str, Any] = read_data(self.folder / SUMMARY)
            check_summary(found)
        except (OSError, ValueError) as exc:
            raise _unreadable(path, exc, "Restore or remove it: resuming an evaluation writes it again.") from exc
        return found


def open_run(path: str | Path) -> Run:
    """The run in a folder, or a `RunError` if the folder has none."""
    folder = Path(path)
    try:
        manifest = read_data(in_folder_of_command(folder) / MANIFEST)
        if isinstance(manifest, dict) and manifest.get("format", FORMAT) == FORMAT and "env" in manifest:
            check_manifest(manifest)
    except (FileNotFoundError, NotADirectoryError) as exc:
        raise _no_run(folder) from exc
    except (OSError, ValueError) as exc:
        raise RunError(
            f"The manifest of {short_path(path)} cannot be read: {_reason(exc)}.",
            next_step(exc, "Restore or remove it."),
        ) from exc
    if not isinstance(manifest, dict) or "env" not in manifest or manifest.get("format", FORMAT) != FORMAT:
        raise NoRunError(
            f"{short_path(path)} is not a run: its {MANIFEST} has another format.", "`grpo-env runs` lists them."
        )
    return Run(folder, manifest)


def list_runs(folder: Path, on_damaged: Callable[[RunError], None] | None = None) -> list[Run]:
    """Every run in a folder, and in those below it that one command filled with runs, the oldest first.

    Other folders are ignored, and so is a run that cannot be opened.
    """
    try:
        os.listdir(os.path.join(folder, "."))  # where it cannot be entered, `glob` would find nothing
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as exc:
        raise RunError(f"{short_path(folder)} cannot be read: {_reason(exc)}.", next_step(exc)) from exc
    found = []
    several = [listed.parent for listed in folder.glob(f"*/{LIST}")]
    for manifest in chain.from_iterable(parent.glob(f"*/{MANIFEST}") for parent in (folder, *several)):
        try:
            found.append(open_run(manifest.parent))
        except NoRunError:
            continue
        except RunError as exc:
            if on_damaged is not None:
                on_damaged(exc)
    return sorted(found, key=lambda run: (str(run.manifest.get("created", "")), run.path.name))


def _no_run(folder: Path) -> RunError:
    """The error for a folder without a manifest, or for a path that is no folder."""
    hint = "`grpo-env runs` lists them."
    if (in_folder_of_command(folder) / LIST).is_file():
        hint = f"`{command_line('runs', '--dir', folder)}` lists them."
        return NoRunError(f"{short_path(folder)} is not one run: it has the runs of several environments.", hint)
    if os.path.isdir(folder):
        return NoRunError(f"{short_path(folder)} is not a run: it has no {MANIFEST}.", hint)
    near: list[str] = []
    with suppress(RunError):
        near = [str(run.path) for run in list_runs(folder.parent)]
    return NoRunError(f"There is no run {short_path(folder)}.", did_you_mean(str(folder), near) or hint)


def _episode(line: bytes, where: str) -> Episode:
    try:
        return Episode.from_json(read_record(line))
    except ValueError as exc:
        hint = "If the file was edited, remove that line."
        raise RunError(f"{where} is not an episode: {_reason(exc)}.", hint) from exc


def _unreadable(path: Path, exc: Exception, hint: str = "Restore or remove it.") -> RunError:
    return RunError(f"{path} cannot be read: {_reason(exc)}.", next_step(exc, hint))


def _reason(exc: Exception) -> str:
    text = (exc.strerror if isinstance(exc, OSError) else None) or str(exc)
    return " ".join(text.split())[:200]
