"""Chat messages in a terminal."""

import sys

from grpo_env_sdk.cli.output import say
from grpo_env_sdk.data.messages import call_text, readable_text
from grpo_env_sdk.plain_text import counted, printable
from grpo_env_sdk.types import Episode, Message

_COLOURS = {"system": "35", "user": "36", "assistant": "32", "tool": "33"}


def print_message(message: Message) -> None:
    """Print the role, the text and the tool calls of a message."""
    role = message.get("role", "?")
    label = f"{role} {message['name']}" if role == "tool" and message.get("name") else role
    content = readable_text(message.get("content"))
    lines = [content] if content else []
    lines += [f"-> {call_text(call)}" for call in message.get("tool_calls", ())]
    label = _coloured(printable(label) + ":", _COLOURS.get(role, "0"))
    say(f"{label} {printable(chr(10).join(lines)) or '(nothing)'}", colours=True)


def print_ending(episode: Episode) -> None:
    """Print the reward with its parts, and why the episode ended."""
    reward = "no reward" if episode.reward is None else f"reward {episode.reward:zg}"
    say(f"\n{reward} ({episode.stop_reason}, {counted(episode.turns, 'turn')})")
    for name, value in episode.rewards.items():
        say(f"  {name}: {'abstained' if value is None else f'{value:zg}'}")
    if episode.error:
        say(f"  {episode.error.whose} failed in {episode.error.stage}: {episode.error.type}: {episode.error.message}")
        say(episode.error.traceback)


def _coloured(text: str, code: str) -> str:
    return f"\033[1;{code}m{text}\033[0m" if sys.stdout.isatty() else text
