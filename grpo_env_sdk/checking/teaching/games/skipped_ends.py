"""Whether a wrong act that costs more than others can skip the end of a game, as from one life to -1."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, TASTED, MOST_WRONG, MOST_HEAVY, BACK = 8, 3, 14, 4, 3
"""On how many rows it is tried, and on how many first; how many wrong acts are done, how many others one of them is
exchanged for, and how many acts earlier these have to end the game."""
_LIVES = regex(
    r"\b(?:lives|life|tries|attempts|guesses|chances|hearts|health|hp|energy|strikes?|mistakes|misses|errors|strokes|"
    r"stamina|leben|versuche|vies|essais|vidas|intentos)\b",
    re.IGNORECASE,
)
_LETTERS, _WORDS, _NUMBERS = "zqxjvkwyfbhgpdcm", ("lorem", "zephyr"), (987_654, 10**9)
Skipped = tuple[list[Message], Episode, list[Message]]
"""The acts before the skipped end, the episode that is won after them, and the acts that ended it before."""


def skipped_ends(subject: Subject) -> Iterator[Finding]:
    """The finding that an act which ends a game at some point does not end it one wrong act later."""
    for choices in choices_of(subject).values():
        known = [one for one in choices if _LIVES.search(prompt_and_tools(subject, one.gold.row))][:MOST_ROWS]
        values = list(dict.fromkeys(one.value for one in choices))
        found: list[tuple[Choice, Skipped]] = []
        for tried, one in enumerate(known if len(known) >= FEWEST_ROWS else []):
            if tried == TASTED and not found:
                break
            if skipped := _skipped(subject, one, values):
                found.append((one, skipped))
        if len(found) >= FEWEST_ROWS - 1:
            yield _finding(subject, found, len(known))
            return


def _finding(subject: Subject, found: Sequence[tuple[Choice, Skipped]], of: int) -> Finding:
    one, (acts, episode, ended) = found[0]
    return Finding(
        f"A game is lost after {turns_text(ended)}, but not after {turns_text(acts)}, which is one wrong act more: it "
        f"goes on and scores {episode.reward:g} as gold does, on {len(found)} of {of} rows.",
        "Compare with <= 0 where lives or tries are taken off, as more than one may go at once.",
        one.gold.row, own_turns(episode.completion), episode.reward, less_than_gold(subject, episode),
    )  # fmt: skip


def _skipped(subject: Subject, one: Choice, values: Sequence[str | int]) -> Skipped | None:
    """What ends the game of a row after some wrong acts, and not after one or two more."""
    for light in _light(one, values):
        lost = _lost_at(subject, one, light)
        if lost < 2 or _won(subject, one, light[: lost - 1]) is None:
            continue
        for heavy in _heavy(one, values):
            late = _won(subject, one, [*light[: lost - 1], heavy])
            for fewer in range(2, min(BACK, lost) + 1) if late else ():
                early = [*light[: lost - fewer], heavy]
                if late and _lost_at(subject, one, early) == len(early):
                    return [*light[: lost - 1], heavy], late, early
    return None


def _light(one: Choice, values: Sequence[str | int]) -> Iterator[list[Message]]:
    """Wrong acts that may cost one life each: other letters, the values of other rows, one of them again and again."""
    others = [_act(one, value) for value in values if value != one.value][:MOST_WRONG]
    if isinstance(one.value, str):
        yield [_act(one, letter) for letter in _LETTERS]
    if len(others) > 1:
        yield others
        yield others[:1] * MOST_WRONG


def _heavy(one: Choice, values: Sequence[str | int]) -> list[Message]:
    """Wrong acts that may cost more than one life."""
    others = sorted((value for value in values if value != one.value), key=lambda value: -len(str(value)))
    new = _WORDS if isinstance(one.value, str) else _NUMBERS
    return [_act(one, value) for value in [*new, *others[:2]]][:MOST_HEAVY]


def _act(one: Choice, value: str | int) -> Message:
    return one.turns(value, whole=False)[0]


def _lost_at(subject: Subject, one: Choice, acts: Sequence[Message]) -> int:
    """With which of these acts the game is lost; 0 where it goes on after them, or is not lost."""
    for episode in _played(subject, one, acts):
        turns = len(own_turns(episode.completion))
        if turns <= len(acts) and episode.stop_reason == "terminated" and not as_good_as_gold(subject, episode):
            return turns
    return 0


def _won(subject: Subject, one: Choice, acts: Sequence[Message]) -> Episode | None:
    """The episode of these acts and gold, if it is as good as gold."""
    played = _played(subject, one, acts)
    return next((episode for episode in played if as_good_as_gold(subject, episode)), None)


def _played(subject: Subject, one: Choice, acts: Sequence[Message]) -> list[Episode]:
    turns: Completion = [*acts, *one.gold.turns]
    return [episode for episode in play_answers(subject, [(one.gold.row, turns)]) if not episode.error]
