"""Environments whose class or instance acts as soon as one of its attributes is read; a variable says how."""

import os
import threading

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, call_message, reward, tool

KINDS = {
    "error": RuntimeError,
    "exit": SystemExit,
    "interrupt": KeyboardInterrupt,
    "own": type("Own", (BaseException,), {}),
}


def act(*args, **named):
    """Raise, or never come back, once the class is there."""
    kind = os.environ.get("ODD_CLASSES_ACT", "error")
    if kind == "hang":
        threading.Event().wait(60)
    raise KINDS[kind]("acts")


class Plain:
    """Answer a row."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}"} for number in range(3)]

    def solve(self, row):
        return "ok"

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Rewarded(SingleTurnEnv):
    """The same with a reward."""

    build_dataset, solve = Plain.build_dataset, Plain.solve

    @reward
    def right(self, completion):
        return 1.0


class Stepping(MultiTurnEnv):
    """The same in steps."""

    build_dataset = Plain.build_dataset

    def solve(self, row):
        yield "ok"

    def step(self, action):
        return "", 1.0, True, False, {}


class Calling(ToolEnv):
    """The same with a tool."""

    build_dataset, right = Plain.build_dataset, Rewarded.right

    def solve(self, row):
        yield call_message("look")
        yield "done"

    @tool
    def look(self):
        """Look."""
        return "seen"


BASES = {base.__name__: base for base in (Plain, Rewarded, Stepping, Calling)}
READ = (
    "max_turns", "parallel", "uses_model", "replayable", "reward_range", "isolate_globals", "raw_prompts", "max_live",
    "call_seconds", "episode_seconds", "rewards", "view", "call_tool", "user", "get_tools", "solve", "build_dataset",
    "score_episode", "runs_tools", "open_shared", "toolbox", "setup", "__class__", "__dict__", "_grpo", "__doc__",
    "close", "state_dict", "metrics", "__deepcopy__", "__reduce_ex__",
)  # fmt: skip


class Thing:
    """A value that acts whatever is asked of it."""

    __class__ = property(act)
    __repr__ = __len__ = __bool__ = __iter__ = __eq__ = __float__ = act
    __hash__ = object.__hash__


def named(name, base, members):
    """A class of this module by this name."""
    globals()[name] = type(name, (base,), {**members, "__module__": __name__, "__qualname__": name})
    return name


def _getattr(self, name):
    act()


def _getattribute(self, name):
    return object.__getattribute__(self, name) if name.startswith("__") else act()


class Meta(type):
    """Acts where the name of the class is read, unless it is just being created."""

    created = False

    def __getattribute__(cls, name):
        if Meta.created and name in ("__qualname__", "__name__", "__mro__", "__module__"):
            act()
        return type.__getattribute__(cls, name)


PROPERTIES = [
    named(f"Property_{name.strip('_')}_{kind}", base, {name: property(act)})
    for name in READ for kind, base in BASES.items()
]  # fmt: skip
VALUES = [
    named(f"Value_{name}_{kind}", base, {name: Thing()})
    for name in READ if not name.startswith("_") for kind, base in BASES.items()
]  # fmt: skip
HOOKS = [
    named(f"Hook{hook}_{kind}", base, {hook: function})
    for hook, function in {"__getattr__": _getattr, "__getattribute__": _getattribute}.items()
    for kind, base in BASES.items()
]  # fmt: skip
for _kind, _base in BASES.items():
    _cls = Meta(f"Meta_{_kind}", (_base,), {"__module__": __name__})
    globals()[f"Meta_{_kind}"] = _cls
    HOOKS.append(f"Meta_{_kind}")
Meta.created = True
