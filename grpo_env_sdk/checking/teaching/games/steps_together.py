"""Whether steps that are refused one by one are carried out as the steps of one answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.walks import Walk, walks_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, play_scored, too_good
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, TASTED, FEWEST_ROWS, MOST_ORDERS = 6, 3, 3, 4
"""On how many rows steps are put in another order, on how many first, on how many it has to count, in how many ways."""
_RULES = regex(
    r"\b(?:impossible|illegal|invalid|legal|forbidden|not (?:allowed|possible|permitted)|walls?|hedges?|fences?|"
    r"obstacles?|blocked|closed|locked|doors?|(?:off|leaves?|leaving|outside) the (?:board|grid|map)|nobody|"
    r"may (?:only|not)|can(?:not|'t| only)|fails?|refused)\b",
    re.IGNORECASE,
)
"""What a prompt says where some steps break a rule."""


@dataclass(frozen=True, slots=True)
class Jump:
    """An answer with steps in another order than gold's, which wins, and the reply that one of them alone gets."""

    episode: Episode
    refusal: str


@check("G652", kinds=("tools", "multi-turn"), needs=("gold",))
def steps_together_are_held_to_the_rules(subject: Subject) -> Iterator[Finding]:
    """Steps in one answer do not score as gold where the same steps one by one are refused."""
    for between, known in walks_of(subject):
        walks = sorted(known, key=lambda walk: len(walk.steps))
        usual = list(takewhile(partial(_is_gold_either_way, subject, between), walks[:TASTED]))
        if len(usual) < TASTED:
            continue  # it takes no answers with several steps, or with one
        jumps = [jump for walk in usual if (jump := _jump(subject, walk, between))]
        rest = [walk for walk in walks[TASTED:MOST_ROWS] if jumps and _is_gold_either_way(subject, between, walk)]
        jumps += [jump for walk in rest if (jump := _jump(subject, walk, between))]
        if len(jumps) >= FEWEST_ROWS:
            yield _finding(subject, jumps, len(usual) + len(rest))
        return


def _finding(subject: Subject, jumps: Sequence[Jump], of: int) -> Finding:
    episode = jumps[0].episode
    said = quoted(turns_text(own_turns(episode.completion)), 120)
    return Finding(
        f"Steps in one answer score as much as gold that are refused one by one, on {len(jumps)} of {of} rows: {said} "
        f"scores {episode.reward:g}, and one of its steps alone gets {quoted(jumps[0].refusal, 100)}.",
        "Check each step of an answer from where the one before it has led; stop at the first that is not possible.",
        *too_good(subject, episode),
        severity="error" if _RULES.search(prompt_text(subject, episode.row_index)) else "warning",
    )  # fmt: skip


def _is_gold_either_way(subject: Subject, between: str, walk: Walk) -> bool:
    """Whether the steps of gold win in one answer, and one by one."""
    ways = [walk.together(walk.steps, between), walk.one_by_one(walk.steps)]
    if max(map(len, ways)) > subject.traits.max_turns:
        return False
    played = play_scored(subject, [(walk.gold.row, way) for way in ways])
    return len(played) == len(ways) and all(as_good_as_gold(subject, one) for one in played)


def _jump(subject: Subject, walk: Walk, between: str) -> Jump | None:
    """The steps of gold in another order that win in one answer alone."""
    usual = {_bare(reply) for reply in _replies(_one_by_one(subject, walk, walk.steps))}
    for steps in _orders(walk.steps):
        won = play_scored(subject, [(walk.gold.row, walk.together(steps, between))])
        if not won or not as_good_as_gold(subject, won[0]):
            continue
        apart = _one_by_one(subject, walk, steps)
        refused = [reply for reply in _replies(apart) if _bare(reply) not in usual]
        if apart and refused and not as_good_as_gold(subject, apart[0]):
            return Jump(won[0], refused[0])
    return None


def _orders(steps: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The same steps in some other orders: those of one kind together, the last ones first, and halves exchanged."""
    half = len(steps) // 2
    kinds = sorted(set(steps))
    ways = [sorted(steps), sorted(steps, reverse=True), steps[::-1], steps[half:] + steps[:half]]
    ways += [sorted(steps, key=lambda step: (step != kind, step)) for kind in kinds[1:-1]]
    return [one for one in dict.fromkeys(map(tuple, ways)) if one != steps][:MOST_ORDERS]


def _one_by_one(subject: Subject, walk: Walk, steps: Sequence[str]) -> list[Episode]:
    return play_scored(subject, [(walk.gold.row, walk.one_by_one(steps))])


def _replies(played: Sequence[Episode]) -> list[str]:
    """What each step is answered with."""
    replies = [reply_to(one, turn) for one in played for turn in range(len(own_turns(one.completion)))]
    return [reply for reply in replies if reply]


def _bare(reply: str) -> str:
    return re.sub(r"\d+", "#", reply)
