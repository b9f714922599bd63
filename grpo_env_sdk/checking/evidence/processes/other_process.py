"""Episodes played in another process, with another hash seed and, if possible, without building the dataset."""

import base64
import contextlib
import copy
import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grpo_env_sdk.checking.evidence.attempts.answers import MOST_TURNS, Answer, play
from grpo_env_sdk.checking.evidence.playing.machine_load import busy
from grpo_env_sdk.checking.evidence.processes.asked_files import AskedFiles, create_files
from grpo_env_sdk.checking.evidence.processes.other_surroundings import KINDS, enter, environ_of
from grpo_env_sdk.checking.evidence.processes.python_child import ChildCall, read_order, send_answer
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import plain
from grpo_env_sdk.types import EnvSpec, Episode, Row

HASH_SEED = 4321
_LEAST_SECONDS, _MOST_BUSY = 20.0, 4.0
"""So long is waited for it where nothing else runs, and so many times longer on a busy machine."""


def play_in_other_process(
    subject: Subject, answers: Sequence[Answer], files: Mapping[str, str] | None = None
) -> list[tuple[Answer, Episode]] | None:
    """Each answer with the episode that another process played; None if that process failed."""
    subject.note_stage("another process")
    return PlayedElsewhere(subject, answers, files).episodes()


class PlayedElsewhere:
    """Answers that another process plays meanwhile."""

    def __init__(
        self,
        subject: Subject,
        answers: Sequence[Answer],
        files: Mapping[str, str] | None = None,
        kinds: Sequence[str] = tuple(KINDS),
    ) -> None:
        self.answers = answers
        self.asked: list[str] = []
        """The missing files that its code asked for, once the episodes are there."""
        self._child = _started(subject, answers, files or {}, tuple(kinds))

    @property
    def failure(self) -> str:
        """What ended it, for the end of a sentence."""
        return self._child.failure if self._child else ""

    def episodes(self) -> list[tuple[Answer, Episode]] | None:
        """Each answer with its episode; None if that process failed."""
        found = self._child.answer(_LEAST_SECONDS * busy(_MOST_BUSY)) if self._child else None
        if found is None:
            return None
        self.asked = found["asked"]
        return list(zip(self.answers, map(Episode.from_json, found["episodes"]), strict=False))


def _started(
    subject: Subject, answers: Sequence[Answer], files: Mapping[str, str], kinds: tuple[str, ...]
) -> ChildCall | None:
    rows = {item.row: subject.row(item.row) for item in answers}
    payload = b""
    with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
        payload = pickle.dumps((list(answers), rows, subject.settings))  # rows may hold what JSON cannot
    if not payload:
        return None
    builds = subject.traits.instances != "constructed"  # an instance that scores every episode has built its rows
    sent = {"builds": builds, "files": dict(files), "kinds": kinds, "payload": base64.b64encode(payload).decode()}
    folder = os.getcwd() if subject.needs_folder else None  # or else one of its own
    module = "grpo_env_sdk.checking.evidence.processes.other_process"
    return ChildCall(module, {"spec": subject.spec.as_json(), **sent}, HASH_SEED, folder, environ_of(kinds))


def main() -> None:
    """Play what the order says, and answer with the episodes."""
    order = read_order()
    root = os.path.dirname(order["answer_file"])
    enter(order["kinds"], root)
    create_files(order["files"], root)
    asked = AskedFiles(order["spec"]["entry_point"])
    answers, rows, settings = pickle.loads(base64.b64decode(order["payload"]))
    subject = Subject(EnvSpec.from_json(order["spec"]), settings)
    subject.limits = replace(subject.limits, turns=MOST_TURNS)
    if order["builds"]:
        _ = subject.loaded.rows("all")
    subject.once("rows", lambda: _SentRows(rows))
    episodes = [plain(episode.as_json()) for _, episode in play(subject, answers)]
    subject.close()
    send_answer(order, {"episodes": episodes, "asked": asked.names})


class _SentRows:
    """The rows from the order, a copy for each episode."""

    def __init__(self, rows: dict[int, Row]) -> None:
        self._rows = rows
        self.indices = sorted(rows)

    def row(self, index: int) -> Row:
        """The row of this index."""
        return copy.deepcopy(self._rows[index])


if __name__ == "__main__":
    main()
