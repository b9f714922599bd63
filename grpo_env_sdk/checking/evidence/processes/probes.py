"""The probes: fresh processes that import and build the environment while other checks run."""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.checking.evidence.processes.other_surroundings import KINDS, environ_of
from grpo_env_sdk.checking.evidence.processes.python_child import ChildCall
from grpo_env_sdk.checking.evidence.subject import Subject

HASH_SEEDS = {"quick": (1,), "default": (1,), "thorough": (1, 2, 3)}
"""The process under test has 0."""


def start_probes(subject: Subject) -> list["Probe"]:
    """The probes of this subject, started when first asked for."""
    return subject.once(("contract", "probes"), lambda: [Probe(subject, seed) for seed in HASH_SEEDS[subject.effort]])


class Probe:
    """One process with a hash seed, its own folder or the one given, and another time zone, rank, user and clock."""

    def __init__(
        self,
        subject: Subject,
        hash_seed: int,
        kinds: tuple[str, ...] = tuple(KINDS),
        files: Mapping[str, str] | None = None,
        folder: str | None = None,
    ) -> None:
        self.hash_seed = hash_seed
        self._seen: dict[str, Any] | None = None
        self._seconds = subject.settings.build_seconds
        order = {
            "entry_point": subject.spec.entry_point, "spec": subject.spec.as_json(),
            "tokenizer": subject.settings.model, "kinds": kinds, "files": dict(files or {}),
        }  # fmt: skip
        self._child = ChildCall(
            "grpo_env_sdk.checking.evidence.processes.import_probe", order, hash_seed, folder, environ_of(kinds)
        )

    @property
    def failure(self) -> str:
        """What ended it, for the end of a sentence."""
        return self._child.failure

    def seen(self) -> dict[str, Any]:
        """What it saw; nothing if it failed or took too long, which other checks report."""
        if self._seen is None:
            self._seen = self._child.answer(self._seconds) or {}
        return self._seen
