"""The words of a prompt that a game answers in another way than words that it does not know."""

from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.input_echo import without_echo
from grpo_env_sdk.checking.evidence.prompts.phrases import NONSENSE, phrases_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.types import Episode

MOST_TRIED, MOST_WORDS = 50, 8


def answered_words(subject: Subject, row: int) -> list[str]:
    """Words and pairs of words of the prompt of a row with a reply of their own; none where that of nonsense varies."""
    words = [*NONSENSE[:3], *phrases_of(prompt_text(subject, row), longest=2)[:MOST_TRIED]]
    played = subject.answers([(row, [word, "..."]) for word in words])
    replies = [_reply(episode, word) for word, episode in zip(words, played, strict=False)]
    if len(set(replies[:3])) != 1:
        return []
    return [word for word, reply in zip(words, replies, strict=False) if reply != replies[0]][:MOST_WORDS]


def _reply(episode: Episode, said: str) -> str:
    """What a first message is answered with, without its own words, and what it earned."""
    text = reply_to(episode) if len(own_turns(episode.completion)) > 1 else "the end"
    return f"{without_echo(text, {'said': said})} {episode.step_rewards[:1]}"
