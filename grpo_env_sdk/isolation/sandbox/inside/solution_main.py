"""In the sandbox: load a solution and answer what the tests, in another process, ask of it."""

import json
import operator
from itertools import islice
from typing import Any

from .limits import take_channel, take_order
from .plain_values import decode, encode

LONGEST = 100_000
OPERATIONS: dict[str, Any] = {
    "get": getattr,
    "set": setattr,
    "item": operator.getitem,
    "set_item": operator.setitem,
    "contains": operator.contains,
    "len": len,
    "text": str,
    "true": bool,
    "items": lambda of: list(islice(of, LONGEST)),
}


class Solution:
    """The loaded module, and each of its objects that the tests hold a reference to."""

    def __init__(self, source: str) -> None:
        self.namespace: dict[str, Any] = {"__name__": "solution"}
        self.objects: dict[int, Any] = {}
        exec(compile(source, "solution.py", "exec"), self.namespace)

    def answer(self, line: str) -> dict[str, Any]:
        """The answer to one line: a value, or what was raised."""
        request = json.loads(line)
        arguments = decode(request["arguments"], self.objects.__getitem__)
        if request["do"] == "name":
            name = arguments[0]
            return {"value": self.encode(self.namespace[name])} if name in self.namespace else {"missing": True}
        if request["do"] != "call":
            return {"value": self.encode(OPERATIONS[request["do"]](*arguments))}
        function, args, kwargs = arguments
        result = {"value": self.encode(function(*args, **kwargs))}
        after = self.encode([args, kwargs])
        return result if after == request["arguments"][1:] else {**result, "arguments": after}

    def encode(self, value: Any) -> Any:
        """Plain values as they are, others as references."""
        return encode(value, self.keep)

    def keep(self, value: Any) -> int:
        """The reference of an object that is kept from now on."""
        self.objects[id(value)] = value
        return id(value)


def raised(error: BaseException) -> dict[str, Any]:
    """An exception by the names of its classes and its text."""
    try:
        text = str(error)[:1000]
    except BaseException:  # the solution's own `__str__`
        text = ""
    return {"raised": [cls.__name__ for cls in type(error).__mro__], "text": text}


def main() -> None:
    """Load the solution, say whether that worked, and answer line after line."""
    order = take_order()
    lines_in, lines_out = take_channel()
    try:
        solution = Solution(order["solution"])
    except BaseException as exc:
        print(json.dumps(raised(exc)), file=lines_out)
        return
    print(json.dumps({"value": None}), file=lines_out)
    while line := lines_in.readline():
        try:
            answer = json.dumps(solution.answer(line))
        except BaseException as exc:
            answer = json.dumps(raised(exc))
        print(answer, file=lines_out)
