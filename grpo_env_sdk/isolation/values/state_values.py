"""The values of an environment's state as JSON, with the bytes of arrays and tensors beside it; no pickle."""

import base64
import math
import random
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from grpo_env_sdk.isolation.values.env_values import redacted

TAG = "$"
"""The key of what JSON has no form for; its value says what it is."""
_FACTORIES: dict[str, Any] = {"none": None, "int": int, "float": float, "list": list, "dict": dict, "set": set}
"""The factories of a `defaultdict` that have a name here."""
_BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
_SEQUENCES: dict[type, Callable[[Any], Any]] = {tuple: tuple, set: set, frozenset: frozenset}
_ITEM_BYTES = {
    "bool": 1, "uint8": 1, "int8": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "uint16": 2, "int16": 2, "float16": 2,
    "bfloat16": 2, "uint32": 4, "int32": 4, "float32": 4, "uint64": 8, "int64": 8, "float64": 8,
}  # fmt: skip
"""The types of arrays and tensors that safetensors has too."""


class InexpressibleError(TypeError):
    """A value that has no form here."""


@dataclass(frozen=True, slots=True)
class RawArray:
    """An array or a tensor as bytes, in this machine's order."""

    dtype: str
    shape: list[int]
    data: bytes

    @property
    def adds_up(self) -> bool:
        """Whether the bytes are as many as its type and shape say."""
        known = all(length >= 0 for length in self.shape) and self.dtype in _ITEM_BYTES
        return known and math.prod(self.shape) * _ITEM_BYTES[self.dtype] == len(self.data)

    @classmethod
    def of_tensor(cls, tensor: Any) -> "RawArray":
        """A tensor of torch, on whatever device."""
        flat = tensor.detach().cpu().contiguous().reshape(-1).view(sys.modules["torch"].uint8)
        return cls(_dtype_of(tensor), [*tensor.shape], flat.numpy().tobytes())

    def as_tensor(self) -> Any:
        """A tensor of torch: only who has kept one needs it."""
        torch = import_module("torch")
        kind = getattr(torch, self.dtype)
        flat = torch.frombuffer(bytearray(self.data), dtype=kind) if self.data else torch.empty(0, dtype=kind)
        return flat.reshape(self.shape)

    def as_array(self) -> Any:
        """An array of numpy."""
        import numpy

        return numpy.ndarray(self.shape, self.dtype, bytearray(self.data))


def plain(value: Any, tensors: dict[str, RawArray]) -> Any:
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


def restored(value: Any, tensors: dict[str, RawArray]) -> Any:
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


def _tagged(value: Any, tensors: dict[str, RawArray]) -> dict[str, Any]:
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


def _of_numpy_or_torch(value: Any, tensors: dict[str, RawArray]) -> dict[str, Any]:
    import numpy

    torch = sys.modules.get("torch")
    if isinstance(value, numpy.random.Generator):
        return {TAG: "generator", "value": plain(value.bit_generator.state, tensors)}
    if isinstance(value, numpy.ndarray | numpy.generic) and value.dtype.name in _ITEM_BYTES:
        tag, native = "array" if isinstance(value, numpy.ndarray) else "scalar", value.dtype.newbyteorder("=")
        raw = RawArray(value.dtype.name, [*value.shape], value.astype(native).tobytes())
    elif torch and type(value) is torch.Tensor and value.layout is torch.strided and _dtype_of(value) in _ITEM_BYTES:
        tag, raw = "tensor", RawArray.of_tensor(value)
    else:
        raise InexpressibleError(type(value).__name__)
    name = str(len(tensors))
    tensors[name] = raw
    return {TAG: tag, "tensor": name}


def _dtype_of(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def _from_tag(kind: str, held: Any, value: dict[str, Any], tensors: dict[str, RawArray]) -> Any:
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
            return tensors[value["tensor"]].as_tensor()
        case "array" | "scalar":
            array = tensors[value["tensor"]].as_array()
            return array if kind == "array" else array[()]
    raise InexpressibleError(kind)
