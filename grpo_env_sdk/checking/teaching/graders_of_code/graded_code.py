"""The code in a gold answer, and gold with other code in its place."""

import re
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.types import Message


@dataclass(frozen=True, slots=True)
class Code:
    """The code in one gold answer: its last text, or an argument of one of its calls."""

    gold: Gold
    text: str
    place: tuple[int, int, str] | None = None
    """The turn, the call and the argument; None where it is the last text."""

    def with_other(self, code: str) -> list[Message]:
        """Gold's turns with other code, in the fence or tags of gold's."""
        fence = re.search(r"```\w*\n.*?```|<(\w+)>.*?</\1>", self.text, re.DOTALL)
        form = r"(?s)^(```\w*\n|<\w+>)(.*?)(```|</\w+>)$"
        if fence is not None:
            held = re.sub(form, lambda part: f"{part[1]}{code}\n{part[3]}", fence.group())
            code = self.text.replace(fence.group(), held)
        turns = deepcopy(self.gold.turns)
        if self.place is None:
            return [*turns[:-1], {"role": "assistant", "content": code}]
        turn, call, argument = self.place
        turns[turn]["tool_calls"][call]["function"]["arguments"][argument] = code
        return turns
