"""The forms in which an act may name a square of a board."""

from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Message

Act = str | Message
Put = Callable[[int, int, int], Act]
"""What an act is called, from the line, the column, and how many columns there are."""
_TEXTS: tuple[Put, ...] = (
    lambda line, column, width: str(line * width + column + 1),
    lambda line, column, width: str(line * width + column),
    lambda line, column, width: f"{line + 1} {column + 1}",
    lambda line, column, width: f"{line} {column}",
    lambda line, column, width: f"{line + 1},{column + 1}",
    lambda line, column, width: f"{line},{column}",
    lambda line, column, width: f"{'abcdefghijklmnopqrst'[column]}{line + 1}",
    lambda line, column, width: f"{'ABCDEFGHIJKLMNOPQRST'[line]}{column + 1}",
)


def ways_to_put(subject: Subject) -> Iterator[Put]:
    """The forms in which an act may name a square: texts, or calls with one number or two."""
    if subject.traits.kind == "multi-turn":
        yield from _TEXTS
    for tool in subject.tools:
        numbers = [key for key in required_of(tool) if properties_of(tool).get(key, {}).get("type") == "integer"]
        if len(numbers) == len(required_of(tool)) and 0 < len(numbers) < 3:
            yield from _calls(name_of(tool), numbers)


def _calls(name: str, numbers: Sequence[str]) -> Iterator[Put]:
    for first in (1, 0):
        if len(numbers) == 1:
            yield lambda line, column, width, first=first: call_message(  # type: ignore[misc]
                name, **{numbers[0]: line * width + column + first}
            )
        else:
            yield lambda line, column, width, first=first: call_message(  # type: ignore[misc]
                name, **dict(zip(numbers, (line + first, column + first), strict=True))
            )
