"""Python that a model wrote, against tests that it never sees.

The solution and the tests run in two processes. Only plain values pass between them, so a solution passes by returning
what the tests expect and by nothing else: no test, checker or result is in its process.
"""

import ast
import builtins
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.errors import ConfigError, DeadlineError
from grpo_env_sdk.isolation.sandbox.python_process import (
    OutputTooLongError,
    ProcessEndedError,
    ProcessLimits,
    SandboxedProcess,
)

MAX_LOST = 3
"""After so many tests in which a process hung or ended, the rest fail without being run."""
_LOST = (ProcessEndedError, OutputTooLongError, DeadlineError)


@dataclass(frozen=True)
class HiddenTests:
    """Tests as Python: with `assert`, with `test_` functions, or with HumanEval's `check` of an entry point."""

    sources: Sequence[str]
    entry_point: str | None
    limits: ProcessLimits
    bubblewrap: bool

    def failures(self, solution: str, *, all_of_them: bool = True) -> dict[int, str]:
        """The index of each test that the solution fails, and why; or only the first of them."""
        tests = [_prepared(source, self.entry_point) for source in self.sources]
        found: dict[int, str] = {}
        index = lost = 0
        while index < len(tests) and lost < MAX_LOST and (all_of_them or not found):
            with ExitStack() as stack:
                try:
                    asked = stack.enter_context(self._process("solution_main", solution=solution))
                    loaded = asked.receive()
                    if not loaded.startswith(b'{"value"'):
                        return dict.fromkeys(range(len(tests)), "the solution cannot be loaded")
                    runner = stack.enter_context(self._process("tests_main", tests=tests[index:]))
                    while index < len(tests) and (all_of_them or not found):
                        if failed := _run_one(runner, asked):
                            found[index] = failed
                        index += 1
                except _LOST as exc:
                    found[index] = str(exc)
                    index, lost = index + 1, lost + 1
        return found | dict.fromkeys(range(index, len(tests)), "not run") if all_of_them else found

    def _process(self, script: str, **order: Any) -> SandboxedProcess:
        return SandboxedProcess(script, order, self.limits, self.bubblewrap)


def script_output(solution: str, text: str, limits: ProcessLimits, bubblewrap: bool) -> str | None:
    """What the solution prints as a script with this input; None if it hangs, or prints too much."""
    with SandboxedProcess("script_main", {"solution": solution}, limits, bubblewrap) as process:
        try:
            process.receive()
            return process.run_to_end(text.encode()).decode("utf-8", "replace")
        except _LOST:
            return None


def _run_one(runner: SandboxedProcess, asked: SandboxedProcess) -> str | None:
    """Pass the questions of one test on to the solution, until its result; None if it passed."""
    while True:
        line = runner.receive()
        if line.startswith(b'{"failed"'):  # the values in a question are never read here
            failed: str | None = json.loads(line)["failed"]
            return failed
        asked.send(line)
        runner.send(asked.receive())


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _prepared(source: str, entry_point: str | None) -> dict[str, Any]:
    """A test with the names that it expects the solution to define."""
    try:
        tree = ast.parse(source)
    except SyntaxError as exc:
        raise ConfigError(f"A hidden test is not Python: {exc}.", "Fix the row's tests.") from exc
    nodes = list(ast.walk(tree))
    if not any(isinstance(node, ast.Assert | ast.Raise) for node in nodes):
        raise ConfigError(
            f"A hidden test asserts nothing: {source!r:.100}.",
            "Use assert, in the text itself or in functions named test_...; unittest's classes are not run.",
        )
    checks = any(isinstance(node, ast.FunctionDef) and node.name == "check" for node in tree.body)
    if checks and not entry_point and not any(_calls(node, "check") for node in nodes):
        raise ConfigError("A hidden test defines check(candidate).", 'Name the column: entry_point="entry_point".')
    names = [node for node in nodes if isinstance(node, ast.Name)]
    bound = {name.id for name in names if not isinstance(name.ctx, ast.Load)} | set(dir(builtins))
    wanted = {name.id for name in names} - bound
    return {
        "source": source,
        "names": sorted(wanted | ({entry_point} if entry_point else set())),
        "entry_point": entry_point,
    }
