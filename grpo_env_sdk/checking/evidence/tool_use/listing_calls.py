"""What tools that only look list of a row to somebody who has read no more than its prompt."""

from collections.abc import Iterator, Sequence
from functools import partial

from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import may_only_look, only_looks
from grpo_env_sdk.checking.evidence.secret_words import TOKEN
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import called_together
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_NAMES = 8
"""How many names of a prompt are looked up."""
_NAME = regex(r"(?<![.!?:] )(?<!^)\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")


def listing_calls(subject: Subject, row: int, words: Sequence[str]) -> Iterator[Message]:
    """Calls of tools that only look, without a value or with one word of the prompt."""
    for tool in subject.tools_of(row) if subject.traits.kind == "tools" else ():
        needed = required_of(tool)
        kind = properties_of(tool)[needed[0]].get("type") if len(needed) == 1 else None
        if may_only_look(tool) and not needed:
            yield call_message(name_of(tool))
        elif may_only_look(tool) and kind == "string":
            yield from (call_message(name_of(tool), **{needed[0]: word}) for word in words)
        elif may_only_look(tool) and kind == "integer":
            yield from (call_message(name_of(tool), **{needed[0]: int(word)}) for word in words if word.isdecimal())


def replies_to_looks(subject: Subject, row: int) -> list[str]:
    """What the looking tools of a row reply without a value, or to each of the names and ids of its prompt."""
    return [str(call["content"]) for one in looks_at(subject, row) for call in one.tool_calls if not call["error"]]


def looks_at(subject: Subject, row: int) -> list[Episode]:
    """The episode in which these calls are made, if there are any."""
    return subject.once(("looked up", row), partial(_looked_up, subject, row))


def _looked_up(subject: Subject, row: int) -> list[Episode]:
    prompt = prompt_text(subject, row)
    ids = [word for word in TOKEN.findall(prompt) if any(map(str.isdigit, word))]
    names = list(dict.fromkeys([*_NAME.findall(prompt), *ids]))[:MOST_NAMES]
    looks = {name_of(tool) for tool in subject.tools if only_looks(tool)}
    calls = [call for call in listing_calls(subject, row, names) if call["tool_calls"][0]["function"]["name"] in looks]
    return play_answers(subject, [(row, [called_together(calls), ""])] if calls else [])
