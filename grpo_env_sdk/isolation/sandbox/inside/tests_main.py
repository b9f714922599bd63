"""In the sandbox: run tests, whose calls of the solution go through the parent to another process."""

import builtins
import json
from typing import Any, TextIO

from .limits import take_channel, take_order
from .plain_values import decode, encode


class Remote:
    """An object of the solution that is not plain data: a function, a class, an instance."""

    def __init__(self, parent: "Parent", reference: int) -> None:
        self.__dict__.update(_parent=parent, _reference=reference)

    def __getattr__(self, name: str) -> Any:
        return self._parent.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._parent.ask("set", self, name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it in the solution's process."""
        return self._parent.ask("call", self, list(args), kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._parent.ask("item", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._parent.ask("set_item", self, key, value)

    def __contains__(self, item: Any) -> bool:
        return bool(self._parent.ask("contains", self, item))

    def __len__(self) -> int:
        return int(self._parent.ask("len", self))

    def __iter__(self) -> Any:
        return iter(self._parent.ask("items", self))

    def __str__(self) -> str:
        return str(self._parent.ask("text", self))

    def __bool__(self) -> bool:
        return self._parent.ask("true", self) is True

    def __eq__(self, other: object) -> bool:
        """The same object; the solution's own `__eq__` is not asked, as it could call everything equal."""
        return isinstance(other, Remote) and other._reference == self._reference

    def __hash__(self) -> int:
        return hash(self._reference)


class Parent:
    """The process that passes questions on to the solution, and takes results."""

    def __init__(self, lines_in: TextIO, lines_out: TextIO) -> None:
        self._in, self._out = lines_in, lines_out

    def ask(self, do: str, *arguments: Any) -> Any:
        """What the solution's process answers; what it raised is raised here."""
        self.send({"do": do, "arguments": [encode(argument, self._reference_of) for argument in arguments]})
        answer = json.loads(self._in.readline())
        if "raised" in answer:
            raise _exception(answer["raised"], answer["text"])
        if "missing" in answer:
            raise LookupError(arguments[0])
        if "arguments" in answer:
            _change(arguments[1:], self._decode(answer["arguments"]))
        return self._decode(answer["value"])

    def send(self, message: dict[str, Any]) -> None:
        """Send one line."""
        print(json.dumps(message), file=self._out)

    def _decode(self, value: Any) -> Any:
        return decode(value, lambda reference: Remote(self, reference))

    def _reference_of(self, value: Any) -> int:
        if isinstance(value, Remote):
            return value._reference  # type: ignore[no-any-return]  # set through __dict__
        raise TypeError(f"a test can pass plain values to the solution, not {type(value).__name__}")


def _exception(names: list[str], text: str) -> BaseException:
    """The nearest built-in exception, never one that ends this process."""
    for name in names:
        known = getattr(builtins, name, None)
        if isinstance(known, type) and issubclass(known, Exception):
            try:
                return known(text)
            except TypeError:  # UnicodeDecodeError takes five arguments
                continue
    return RuntimeError(f"{names[0]}: {text}")


def _change(arguments: tuple[Any, ...], after: list[Any]) -> None:
    """Change lists, dicts and sets as the solution has changed its copies of them."""
    pairs = [
        *zip(arguments[0], after[0], strict=False),
        *((arguments[1][key], after[1].get(key)) for key in arguments[1]),
    ]
    for before, now in pairs:
        if isinstance(before, list) and isinstance(now, list):
            before[:] = now
        elif isinstance(before, dict | set) and isinstance(now, type(before)):
            before.clear()
            before.update(now)


def run(test: dict[str, Any], parent: Parent) -> None:
    """Run one test, in a namespace of its own; whatever it raises is its failure."""
    namespace: dict[str, Any] = {"__name__": "tests"}
    for name in test["names"]:
        try:
            namespace[name] = parent.ask("name", name)
        except LookupError:
            continue  # the test's own error names it
    exec(compile(test["source"], "tests.py", "exec"), namespace)
    for name, value in list(namespace.items()):
        if name.startswith("test_") and callable(value) and not isinstance(value, Remote):
            value()
    if test["entry_point"] is not None and "check" in namespace:
        namespace["check"](namespace[test["entry_point"]])


def main() -> None:
    """Run each test and send its result."""
    order = take_order()
    parent = Parent(*take_channel())
    for test in order["tests"]:
        try:
            run(test, parent)
            reason = None
        except BaseException as exc:
            reason = f"{type(exc).__name__}: {exc}"[:300].removesuffix(": ")
        parent.send({"failed": reason})
