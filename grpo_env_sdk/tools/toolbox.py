"""A set of tools: calls are checked, run and answered in JSON, whatever a model sends."""

import asyncio
import inspect
import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeVar

from grpo_env_sdk.data.call_arguments import read_arguments
from grpo_env_sdk.data.messages import sendable
from grpo_env_sdk.data.plain_data import plain_text
from grpo_env_sdk.errors import DeadlineError, did_you_mean
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.deadline import ForeignExitError, call_within
from grpo_env_sdk.isolation.calls.thread_pool import ThreadPool, called_within
from grpo_env_sdk.isolation.calls.tracebacks import short_traceback
from grpo_env_sdk.isolation.values.error_text import cut, error_text, type_name
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.tools.argument_types import UnfitArgumentError, convert_arguments
from grpo_env_sdk.tools.broken_tools import ends_episode
from grpo_env_sdk.tools.mcp_tools import tools_of_session
from grpo_env_sdk.tools.schema_faults import check_schemas
from grpo_env_sdk.tools.tool import Tool
from grpo_env_sdk.tools.validation import AT_ONCE_SECONDS, CHECK_SECONDS, TooLongToCheckError, faults_of
from grpo_env_sdk.types import ToolCall, ToolOutcome

MAX_RESULT_CHARS = 100_000
_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
K = TypeVar("K", bound="Toolbox")


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A call whose arguments the schema of its tool accepts."""

    call: ToolCall
    tool: Tool
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReadyCall:
    """A call that passed all checks: the function to run and its arguments."""

    call: ToolCall
    tool: Tool
    function: Callable[..., Any]
    arguments: dict[str, Any]


class Toolbox:
    """Validates and runs tool calls; every result, also an ordinary exception, is text that a model can act on.

    An `EnvironmentFailedError`, a `MemoryError` and what is no `Exception`, such as `SystemExit`, is raised: the
    environment has failed, not the model.

    ```python
    box = Toolbox.from_functions([search, book])
    box.run(ToolCall("1", "search", {"city": "Lyon"})).content
    ```

    `tools` are functions, `Tool`s or schemas; what has no function of its own is run by `fallback(name, arguments)`.
    """

    def __init__(
        self,
        tools: Iterable[Any],
        *,
        fallback: Callable[[str, dict[str, Any]], Any] | None = None,
        inject: Callable[[str], Any] | Mapping[str, Any] | None = None,
        timeout: float | None = None,
        max_result_chars: int = MAX_RESULT_CHARS,
        whose: str = "the toolbox",
    ) -> None:
        given = list(tools)
        check_schemas([item for item in given if isinstance(item, dict)], whose)
        listed = [Tool(item) if isinstance(item, dict) else Tool.from_function(item) for item in given]
        if len({item.name for item in listed}) < len(listed):
            check_schemas([item.schema for item in listed], whose)
        self.tools = {item.name: item for item in listed}
        self._fallback = fallback
        self._inject = inject
        self.timeout = timeout
        self.max_result_chars = max_result_chars

    @classmethod
    def from_functions(cls, functions: Iterable[Callable[..., Any]], *, timeout: float | None = None) -> Self:
        """Tools from functions or methods, plain or async; annotations and docstrings are their schemas."""
        return cls(functions, timeout=timeout)

    @classmethod
    def from_schemas(
        cls, schemas: Iterable[dict[str, Any]], *, call: Callable[[str, dict[str, Any]], Any],
        timeout: float | None = None,
    ) -> Self:  # fmt: skip
        """Tools from OpenAI function schemas; `call(name, arguments)`, plain or async, runs each call."""
        return cls(schemas, fallback=call, timeout=timeout)

    @classmethod
    async def from_mcp(cls, session: Any, *, timeout: float | None = None) -> Self:
        """The tools of an MCP server; `session` is a `ClientSession` of the `mcp` package that is initialized."""
        return cls(await tools_of_session(session), timeout=timeout)

    def as_kind(self, kind: "type[K]", inject: Callable[[str], Any], timeout: float | None) -> "K":
        """The same tools in a toolbox of another class, with these defaults where this one has none of its own."""
        return kind(
            self.tools.values(), fallback=self._fallback, inject=self._inject or inject,
            timeout=self.timeout or timeout, max_result_chars=self.max_result_chars,
        )  # fmt: skip

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The schemas as they were given, for the model."""
        return [item.schema for item in self.tools.values()]

    def can_run(self, tool: Tool) -> bool:
        """Whether there is a function for the tool's calls."""
        return tool.function is not None or self._fallback is not None

    def run(self, call: ToolCall) -> ToolOutcome:
        """Run one call under the tool's deadline, and wait for its result."""
        ready = self.prepare(call)
        if isinstance(ready, ToolOutcome):
            return ready
        limit = ready.tool.timeout or self.timeout
        started = time.perf_counter()
        try:
            value = call_within(limit, f"The tool {call.name!r}", self._run_through, ready, limit)
        except Exception as exc:
            return self.failed(call, exc, time.perf_counter() - started)
        return self.answered(call, value, time.perf_counter() - started)

    async def run_async(self, call: ToolCall) -> ToolOutcome:
        """As `run`, in an event loop: an async tool is awaited in it, and a plain one has a thread of its own."""
        with closing(ThreadPool(1)) as checks:
            checked = await self.check_async(call, checks)
        ready = checked if isinstance(checked, ToolOutcome) else self.ready(checked)
        if isinstance(ready, ToolOutcome):
            return ready
        limit, what = ready.tool.timeout or self.timeout, f"The tool {call.name!r}"
        started = time.perf_counter()
        try:
            value = await called_within(limit, what, partial(ready.function, **ready.arguments))
        except Exception as exc:
            return self.failed(call, exc, time.perf_counter() - started)
        return self.answered(call, value, time.perf_counter() - started)

    def _run_through(self, ready: ReadyCall, limit: float | None) -> Any:
        value = ready.function(**ready.arguments)
        return run_coroutine(asyncio.wait_for(value, limit)) if inspect.isawaitable(value) else value

    async def check_async(self, call: ToolCall, checks: ThreadPool) -> CheckedCall | ToolOutcome:
        """As `check`, in an event loop: a check that takes long is done in the threads for `checks`."""
        try:
            return self.check(call, AT_ONCE_SECONDS)
        except TooLongToCheckError:
            return await checks.call(None, f"checking {call.name!r}", self.check, call)  # type: ignore[no-any-return]  # a pool returns anything

    def prepare(self, call: ToolCall) -> ReadyCall | ToolOutcome:
        """The call, checked and ready to run, or a result with the error."""
        checked = self.check(call)
        return checked if isinstance(checked, ToolOutcome) else self.ready(checked)

    def check(self, call: ToolCall, seconds: float = CHECK_SECONDS) -> CheckedCall | ToolOutcome:
        """The call with its arguments, if the schema of its tool accepts them, or a result with the error.

        Raises `TooLongToCheckError` where a check that may take longer is not done after so many `seconds`.
        """
        tool = self.tools.get(call.name)
        if tool is None:
            return self._unknown(call)
        try:
            arguments = read_arguments(call.arguments)
        except ValueError as exc:
            return _refused(call, "malformed_call", message=f"The arguments {exc}. Send one JSON object.")
        problem = _unexpected(tool, arguments) or _invalid(tool, arguments, seconds)
        if problem:
            return _refused(call, "invalid_arguments", **problem)
        return CheckedCall(call, tool, arguments)

    def is_async(self, tool: Tool) -> bool:
        """Whether what runs the calls of a tool is a coroutine function."""
        return inspect.iscoroutinefunction(tool.function or self._fallback)

    def ready(self, checked: CheckedCall) -> ReadyCall | ToolOutcome:
        """The call with what runs it; this may run code of the author, such as that of an argument's class."""
        call, tool = checked.call, checked.tool
        try:
            return ReadyCall(call, tool, *self._runnable(tool, checked.arguments))
        except UnfitArgumentError as exc:
            return _refused(
                call, "invalid_arguments", 0.0, short_traceback(exc), path=exc.name, message=cut(str(exc), 270)
            )
        except Exception as exc:  # the author's annotations and what they inject
            return self.failed(call, exc, 0.0)

    def _runnable(self, tool: Tool, arguments: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
        """What runs the tool, and all that it is given."""
        if tool.function is not None:
            injected = {name: self._injected(name) for name in tool.injected}
            return tool.function, {**convert_arguments(tool.typed or tool.function, arguments), **injected}
        if self._fallback is None:
            raise LookupError("nothing runs this tool")
        return _named(self._fallback, tool.name), arguments

    def answered(self, call: ToolCall, value: Any, seconds: float) -> ToolOutcome:
        """The result of a call that returned: text as it is, everything else as JSON."""
        try:
            content = plain_text(value) if issubclass(type(value), str) else _as_json(value)
        except Exception as exc:  # objects of the author, whose methods may raise
            text = f"The result of {call.name!r} is not JSON: {_error_text(exc)}"
            return _refused(call, "tool_failed", seconds, text, message=text)
        if len(content) > self.max_result_chars:
            size = f"The result has {len(content)} characters; at most {self.max_result_chars} are allowed."
            return _refused(call, "result_too_large", seconds, message=f"{size} Ask for less.")
        return ToolOutcome(call, sendable(content), None, seconds)

    def failed(self, call: ToolCall, exc: Exception, seconds: float) -> ToolOutcome:
        """The result of a call that raised or ran out of time; the traceback is only for the record.

        What is no answer for a model is raised again: see `ends_episode`.
        """
        if ends_episode(exc):
            raise exc
        if isinstance(exc, DeadlineError):
            return _refused(call, "timeout", seconds, message=exc.message)
        if isinstance(exc, TimeoutError):
            message = f"The tool ran out of time. {_error_text(exc)}"
            return _refused(call, "timeout", seconds, short_traceback(exc), message=message)
        return _refused(call, "tool_failed", seconds, short_traceback(exc), message=_error_text(exc))

    def _unknown(self, call: ToolCall) -> ToolOutcome:
        names = list(self.tools)
        there = f"There are: {', '.join(names) or 'none'}."
        if not call.name:
            return _refused(
                call, "malformed_call", message=f"The call names no tool: {short_repr(call.arguments)}. {there}"
            )
        hint = did_you_mean(call.name[:64], names) or there
        return _refused(call, "unknown_tool", message=f"No tool named {call.name[:64]!r}. {hint}")

    def _injected(self, name: str) -> Any:
        if self._inject is None:
            raise LookupError(f"nothing to inject as {name!r}")
        return self._inject[name] if isinstance(self._inject, Mapping) else self._inject(name)


def _named(run: Callable[[str, dict[str, Any]], Any], name: str) -> Callable[..., Any]:
    """What runs the calls of one tool by its name; async as the function that runs all of them."""
    if not inspect.iscoroutinefunction(run):
        return lambda **arguments: run(name, arguments)

    async def called(**arguments: Any) -> Any:
        return await run(name, arguments)

    return called


def _unexpected(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """An error for the first argument that the tool does not accept from a model."""
    known = tool.parameters.get("properties", {})
    for name in arguments:
        if name in tool.injected or (tool.strict and name not in known):
            hint = did_you_mean(name[:64], known) or f"It takes: {', '.join(known) or 'no arguments'}."
            return {"path": name[:64], "message": f"{name[:64]!r} is not an argument. {hint}"}
    return None


def _invalid(tool: Tool, arguments: dict[str, Any], seconds: float) -> dict[str, Any] | None:
    """Up to five faults of the arguments, with the first one at the top level."""
    if tool.accepts(arguments):
        return None
    try:
        faults = faults_of(tool.validator, arguments, seconds)
    except TooLongToCheckError:
        if seconds < CHECK_SECONDS:
            raise
        return {"path": "", "message": f"The arguments take longer than {CHECK_SECONDS:g} s to check. Send less."}
    except RecursionError:
        return {"path": "", "message": "The arguments are nested too deeply."}
    except Exception as exc:  # a schema that is valid and still cannot be used
        return {"path": "", "message": cut(f"The arguments could not be checked: {exc}", 270)}
    found = [{"path": path[1:].removeprefix("."), "message": cut(message, 270)} for path, message in faults]
    return {**found[0], **({"others": found[1:]} if found[1:] else {})} if found else None


def _error_text(exc: BaseException) -> str:
    text = error_text(exc)
    return (text if isinstance(exc, ForeignExitError) else f"{type_name(exc)}: {text}")[:1000]


def _refused(call: ToolCall, kind: str, seconds: float = 0.0, detail: str | None = None, **told: Any) -> ToolOutcome:
    answer = json.dumps({"error": {"type": kind, **told}}, ensure_ascii=False)
    return ToolOutcome(call, sendable(answer), kind, seconds, sendable(detail) if detail else None)
