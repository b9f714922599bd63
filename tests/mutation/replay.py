"""What an environment builds and plays, as one digest: of two that are equal here, nobody has seen a difference.

`python replay.py ENTRY_POINT CONFIG...` prints it, from the folder of the package.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from grpo_env_sdk import evaluate, load

POLICIES = ("gold", "random", "echo")
ROWS = 40


def digest(folder: Path, entry_point: str, configs: list[str]) -> str:
    """The digest, from a process that has imported nothing yet."""
    command = [sys.executable, __file__, entry_point, *configs]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def _played(entry_point: str, configs: list[str]) -> str:
    told = []
    for config in map(json.loads, configs):
        loaded = load(entry_point, config)
        told.append([loaded.description.tools, list(loaded.rows("all"))])
        for policy in POLICIES:
            for episode in sorted(
                evaluate(entry_point, policy, config=config, rows=ROWS).episodes, key=lambda one: one.row_index
            ):
                calls = [{**call, "seconds": 0} for call in episode.tool_calls]
                told.append([episode.messages, calls, episode.rewards, episode.reward, episode.stop_reason])
    return hashlib.sha256(json.dumps(told, default=str).encode()).hexdigest()


if __name__ == "__main__":
    sys.path.insert(0, "")
    print(_played(sys.argv[1], sys.argv[2:]))
