"""Writing a run: created, appended to and resumed; a crash never loses a finished episode."""

import json
import os
import shutil
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.files.whole_file import replace_file
from grpo_env_sdk.images.run_images import RunImages
from grpo_env_sdk.isolation.calls.command_process import in_folder_of_command
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.plain_text import command_line
from grpo_env_sdk.runs.changed_episodes import is_changed, what_changed, what_helps
from grpo_env_sdk.runs.continuing import RESUME_WITH
from grpo_env_sdk.runs.counted_episodes import CountedEpisodes
from grpo_env_sdk.runs.differences import differences, without_source
from grpo_env_sdk.runs.failed_episodes import move_failed
from grpo_env_sdk.runs.guarded_files import NOT_BEGUN, guarded, lock_run
from grpo_env_sdk.runs.integrity import SEAL, is_sealed, seal, sign_manifest
from grpo_env_sdk.runs.line_ends import end_of_lines
from grpo_env_sdk.runs.live_rows import LiveRows
from grpo_env_sdk.runs.new_folders import check_free
from grpo_env_sdk.runs.reading import EPISODES, MANIFEST, SUMMARY, Run, RunError
from grpo_env_sdk.runs.record_line import record_line
from grpo_env_sdk.runs.record_shapes import (
    MOST_BYTES,
    RefusedError,
    as_label,
    check_manifest,
    parsed,
    readable_summary,
    shown,
)
from grpo_env_sdk.types import Episode

_SYNC_EVERY = 64
_SYNC_SECONDS = 1.0


class RunWriter:
    """Appends episodes to a run, which it locks; use it as a context manager."""

    def __init__(self, run: Run, lock: Any, is_new: bool = False, vouches: bool = True, seals: bool = True) -> None:
        """`vouches` is whether nobody else can have written any of the episodes, and `seals` whether to seal them."""
        self.run = run
        self._counted = self._episodes_so_far()
        self.live_rows = LiveRows(run.folder)
        """Which rows environment code works on, for threads that run it."""
        self._is_new = is_new
        self._vouches, self._seals = vouches, seals
        self._has_summary = False
        """Whether the summary on disk is of the episodes on disk."""
        self._lock = lock
        self._file = guarded(run.path, lambda: (run.folder / EPISODES).open("ab", buffering=0))
        self._known = os.fstat(self._file.fileno())
        self._size = self._known.st_size
        """What the file of episodes has with all that was written to it here."""
        self._unsynced, self._synced_at = 0, time.monotonic()

    def append(self, episode: Episode) -> Episode:
        """Write an episode as one line, after the images that it shows; what was written, which may be an error."""
        if why := self._counted.why_not(episode):
            raise RunError(
                f"No reader of {str(self.run.path)!r} would count sample {episode.sample} of row {episode.row_index}: "
                f"it is {why}.",
                "Give each step a run; or plan the samples of all, EvalPlan(samples=...), and number them on.",
            )
        try:
            kept: Episode = guarded(self.run.path, lambda: self._append(episode))
        finally:  # where it is gone, that is why anything failed
            self.check_there()
        return kept

    def cut(self, belongs: Callable[[Episode], bool]) -> None:
        """Remove the episodes from the first one on that does not belong to the run any more."""
        kept = 0
        for line, episode in self.run.lines():
            if not belongs(episode):
                self._size = guarded(self.run.path, partial(self._file.truncate, kept))
                self._counted = self._episodes_so_far()
                return
            kept += len(line)

    def _episodes_so_far(self) -> CountedEpisodes:
        return CountedEpisodes(self.run.manifest, (episode for _, episode in self.run.lines()))

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary, once no environment code works any more."""
        self.check_there()
        self.live_rows.close()  # where files run out, this leaves one for the summary
        kept = readable_summary(summary)
        for name in ("by", "error_examples", "metrics"):
            if _is_too_large(kept):
                kept.pop(name, None)
        if lost := [f"{key} ({shown(value)})" for key, value in summary.items() if as_label(str(key)) not in kept]:
            left_out = f"what is too large or could not be read again: {', '.join(lost)}"
            told = f"The summary of {self.run.path} is written without {left_out}."
            warnings.warn(f"{told} `Metrics.summary` gives values that can be.", GrpoEnvWarning, stacklevel=2)
        guarded(self.run.path, lambda: write_whole(self.run.folder / SUMMARY, kept))
        self._has_summary = True

    def keep(self) -> None:
        """The folder has something of worth by now: from here on it stays, whatever happens."""
        self._is_new = False

    @property
    def stays(self) -> bool:
        """Whether the folder is left where this fails: not that of a new run in which no episode ended."""
        return not (self._is_new and self._is_there() and (self.run.folder / EPISODES).stat().st_size == 0)

    def check_there(self) -> None:
        """Raise where the run's folder was deleted or moved meanwhile."""
        if not self._is_there():
            raise RunError(
                f"{str(self.run.path)!r} was deleted or moved while it was written.",
                "Begin again; where it was moved, go on with --resume and its new place.",
            )

    def _is_there(self) -> bool:
        """Whether the path still leads to the folder that is written: another run may have taken its place."""
        try:
            found = os.stat(self.run.folder / EPISODES)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return os.path.samestat(found, self._known) and (self.run.folder / MANIFEST).is_file()

    def close(self) -> None:
        """Release the run, with everything on disk."""
        self.live_rows.close()
        with self._lock, self._file:
            guarded(self.run.path, self._sync)
            self._check_ours()
            if self._seals and self.run.own:
                self.check_there()
                vouched, seen = [[EPISODES], []] if self._vouches else [[], [EPISODES]]
                seen += [SUMMARY] * self._has_summary
                guarded(self.run.path, lambda: seal(self.run.folder, vouched, seen))

    def _check_ours(self) -> None:
        """Raise where the file has more or less than what was written here: it may have records of somebody else."""
        if (size := os.fstat(self._file.fileno()).st_size) != self._size:
            raise RunError(
                f"Something else wrote to {str(self.run.path / EPISODES)!r}: it has {size} bytes, not {self._size}. "
                "Code of the environment can do that unless it is in a sandbox.",
                "Do not use this run; play it again, with --env-pool sandbox where you do not trust that code.",
            )

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(self, kind: object, exc: object, trace: object) -> None:
        try:
            self.close()
        except RunError:  # of the disk that has ended it, as a rule
            if exc is None:
                raise
        if exc is not None and not self.stays:
            shutil.rmtree(self.run.folder, ignore_errors=True)

    def _append(self, episode: Episode) -> Episode:
        kept, line = record_line(episode, RunImages(self.run.folder).reference)
        self._write(line)
        self._counted.add(episode)
        self._sync_now_and_then()
        return kept

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                written = self._file.write(rest)
                self._size += written
                rest = rest[written:]
        except OSError:  # a part of a line would spoil the next one
            if part := len(line) - len(rest):
                self._size -= part
                self._file.truncate(os.fstat(self._file.fileno()).st_size - part)
            raise

    def _sync_now_and_then(self) -> None:
        self._unsynced += 1
        if self._unsynced >= _SYNC_EVERY or time.monotonic() - self._synced_at > _SYNC_SECONDS:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced, self._synced_at = 0, time.monotonic()


def create_run(folder: Path, manifest: Mapping[str, Any]) -> RunWriter:
    """A new run in a folder that does not exist yet or is empty."""
    check_free(folder)
    there = in_folder_of_command(folder)
    guarded(folder, lambda: there.mkdir(parents=True, exist_ok=True), NOT_BEGUN)
    lock = lock_run(folder)
    try:
        check_free(folder, is_locked=True)  # another process may have begun and ended a run there meanwhile
    except RunError:
        lock.close()
        raise
    try:
        kept = sign_manifest(manifest)
        _check_readable(kept)
        guarded(folder, lambda: write_whole(there / MANIFEST, kept), NOT_BEGUN)
        return RunWriter(Run(folder, kept), lock, is_new=True)
    except RunError:
        lock.close()
        shutil.rmtree(there, ignore_errors=True)  # it was new or empty
        raise


def resume_run(run: Run, manifest: Mapping[str, Any], force: bool = False, retry_failed: bool = False) -> RunWriter:
    """The run, ready to be resumed; a `RunError` if what it measures has changed, unless forced.

    Another environment is refused even so: its episodes would be counted with those that are there.
    """
    run.check_files()
    if (kept := run.manifest.get("env")) != (env := manifest.get("env")):
        raise RunError(f"{str(run.path)!r} is a run of {kept!r:.100}, not of {env!r:.100}.", "Take another --out.")
    changed = differences(run.manifest, manifest)
    lock = lock_run(run.path)
    try:
        complete = guarded(run.path, lambda: end_of_lines(run.folder / EPISODES))
    except BaseException:
        lock.close()
        raise
    intact, changed_since = run.own and is_sealed(run.folder, [EPISODES]), is_changed(run)
    try:
        if changed_since:
            warnings.warn(f"{what_changed(run)}. {what_helps(run)}.", GrpoEnvWarning, stacklevel=2)
        if changed and not force:
            by_force = command_line("eval", "--resume", run.path, "--force")
            raise RunError(
                f"{str(run.path)!r} cannot be resumed: {'; '.join(changed)}.",
                "Take another --out."
                if "policy_object" in manifest
                else f"`{by_force}` resumes it anyway, and records the change.",
            )
        if changed:
            revise(run, forced=[*run.manifest.get("forced", ()), {"at": manifest["created"], "differences": changed}])
        elif unknown := without_source(manifest):
            told = f"{unknown} has no source that can be found, so nobody knows whether it is as {run.path} began"
            warnings.warn(f"{told}. Put it into a module.", GrpoEnvWarning, stacklevel=3)
        if (flags := manifest.get(RESUME_WITH, {})) != run.manifest.get(RESUME_WITH, {}):
            revise(run, **{RESUME_WITH: flags})
        if not changed_since:  # it is written again at the end: this process may be killed
            guarded(run.path, lambda: (run.folder / SEAL).unlink(missing_ok=True))
        if complete is not None:
            guarded(run.path, lambda: os.truncate(run.folder / EPISODES, complete))
        if retry_failed:
            guarded(run.path, lambda: move_failed(run))
        return RunWriter(run, lock, vouches=intact, seals=not changed_since)
    except BaseException:
        lock.close()
        raise


def check_idle(run: Run) -> None:
    """Raise where another process writes to a run."""
    lock_run(run.path).close()


def revise(run: Run, **changes: Any) -> None:
    """Change what the manifest of a run says; it stays one's own where it is."""
    own = run.own
    run.manifest |= changes
    run.manifest = sign_manifest(run.manifest) if own else run.manifest
    guarded(run.path, lambda: write_whole(run.folder / MANIFEST, run.manifest))


def write_whole(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file atomically: a reader sees the old content or the new, never a part."""
    replace_file(path, f"{_text(data)}\n".encode("utf-8", "backslashreplace"))


def _check_readable(manifest: Mapping[str, Any]) -> None:
    """Raise where the run could not be opened again."""
    try:
        if _is_too_large(manifest):
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MiB")
        check_manifest(parsed(_text(manifest).encode("utf-8", "backslashreplace")))
    except ValueError as exc:
        key = exc.key if isinstance(exc, RefusedError) else "config"
        of_config = "Give the environment a smaller and plainer config."
        raise RunError(
            f"A run of {manifest.get('env')!r:.100} could not be opened again, by its manifest: {exc}.",
            of_config if key == "config" else f"Give {key} such a value.",
        ) from exc


def _is_too_large(data: Mapping[str, Any]) -> bool:
    return len(_text(data).encode("utf-8", "backslashreplace")) >= MOST_BYTES


def _text(data: Mapping[str, Any]) -> str:
    return redacted(json.dumps(data, ensure_ascii=False, indent=2, default=repr))
