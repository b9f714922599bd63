"""What a model reads: the texts of prompts and replies, and the schemas of tools."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.golds import gold_episodes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import content_text, places_of_turns, prompt_messages
from grpo_env_sdk.types import Episode, canonical_json


def prompt_text(subject: Subject, row: int) -> str:
    """All texts of a prompt; many checks look at those of every row."""
    return subject.once(("prompt text", row), lambda: "\n".join(texts_of(prompt_messages(subject.row(row)["prompt"]))))


def texts_of(messages: Sequence[dict[str, object]]) -> list[str]:
    """The texts of all messages except the assistant's, also beside images."""
    return [
        content_text(message["content"])
        for message in messages
        if message["role"] != "assistant" and isinstance(message.get("content"), str | list)
    ]


def reply_to(episode: Episode, turn: int = 0) -> str:
    """What a turn was answered with; nothing where the episode ended with it."""
    own = places_of_turns(episode.completion)
    return " ".join(texts_of(episode.completion[own[turn] : own[turn + 1]])) if len(own) > turn + 1 else ""


def prompt_and_tools(subject: Subject, row: int) -> str:
    """The texts of a prompt, and the schemas of all tools."""
    return f"{prompt_text(subject, row)} {canonical_json(subject.tools)}"


def replies_to_gold(subject: Subject, row: int) -> list[str]:
    """What gold was answered by tools, users and steps."""
    return texts_of(gold_episodes(subject)[row].completion)


def results_of_gold(subject: Subject, row: int) -> list[str]:
    """What gold's calls were answered."""
    return [str(call["content"]) for call in gold_episodes(subject)[row].tool_calls]
