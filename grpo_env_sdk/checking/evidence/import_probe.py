"""A fresh process that imports an environment, records what that does, and sends its rows and its tools."""

import contextlib
import random
import signal
import threading
from typing import Any

from grpo_env_sdk.checking.evidence.import_watch import SideEffects
from grpo_env_sdk.checking.evidence.python_child import read_order, send_answer


def main() -> None:
    """Do what the order says, and answer with what was seen."""
    order = read_order()
    seen: dict[str, Any] = {}
    with contextlib.suppress(Exception, SystemExit):  # other checks report what fails here
        seen["effects"] = _effects_of_import(order["entry_point"])
        seen |= _rows(order)
    send_answer(order, seen)


def _effects_of_import(entry_point: str) -> list[dict[str, str]]:
    """Import the module on the main thread, as a script does, and record the side effects."""
    import importlib

    import numpy

    module = entry_point.partition(":")[0]
    effects = SideEffects(module)
    for owner, name, what in (
        (random, "seed", "seeds Python's global random state"),
        (numpy.random, "seed", "seeds numpy's global random state"),
        (signal, "signal", "sets a signal handler"),
        (threading.Thread, "start", "starts a thread"),
    ):
        setattr(owner, name, effects.around(getattr(owner, name), what))
    with effects:
        importlib.import_module(module)
    return effects.found


def _rows(order: dict[str, Any]) -> dict[str, Any]:
    from grpo_env_sdk.checking.evidence.row_contents import contents
    from grpo_env_sdk.envs.loading import load
    from grpo_env_sdk.types import EnvSpec

    loaded = load(EnvSpec.from_json(order["spec"]), tokenizer=order["tokenizer"])
    return {"rows": contents(loaded.rows("all")), "tools": loaded.tools}


if __name__ == "__main__":
    main()
