"""What a model read of a transcript: a view is checked, recorded compactly, and restored from the record."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from grpo_env_sdk.data.messages import ROLES, same
from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.types import Episode, Message

_SYSTEM = ("system", "developer")
_HOW = "A view returns a list of messages that begins like the transcript and keeps tool calls with their results."


def checked_view(found: Any, transcript: Sequence[Message], whose: str) -> list[Message]:
    """A copy of what a `view` returned for a transcript; raises where no chat template could render it."""
    if not isinstance(found, list | tuple):
        raise ContractError(f"{whose}.view returned {short_repr(found)}, which is not a list of messages.", _HOW)
    faults = _faults(found, transcript) if len(found) else ["returned no messages"]
    for fault in faults:
        raise ContractError(f"{whose}.view {fault}.", _HOW)
    viewed: list[Message] = own_copy(list(found))
    return viewed


def view_entry(before: Sequence[Message], transcript: Sequence[Message], viewed: Sequence[Message]) -> list[Any]:
    """A view as `Episode.views` keeps it; `before` is what was read at the turn before.

    The number of messages that are the same as then, and the others: places in the transcript, or messages where they
    are not in it.
    """
    kept = 0
    while kept < min(len(before), len(viewed)) and same(before[kept], viewed[kept]):
        kept += 1
    entry: list[Any] = [kept]
    after = kept
    for message in viewed[kept:]:
        places = chain(range(after, len(transcript)), range(min(after, len(transcript))))
        place = next((place for place in places if same(transcript[place], message)), None)
        entry.append(message if place is None else place)
        after = after if place is None else place + 1
    return entry


def messages_read(episode: Episode) -> list[list[Message]]:
    """What the model read before each of its turns, and once more where it then failed to answer."""
    messages = episode.messages
    if episode.views is None:
        said = range(episode.opening, len(messages))
        return [messages[:place] for place in said if messages[place].get("role") == "assistant"]
    read: list[Message] = []
    found = []
    for kept, *items in episode.views:
        read = read[:kept] + [messages[item] if isinstance(item, int) else item for item in items]
        found.append(read)
    return found


def _faults(found: Sequence[Any], transcript: Sequence[Message]) -> Iterable[str]:
    """What is wrong with a view, in words that follow its name."""
    for message in found:
        if (fault := _message_fault(message)) and message not in transcript:
            yield f"returned {short_repr(message)}, which {fault}"
            return
    if (first := _first_role(found)) not in ("user", _first_role(transcript)):
        yield f"returned messages that begin with a message of the {first}" if first else "left out the question"
    if _late_system(found) and not _late_system(transcript):
        yield "returned a system message after other messages, which many chat templates refuse"
    if (fault := _torn_call(found)) and not _torn_call(transcript):
        yield fault


def _message_fault(message: Any) -> str:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        return "has no role"
    if message["role"] not in ROLES:
        return f"has none of the roles {', '.join(ROLES)}"
    if not isinstance(message.get("content"), str | list) and not message.get("tool_calls"):
        return "has no content"
    return ""


def _first_role(messages: Sequence[Message]) -> str:
    """The role of the first message after those of the system."""
    return next((str(message["role"]) for message in messages if message["role"] not in _SYSTEM), "")


def _late_system(messages: Sequence[Message]) -> bool:
    system = [message["role"] in _SYSTEM for message in messages]
    return sorted(system, reverse=True) != system


def _torn_call(messages: Sequence[Message]) -> str:
    """A tool result without its call, or a message with more calls than results."""
    waiting = 0
    for message in messages:
        if message["role"] == "tool":
            if not waiting:
                return "returned a tool result without the call that it answers"
            waiting -= 1
        elif waiting:
            break
        else:
            waiting = len(message.get("tool_calls") or ())
    return "returned a tool call without its result" if waiting else ""
