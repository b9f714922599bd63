"""What a model reads: a task with the schemas of its tools, and what gold was answered."""

from grpo_env_sdk.checking.evidence.golds import gold_episodes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text, texts_of
from grpo_env_sdk.types import canonical_json


def prompt_and_tools(subject: Subject, row: int) -> str:
    """The texts of a prompt, and the schemas of all tools."""
    return f"{prompt_text(subject, row)} {canonical_json(subject.tools)}"


def replies_to_gold(subject: Subject, row: int) -> list[str]:
    """What gold was answered by tools, users and steps."""
    return texts_of(gold_episodes(subject)[row].completion)


def results_of_gold(subject: Subject, row: int) -> list[str]:
    """What gold's calls were answered."""
    return [str(call["content"]) for call in gold_episodes(subject)[row].tool_calls]
