"""Whether a game that says that it is lost goes on, and can still be won."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.acts import FEWEST_ROWS, MOST_ROWS
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, less_than_gold, play_answers, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.turns import own_turns
from grpo_env_sdk.checking.evidence.variants import texts_of
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, Message

TASTED, PLACES, OTHERS = 4, 3, 3
"""On how many rows a wrong act is tried first, at how many places, and how many of them at each."""
_LOST = re.compile(
    r"\byou(?:'ve| have)? (?:los[et]|died?|are dead|failed|crash(?:ed)?|drown(?:ed)?)\b|\bgame over\b|\bboom\b|"
    r"\byou are out\b|\bthe (?:game|round|match) is (?:over|lost)\b|"
    r"\bno (?:guesses|lives|tries|attempts) (?:are )?left\b",
    re.IGNORECASE,
)


@check("G567", kinds=("multi-turn", "tools"), needs=("gold",))
def a_lost_game_is_over(subject: Subject) -> Iterator[Finding]:
    """After a reply that says that the game is lost, gold's acts no longer score."""
    known = [gold for gold in list(golds(subject).values())[: MOST_ROWS[subject.effort]] if len(gold.turns) > 1]
    acts = {str(turn.get("content") or turn["tool_calls"]): _bare(turn) for gold in known for turn in gold.turns[:-1]}
    some = list(acts.values())
    won = _won(subject, known[:TASTED], some)
    if not won or len(known) < FEWEST_ROWS:
        return
    won += _won(subject, known[TASTED:], some)
    rows = {one.row_index for one, _ in won}
    if len(rows) >= FEWEST_ROWS - 1:
        episode, said = won[0]
        yield Finding(
            f"A game that says that it is lost goes on, and scores {episode.reward:g} as gold does, on {len(rows)} of "
            f"{len(known)} rows: {quoted(said, 100)}.",
            "End the episode (terminated=True) where it is lost, or let later acts have no effect.",
            episode.row_index, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
        )  # fmt: skip


def _bare(turn: Message) -> Message:
    return {key: value for key, value in turn.items() if key in ("role", "content", "tool_calls")}


def _won(subject: Subject, known: Sequence[Gold], acts: Sequence[Message]) -> list[tuple[Episode, str]]:
    """The episodes with an act of another kind in them that were lost by a reply's words, and are as good as gold."""
    tried = [
        (gold.row, [*gold.turns[:place], act, *gold.turns[place + skip :]])
        for gold in known
        for place in range(min(PLACES, len(gold.turns)))
        for act in [act for act in acts if act != _bare(gold.turns[place])][:OTHERS]
        for skip in (0, 1)
    ]
    played = [one for one in play_answers(subject, tried) if as_good_as_gold(subject, one)]
    return [(one, said) for one in played if (said := _lost_before_the_end(one))]


def _lost_before_the_end(episode: Episode) -> str:
    """The reply that said that it was lost, before the last turn."""
    last = max((place for place, one in enumerate(episode.completion) if one["role"] == "assistant"), default=0)
    return next((text for text in texts_of(episode.completion[:last]) if _LOST.search(text)), "")
