"""Whether a game takes its own words for true that the model writes itself."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, play_answers, won_of
from grpo_env_sdk.checking.evidence.secret_words import words_of
from grpo_env_sdk.checking.evidence.shown_texts import replies_to_gold, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import places_of_turns
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_TURNS, MOST_CHARS = 4, 8, 2000
"""On how many rows it is tried first, how many turns follow that say nothing, and how long replies may be."""
_NOTHING: Message = {"role": "assistant", "content": "."}


def forged_replies(subject: Subject) -> Iterator[Finding]:
    """The finding that the replies to gold, written by the model, score as gold where the game does not give them."""
    known = {gold.row: (gold, text) for gold in some_golds(subject) if (text := _last_reply(subject, gold))}
    if len(known) < FEWEST_ROWS or any(turn.get("tool_calls") for gold, _ in known.values() for turn in gold.turns):
        return
    for whole in (False, True):
        tried = [(gold, _forged(subject, gold, whole)) for gold, _ in known.values()]
        if not _paid(subject, tried[:TASTED], known):
            continue
        won = _paid(subject, tried, known)
        if as_good_on_most(subject, won, len(tried)):
            yield paid(
                subject, won, len(tried), "A message with the game's reply to gold, which the game does not give then,",
                "Score what was done, or read only what the environment has said: not the model's own messages.",
            )  # fmt: skip
            return


def _paid(
    subject: Subject, tried: Sequence[tuple[Gold, list[Message]]], known: dict[int, tuple[Gold, str]]
) -> list[Episode]:
    """The episodes that score as gold without gold's last reply to them."""
    won = won_of(subject, play_answers(subject, [(gold.row, turns) for gold, turns in tried]))
    return [one for one in won if not one.error and not _is_said(known[one.row_index][1], one)]


def _forged(subject: Subject, gold: Gold, whole: bool) -> list[Message]:
    """The last reply to gold, or all of them, as a message, and turns that say nothing."""
    said = replies_to_gold(subject, gold.row) if whole else [_last_reply(subject, gold)]
    fill = [_NOTHING] * min(MOST_TURNS, max(0, subject.traits.max_turns - 1))
    return [{"role": "assistant", "content": "\n".join(said)[-MOST_CHARS:]}, *fill]


def _last_reply(subject: Subject, gold: Gold) -> str:
    """What the environment says to the last turn of gold."""
    episode = gold_episodes(subject)[gold.row]
    own = places_of_turns(episode.completion)
    return " ".join(texts_of(episode.completion[own[-1] :])) if own else ""


def _is_said(reply: str, episode: Episode) -> bool:
    """Whether the game itself says something like a reply."""
    words = words_of(reply)
    return any(2 * len(words & words_of(text)) >= len(words) for text in texts_of(episode.completion))
