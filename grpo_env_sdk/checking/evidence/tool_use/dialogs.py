"""Conversations with a simulated user: by an agent that only talks, by one that does what it hears, and by gold."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, permutations
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, golds, play_all
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, called_together
from grpo_env_sdk.data.messages import call_message, content_text
from grpo_env_sdk.types import Episode, Message, canonical_json

SAID = ("Done. What else can I do for you?", "Could you tell me more, please?", "Yes.", "Is that right?")
"""What an agent says that does nothing."""
MOST_TURNS, MOST_CALLS, MOST_WORDS = 24, 24, 6


def dialogs(subject: Subject, row: int, items: Sequence[Sequence[str]] = ()) -> list[Episode]:
    """The conversations of a row; `items` are the texts of what the user may want, one thing after another."""
    return subject.once(("gold", "dialogs", row, canonical_json(items)), lambda: _played(subject, row, items))


def told_by_user(episode: Episode) -> list[str]:
    """What the user said after the prompt, one text for each time."""
    return [content_text(message.get("content")) for message in episode.completion if message["role"] == "user"]


def told_in(subject: Subject, row: int, episodes: Sequence[Episode]) -> str:
    """All that the prompt and the user said in these conversations."""
    return "\n".join([prompt_text(subject, row), *(text for one in episodes for text in told_by_user(one))])


def user_ended(subject: Subject, episode: Episode) -> bool:
    """Whether a conversation was over before its turns were used up."""
    return len(own_turns(episode.completion)) < subject.traits.max_turns and not episode.error


def _played(subject: Subject, row: int, items: Sequence[Sequence[str]]) -> list[Episode]:
    turns = min(MOST_TURNS, subject.traits.max_turns)
    answers: list[list[Any]] = [[text] * turns for text in SAID]
    asked = [f"What is the {name.replace('_', ' ')}?" for name in _parameters(subject, row)]
    if asked:
        answers.append([*asked, *[SAID[0]] * turns])
    if items:
        answers.append([turn for item in items for turn in (*_done_for(subject, row, item), SAID[0])])
    if gold := golds(subject).get(row):
        answers += [[*_talking(gold), *[SAID[0]] * turns], [*gold.turns, *[SAID[0]] * turns]]
    return [one for one in play_all(subject, [(row, answer) for answer in answers]) if not one.error]


def _parameters(subject: Subject, row: int) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(map(properties_of, subject.tools_of(row)))))


def _talking(gold: Gold) -> Iterator[Message | str]:
    """Gold's calls, with a word after each of them."""
    for act in acts_of(gold):
        yield act
        if act.get("tool_calls"):
            yield SAID[0]


def _done_for(subject: Subject, row: int, texts: Sequence[str]) -> Iterator[Message]:
    """One message that calls each tool with the texts of one thing, in every order."""
    short = [text for text in texts if len(text.split()) <= MOST_WORDS]
    calls = [
        call_message(name_of(tool), **dict(zip(required_of(tool), chosen, strict=True)))
        for tool in subject.tools_of(row)
        for chosen in islice(permutations(short, len(required_of(tool))), MOST_CALLS // 4)
    ][:MOST_CALLS]
    if calls:
        yield called_together(calls)
