"""The code in a gold answer, and gold with other code in its place."""

import re
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, play_answers
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import golds_with_text
from grpo_env_sdk.checking.teaching.graders_of_code.code_tricks import bare_code, tricks_for
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


def codes_of_gold(subject: Subject, most: int) -> list[Code]:
    """The code of some gold answers, in the last text or in calls."""
    known = list(golds(subject).values())[:most]
    if not any(_any_code(gold) for gold in known):
        return []
    if subject.traits.kind == "single-turn":
        return [Code(gold, gold.text) for gold in golds_with_text(subject, most)]
    in_calls = [code for gold in known if (code := _in_calls(subject, gold))]
    return in_calls or [Code(gold, gold.text) for gold in golds_with_text(subject, most)]


def _in_calls(subject: Subject, gold: Gold) -> Code | None:
    """The last argument of gold's calls that is code and counts."""
    found = None
    for number, turn in enumerate(gold.turns):
        for place, call in enumerate(turn.get("tool_calls") or ()):
            arguments = call["function"]["arguments"]
            for name, value in arguments.items() if isinstance(arguments, dict) else ():
                if isinstance(value, str) and tricks_for(value, prompt_text(subject, gold.row)):
                    found = Code(gold, value, (number, place, name))
    if found is None:
        return None
    other = play_answers(subject, [(gold.row, found.with_other("lorem ipsum"))])
    return None if any(as_good_as_gold(subject, episode) for episode in other) else found  # such as a query on the way


def _any_code(gold: Gold) -> bool:
    """Whether gold may have code in it: several words or signs that texts do not have."""
    values = [value for _, given in gold.calls for value in given.values()]
    return any(
        re.search(r"[()\\\[{*]|\bfrom\b|^\w+ -|^lambda\b", bare_code(text), re.I)
        for text in [gold.text, *map(str, values)]
    )
