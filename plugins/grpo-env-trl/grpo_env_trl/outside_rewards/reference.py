"""How a reward from outside is written: `module:function=0.5`, `name(size=3)`, or a reward model."""

import ast
import math
import os
import re
from dataclasses import dataclass
from typing import Any, Literal

from grpo_env_sdk.ext import UsageError

_FUNCTION = re.compile(r"(?P<target>[^()=]+)(?P<call>\(.*\))?(=(?P<weight>[^()]*))?", re.DOTALL)
_EXAMPLE = "Write module:function=WEIGHT, or name(size=3)=WEIGHT for one that is made from settings."


@dataclass(frozen=True)
class RewardReference:
    """A reward function or reward model by name; without a weight of its own it has that of the reward, usually 1."""

    kind: Literal["function", "model"]
    text: str
    weight: float | None = None

    @property
    def target(self) -> str:
        """The name without settings: `module:function`, a name of TRL or the SDK, or a model."""
        return self.text.partition("(")[0].strip() if self.kind == "function" else self.text

    @property
    def called(self) -> bool:
        """Whether the reward is what a call of the target returns."""
        return self.kind == "function" and self.text.endswith(")")

    def settings(self) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the named arguments between the parentheses, which are plain values."""
        if not self.called:
            return [], {}
        try:
            call = ast.parse(f"f{self.text[self.text.index('(') :]}", mode="eval").body
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                named = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords if each.arg}
                if len(named) == len(call.keywords):
                    return [ast.literal_eval(each) for each in call.args], named
        except (ValueError, SyntaxError):
            pass
        raise UsageError(
            f"The reward function {self.text!r} has settings that are not plain values.",
            "Like get_soft_overlong_punishment(max_completion_len=256,soft_punish_cache=64).",
        )


def function_reference(written: str) -> RewardReference:
    """The reference in a `--reward-func`."""
    found = _FUNCTION.fullmatch(written.strip())
    if found is None or not found["target"].strip():
        raise UsageError(f"The reward function {written!r} cannot be read.", _EXAMPLE)
    text = found["target"].strip() + (found["call"] or "")
    return RewardReference("function", text, _weight(found["weight"], written))


def model_reference(written: str) -> RewardReference:
    """The reference in a `--reward-model`."""
    name, equals, weight = written.rpartition("=")
    if not equals or os.path.exists(written):
        return RewardReference("model", written)
    return RewardReference("model", name, _weight(weight, written))


def reference_of(written: str) -> RewardReference:
    """The reference in an item of `reward_funcs`: as TRL takes it, a hub id or a folder is a reward model."""
    target = written.partition("(")[0]
    is_model = ":" not in target and ("/" in target or os.path.isdir(target.partition("=")[0]))
    return model_reference(written) if is_model else function_reference(written)


def _weight(text: str | None, written: str) -> float | None:
    if text is None:
        return None
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise UsageError(f"The weight in {written!r} is {text!r}.", "Give a number, such as accuracy_reward=0.5.")
    return weight
