"""What a model reads: the texts of prompts and replies, and the schemas of tools."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.golds import gold_episodes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.images import images_in
from grpo_env_sdk.data.messages import content_text, places_of_turns, prompt_messages
from grpo_env_sdk.types import Episode, Message, canonical_json


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
    return " ".join(texts_of(_answer_to(episode, turn)))


def pictures_after(episode: Episode, turn: int = 0) -> str:
    """A text that tells the pictures apart with which a turn was answered."""
    return canonical_json(images_in(_answer_to(episode, turn)))


def answered_alike(one: Episode, other: Episode, turn: int = 0, other_turn: int = 0) -> bool:
    """Whether two turns were answered with the same text and the same pictures."""
    same = reply_to(one, turn) == reply_to(other, other_turn)
    return same and pictures_after(one, turn) == pictures_after(other, other_turn)


def shows_pictures(subject: Subject) -> bool:
    """Whether a model sees pictures in any episode of gold, so that what is needed may be shown in no text."""
    return any(images_in(episode.messages) for episode in gold_episodes(subject).values())


def _answer_to(episode: Episode, turn: int) -> list[Message]:
    own = places_of_turns(episode.completion)
    return episode.completion[own[turn] : own[turn + 1]] if len(own) > turn + 1 else []


def prompt_and_tools(subject: Subject, row: int) -> str:
    """The texts of a prompt, and the schemas of all tools."""
    return f"{prompt_text(subject, row)} {canonical_json(subject.tools)}"


def replies_to_gold(subject: Subject, row: int) -> list[str]:
    """What gold was answered by tools, users and steps."""
    return texts_of(gold_episodes(subject)[row].completion)


def results_of_gold(subject: Subject, row: int) -> list[str]:
    """What gold's calls were answered."""
    return [str(call["content"]) for call in gold_episodes(subject)[row].tool_calls]
