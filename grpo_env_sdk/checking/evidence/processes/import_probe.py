"""A fresh process that imports an environment, records what that does, and sends its rows and its tools."""

import contextlib
import importlib
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.evidence.processes.asked_files import AskedFiles, create_files
from grpo_env_sdk.checking.evidence.processes.import_hooks import around_import
from grpo_env_sdk.checking.evidence.processes.import_watch import SideEffects
from grpo_env_sdk.checking.evidence.processes.other_surroundings import enter
from grpo_env_sdk.checking.evidence.processes.python_child import read_order, send_answer

FEW, SECONDS = 8, 5.0
"""The tools of so many rows are sent, within so many seconds, where each row has its own."""


def main() -> None:
    """Do what the order says, and answer with what was seen."""
    order = read_order()
    seen: dict[str, Any] = {}
    with contextlib.suppress(Exception, SystemExit):  # other checks report what fails here
        root = os.path.dirname(order["answer_file"])
        enter(order["kinds"], root)
        create_files(order["files"], root)
        asked = AskedFiles(order["entry_point"])
        seen["effects"] = _effects_of_import(order["entry_point"])
        seen |= _rows(order)
        seen["asked"] = asked.names
    send_answer(order, seen)


def _effects_of_import(entry_point: str) -> list[dict[str, str]]:
    """Import the module on the main thread, as a script does, and record the side effects."""
    module = entry_point.partition(":")[0]
    effects = SideEffects(module)

    def watch(owner: Any, name: str, what: str) -> None:
        setattr(owner, name, effects.around(getattr(owner, name), what))

    @contextlib.contextmanager
    def watching_numpy() -> Iterator[None]:
        yield
        watch(sys.modules["numpy"].random, "seed", "seeds numpy's global random state")

    watch(random, "seed", "seeds Python's global random state")
    watch(signal, "signal", "sets a signal handler")
    watch(threading.Thread, "start", "starts a thread")
    around_import(["numpy"], watching_numpy)
    with effects:
        importlib.import_module(module)
    return effects.found


def _rows(order: dict[str, Any]) -> dict[str, Any]:
    from grpo_env_sdk.checking.evidence.processes.row_contents import contents
    from grpo_env_sdk.envs.loading import load
    from grpo_env_sdk.types import EnvSpec, Fault

    loaded = load(EnvSpec.from_json(order["spec"]), tokenizer=order["tokenizer"])
    rows = loaded.rows("all")
    seen: dict[str, Any] = {"rows": contents(rows), "tools": loaded.tools}
    if loaded.traits.tools_of_rows:
        from grpo_env_sdk.rollout.tools_per_row import open_rows

        opened = open_rows(loaded, rows, rows.indices[:FEW], seconds=SECONDS)
        seen["tools_of_rows"] = {row: found for row, found in opened.items() if not isinstance(found, Fault)}
    return seen


if __name__ == "__main__":
    main()
