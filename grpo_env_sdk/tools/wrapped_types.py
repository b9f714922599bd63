"""Annotations around a type: `Annotated`, `NotRequired`, a NewType or a `type` alias."""

import typing
from typing import Any

QUALIFIERS = ("Required", "NotRequired", "ReadOnly")  # by name, as typing_extensions has its own


def unwrapped(annotation: Any) -> Any:
    """The annotation without its outermost wrapper, or itself."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated or str(origin).rpartition(".")[2] in QUALIFIERS:
        return typing.get_args(annotation)[0]
    return getattr(annotation, "__supertype__", getattr(annotation, "__value__", annotation))
