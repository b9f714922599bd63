"""Episodes played in another process: what they came to, with another hash seed and, if may be, no dataset built."""

import contextlib
import copy
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace

from grpo_env_sdk.checking.evidence.answers import MOST_TURNS, Said, play
from grpo_env_sdk.checking.evidence.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import plain
from grpo_env_sdk.types import EnvSpec, Episode, Row

HASH_SEED = "4321"
_LEAST_SECONDS = 20.0


def play_elsewhere(subject: Subject, said: Sequence[Said]) -> list[tuple[Said, Episode]] | None:
    """Each answer with the episode that another process played; None where that process did not come through."""
    with tempfile.NamedTemporaryFile(prefix="elsewhere-", suffix=".json") as out:
        rows = {item.row: subject.row(item.row) for item in said}
        order = {
            "sys_path": sys.path, "folder": os.getcwd(), "spec": subject.spec.as_json(), "out": out.name,
            "tokenizer": subject.tokenizer is not None, "said": list(said), "rows": rows, "settings": subject.settings,
        }  # fmt: skip
        command = [sys.executable, "-P", "-m", "grpo_env_sdk.checking.evidence.other_process"]
        subject.tell("another process")
        with contextlib.suppress(subprocess.TimeoutExpired, pickle.PicklingError, TypeError, AttributeError):
            subprocess.run(
                command, input=pickle.dumps(order), env=os.environ | {"PYTHONHASHSEED": HASH_SEED},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_LEAST_SECONDS,
            )  # fmt: skip
        text = out.read()
    if not text:
        return None
    return list(zip(said, map(Episode.from_json, json.loads(text)), strict=False))


def main() -> None:
    """Read the order from stdin, play, and write the episodes to the file that it names."""
    order = pickle.loads(sys.stdin.buffer.read())
    sys.path[:] = order["sys_path"]
    os.chdir(order["folder"])
    subject = Subject(EnvSpec.from_json(order["spec"]), order["settings"])
    subject.limits = replace(subject.limits, turns=MOST_TURNS)
    subject.tokenizer = StandInTokenizer() if order["tokenizer"] else None
    if subject.traits.instances != "constructed":
        _ = subject.loaded.rows("all")  # whoever scores with one instance has built its rows
    subject.once("rows", lambda: _Rows(order["rows"]))
    episodes = [episode for _, episode in play(subject, order["said"])]
    with open(order["out"], "w", encoding="utf-8") as file:
        json.dump([plain(episode.as_json()) for episode in episodes], file)
    os._exit(0)  # whatever threads the environment left


class _Rows:
    """The rows that were sent along, a copy for each episode."""

    def __init__(self, rows: dict[int, Row]) -> None:
        self._rows = rows
        self.indices = sorted(rows)

    def row(self, index: int) -> Row:
        """The row of this index."""
        return copy.deepcopy(self._rows[index])


if __name__ == "__main__":
    main()
