"""A fresh process that imports an environment, watches what that does, and tells its rows and its tools."""

import contextlib
import json
import os
import random
import signal
import sys
import threading
from typing import Any

from grpo_env_sdk.checking.evidence.import_watch import Watch


def main() -> None:
    """Read what to do from stdin, and write what was seen to the file that it names."""
    order = json.load(sys.stdin)
    sys.path[:] = order["sys_path"]
    os.chdir(order["folder"])
    told: dict[str, Any] = {}
    with contextlib.suppress(Exception, SystemExit):  # what fails here is the finding of another check
        told["effects"] = _import_watched(order["entry_point"])
        told |= _rows(order)
    with open(order["out"], "w", encoding="utf-8") as file:
        json.dump(told, file)
    os._exit(0)


def _import_watched(entry_point: str) -> list[dict[str, str]]:
    """Import the module on the main thread, as a script does, with everything watched that it should leave alone."""
    import importlib

    import datasets  # noqa: F401  # what the SDK imports anyway is not of the environment's doing
    import gymnasium  # noqa: F401
    import numpy

    module = entry_point.partition(":")[0]
    watch = Watch(module)
    for owner, name, what in (
        (random, "seed", "seeds Python's global random state"),
        (numpy.random, "seed", "seeds numpy's global random state"),
        (signal, "signal", "sets a signal handler"),
        (threading.Thread, "start", "starts a thread"),
    ):
        setattr(owner, name, watch.around(getattr(owner, name), what))
    with watch:
        importlib.import_module(module)
    return watch.effects


def _rows(order: dict[str, Any]) -> dict[str, Any]:
    from grpo_env_sdk.checking.evidence.row_contents import contents
    from grpo_env_sdk.checking.evidence.stand_in_tokenizer import StandInTokenizer
    from grpo_env_sdk.envs.loading import load
    from grpo_env_sdk.types import EnvSpec

    loaded = load(EnvSpec.from_json(order["spec"]), tokenizer=StandInTokenizer() if order["tokenizer"] else None)
    return {"rows": contents(loaded.rows("all")), "tools": loaded.tools}


if __name__ == "__main__":
    main()
