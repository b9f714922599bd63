"""The names and texts in the code of a function, read without running it."""

import inspect
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any


def codes_of(function: Any) -> Iterator[CodeType]:
    """The code of a function, and of what is defined in it."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    pending = [code] if code is not None else []
    while pending:
        yield (code := pending.pop())
        pending += [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def texts_in(codes: Iterable[CodeType]) -> Iterator[str]:
    """The texts in code, such as those in `getattr(self, "user")`."""
    return (constant for code in codes for constant in code.co_consts if isinstance(constant, str))


def names_in(function: Any) -> set[str]:
    """The names and texts in the code of a function: all that it may use of its class."""
    codes = list(codes_of(function))
    return {name for code in codes for name in code.co_names} | set(texts_in(codes))
