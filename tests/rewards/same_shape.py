"""Classes of the same shape as those of verifiers and Inspect, for tests that are quick."""

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


class Rubric:
    """As `verifiers.Rubric`: functions, their weights, and objects that functions may ask for."""

    def __init__(self, funcs, weights=None, rubrics=(), **objects):
        self.funcs, self.weights, self.rubrics, self.class_objects = funcs, weights, rubrics, objects


class Target(list):
    """As `inspect_ai.scorer.Target`."""

    def __init__(self, target):
        super().__init__([target] if isinstance(target, str) else target)

    @property
    def text(self):
        return "".join(self)


@dataclass
class Message:
    """As the chat messages of `inspect_ai.model`."""

    role: str
    content: str
    tool_calls: Any = None
    tool_call_id: str | None = None


@dataclass
class TaskState:
    """As `inspect_ai.solver.TaskState`, with what scorers read."""

    model: str
    sample_id: int
    epoch: int
    input: Any
    messages: list[Message]
    output: Any
    choices: Any = None
    completed: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)


def _role(role):
    return lambda content, **more: Message(role, content, **more)


@pytest.fixture
def inspect_package(monkeypatch):
    """A package `inspect_ai` of this shape, where the real one is not installed."""
    parts = {
        "model": {
            "ModelName": str, "ChatMessageUser": _role("user"), "ChatMessageSystem": _role("system"),
            "ChatMessageAssistant": _role("assistant"), "ChatMessageTool": _role("tool"),
            "ModelOutput": SimpleNamespace(from_content=lambda model, text: SimpleNamespace(completion=text)),
        },
        "solver": {"TaskState": TaskState}, "scorer": {"Target": Target}, "tool": {"ToolCall": SimpleNamespace},
    }  # fmt: skip
    for name, members in {"": {}, **parts}.items():
        full = f"inspect_ai.{name}".rstrip(".")
        module = ModuleType(full)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, full, module)
