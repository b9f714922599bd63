"""The values of an environment's state as JSON, with arrays and tensors beside it for safetensors; no pickle."""

import base64
import math
import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any

from grpo_env_sdk.ext import redacted

TAG = "$"
"""The key of what JSON has no form for; its value says what it is."""
_FACTORIES: dict[str, Any] = {"none": None, "int": int, "float": float, "list": list, "dict": dict, "set": set}
"""The factories of a `defaultdict` that have a name here."""
_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
_SEQUENCES: dict[type, Callable[[Any], Any]] = {tuple: tuple, set: set, frozenset: frozenset}


class InexpressibleError(TypeError):
    """A value that has no form here."""


def plain(value: Any, tensors: dict[str, Any]) -> Any:
    """The value as JSON takes it; its arrays and tensors are added to `tensors`."""
    kind = type(value)
    if value is None or kind is bool or kind is int or (kind is float and math.isfinite(value)):
        return value
    if kind is str and redacted(value) == value:  # a secret is left to the constructor
        return value
    if kind is list:
        return [plain(item, tensors) for item in value]
    if kind is dict and TAG not in value and all(type(key) is str for key in value):
        return {key: plain(item, tensors) for key, item in value.items()}
    return {TAG: kind.__name__, **_tagged(value, tensors)}


def restored(value: Any, tensors: dict[str, Any]) -> Any:
    """What `plain` was given."""
    if isinstance(value, list):
        return [restored(item, tensors) for item in value]
    if not isinstance(value, dict):
        return value
    if TAG not in value:
        return {key: restored(item, tensors) for key, item in value.items()}
    kind, held = value[TAG], restored(value.get("value"), tensors)
    for known, make in _SEQUENCES.items():
        if kind == known.__name__:
            return make(held)
    return _from_tag(kind, held, value, tensors)


def _tagged(value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    kind = type(value)
    if kind is float:
        return {"value": repr(value)}
    if kind in _SEQUENCES:
        return {"value": [plain(item, tensors) for item in value]}
    if kind is deque:
        return {"value": [plain(item, tensors) for item in value], "most": value.maxlen}
    if kind is dict or kind is Counter:
        return {"value": [[plain(key, tensors), plain(item, tensors)] for key, item in value.items()]}
    if kind is defaultdict:
        factory = next((name for name, made in _FACTORIES.items() if made is value.default_factory), None)
        if factory is None:
            raise InexpressibleError("defaultdict")
        return {"value": plain(dict(value), tensors), "factory": factory}
    if kind is bytes:
        return {"value": base64.b64encode(value).decode()}
    if kind is random.Random:
        return {"value": plain(value.getstate(), tensors)}
    return _of_numpy_or_torch(value, tensors)


def _of_numpy_or_torch(value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    import numpy
    import torch

    if isinstance(value, numpy.random.Generator):
        return {TAG: "generator", "value": plain(value.bit_generator.state, tensors)}
    if isinstance(value, numpy.ndarray | numpy.generic) and value.dtype.kind in "biuf":
        tensor, tag = torch.from_numpy(numpy.array(value)), "array" if isinstance(value, numpy.ndarray) else "scalar"
    elif type(value) is torch.Tensor and not value.is_sparse:
        tensor, tag = value.detach().cpu().clone().contiguous(), "tensor"
    else:
        raise InexpressibleError(type(value).__name__)
    name = str(len(tensors))
    tensors[name] = tensor
    return {TAG: tag, "tensor": name}


def _from_tag(kind: str, held: Any, value: dict[str, Any], tensors: dict[str, Any]) -> Any:
    match kind:
        case "float":
            return float(held)
        case "deque":
            return deque(held, value["most"])
        case "dict" | "Counter":
            return (Counter if kind == "Counter" else dict)(dict(held))
        case "defaultdict":
            return defaultdict(_FACTORIES[value["factory"]], held)
        case "bytes":
            return base64.b64decode(held)
        case "Random":
            made = random.Random()
            made.setstate(held)
            return made
        case "generator":
            import numpy

            if held["bit_generator"] not in _BIT_GENERATORS:
                raise InexpressibleError(held["bit_generator"])
            bits = getattr(numpy.random, held["bit_generator"])()
            bits.state = held
            return numpy.random.Generator(bits)
        case "tensor":
            return tensors[value["tensor"]].clone()
        case "array" | "scalar":
            array = tensors[value["tensor"]].numpy().copy()
            return array if kind == "array" else array[()]
    raise InexpressibleError(kind)
