"""Rewards for code: Python that passes hidden tests, in a process that it cannot cheat from."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, get_args

from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.isolation.sandbox.hidden_tests import HiddenTests, script_output
from grpo_env_sdk.isolation.sandbox.python_process import (
    ProcessLimits,
    SandboxKind,
    note_shared_sandbox,
    use_bubblewrap,
)
from grpo_env_sdk.rewards.answers import final_answer
from grpo_env_sdk.rewards.reward import Reward

_FENCED = re.compile(
    r"^[ \t]*(```|~~~)[ \t]*+\{?\.?([\w+#-]*+)[^\n`]*+\n(.*?)(?:^[ \t]*\1[ \t\r]*$|\Z)", re.DOTALL | re.MULTILINE
)
"""A block in fences, and its language: the first word behind the fence, as `python` in `{.python title="a.py"}`."""
_DEFINES = re.compile(r"^[ \t\f]*(?:def|class|async def) ", re.MULTILINE)
_PYTHON = ("python", "python3", "py")


def python_tests(
    tests: str = "tests",
    *,
    entry_point: str | None = None,
    partial: bool = False,
    seconds: float = 5.0,
    memory_mb: int = 512,
    sandbox: SandboxKind = "auto",
    weight: float = 1.0,
    name: str = "python_tests",
) -> Reward:
    """1 if the answer's Python passes all tests in the column, or with `partial` the share that it passes.

    A test is Python text, or a dict with `input` and `output` for a script. `entry_point` names a column, for tests
    that define HumanEval's `check(candidate)`. The code is the last fenced block of Python, or else all of the
    answer. It has `seconds` of CPU time, and as many for each answer; only the standard library can be imported.
    """
    limits = ProcessLimits(seconds, memory_mb)
    if sandbox not in get_args(SandboxKind):
        raise ConfigError(f"No sandbox named {sandbox!r}.", f"Use one of {', '.join(get_args(SandboxKind))}.")

    if sandbox == "auto":
        note_shared_sandbox()

    def score(completion: Any, tests: Any, entry_point: Any = None, episode: Any = None) -> float:
        cases = _cases(tests)
        code, bubblewrap = code_in(final_answer(completion, episode)), use_bubblewrap(sandbox)
        if cases and all(isinstance(case, str) for case in cases):
            hidden = HiddenTests(cases, entry_point, limits, bubblewrap)
            failed = len(hidden.failures(code, all_of_them=partial))
        elif cases and all(isinstance(case, Mapping) and {"input", "output"} <= case.keys() for case in cases):
            failed = sum(not _prints(code, case, limits, bubblewrap) for case in cases)
        else:
            expected = "Fill the column with Python text, a list of it, or a list of dicts with input and output."
            raise ConfigError(f"python_tests got {tests!r:.80} as tests.", expected)
        return 1 - failed / len(cases) if partial else float(not failed)

    return Reward(score, name, weight, sources={"tests": tests, "entry_point": entry_point or "entry_point"})


def code_in(text: str) -> str:
    """The code in an answer: the last fenced block that defines something, else the last one, else all of it.

    Blocks that say they are Python come first; one that is not closed counts too.
    """
    found = [(language.lower(), code) for _, language, code in _FENCED.findall(text)]
    python = [code for language, code in found if language in _PYTHON]
    blocks = python or [code for language, code in found if not language]
    last: str = [text, *blocks, *filter(_DEFINES.search, blocks)][-1]
    return last


def _cases(tests: Any) -> list[Any]:
    """The tests as a list; a list of them as JSON, which many data sets have, is read."""
    if isinstance(tests, str) and tests.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError):
            tests = json.loads(tests)
    return tests if isinstance(tests, list) else [tests]


def _prints(code: str, case: Mapping[str, Any], limits: ProcessLimits, bubblewrap: bool) -> bool:
    """Whether the script prints what it should, apart from white space at the ends of lines."""
    printed = script_output(code, str(case["input"]), limits, bubblewrap)
    return printed is not None and _lines(printed) == _lines(str(case["output"]))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
