"""Whether leaving at once, as the prompt offers, or silence earns more than doing what is asked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.luck import luck_decides
from grpo_env_sdk.checking.evidence.golds import (
    BEST_POSSIBLE,
    NEARLY,
    best_possible,
    gold_episodes,
    play_answers,
    reward_of,
    scored_by_row,
)
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.checking.teaching.telling.ways_to_give_up import tools_to_give_up, words_to_give_up
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Episode, Message

TASTED, MOST_WAYS, SLACK, ALIKE = 3, 10, 0.01, 0.9
_QUOTED = regex(r"`([^`\n]{2,20})`|\"([^\"\n]{2,20})\"|(?<!\w)'([^'\n]{2,20})'(?!\w)|\u201c([^\u201d\n]{2,20})\u201d")
_DECIDES = regex(
    r"\b(?:worth\w*|profit\w*|decide\w*|risk\w*|gambl\w*|bets?|odds|luck\w*|chances?|dice?|cards?|"
    r"as you (?:like|wish|please)|whether to|if you (?:like|think|want|prefer|cannot|can't))\b",
    re.IGNORECASE,
)
"""What a prompt says where leaving may be what is best, and gold may lose by bad luck."""


@check("G689", kinds=("tools", "multi-turn"), needs=("solve",))
def leaving_earns_less_than_the_task(subject: Subject) -> Iterator[Finding]:
    """Where gold does what is asked, leaving at once or saying nothing does not earn more."""
    of_gold = scored_by_row(gold_episodes(subject).values())
    rows = sorted(
        (row for row, one in of_gold.items() if len(own_turns(one.completion)) > 1),
        key=lambda row: reward_of(of_gold[row]),
    )
    for way in _ways(subject, rows[0]) if len(rows) >= FEWEST_ROWS else ():
        if len(_more(subject, of_gold, rows[:TASTED], way)) < TASTED:
            continue
        won = _more(subject, of_gold, rows, way)
        declared = all(best_possible(subject, one.row_index) < reward_of(one) - NEARLY for one in won)
        may_leave = not declared and any(_DECIDES.search(prompt_text(subject, one.row_index)) for one in won)
        if len(won) >= FEWEST_ROWS and not may_leave and not _is_bad_luck(subject, of_gold, won):
            yield _finding(of_gold, won, len(of_gold), way, declared)
            return


def _ways(subject: Subject, row: int) -> list[str | Message]:
    """Nothing, and the words and calls by which the prompt or a tool offers to leave."""
    quoted = ["".join(one) for one in _QUOTED.findall(prompt_text(subject, row))]
    words = dict.fromkeys(["", *words_to_give_up(subject, row), *quoted])
    ways: list[str | Message] = [*tools_to_give_up(subject, row), *words]
    return ways[:MOST_WAYS]


def _more(subject: Subject, of_gold: Mapping[int, Episode], rows: Sequence[int], way: str | Message) -> list[Episode]:
    """The episodes that begin with leaving and earn more than gold, which gets its prize or all that is possible."""
    low, top = subject.traits.reward_range
    slack = SLACK * (top - low) if isfinite(top - low) else NEARLY
    said = bare(way) if isinstance(way, str) else turns_text([way])
    unsaid = [row for row in rows if said not in map(bare, texts_of(own_turns(of_gold[row].completion)))]
    played = scored_by_row(play_answers(subject, [(row, [way]) for row in unsaid]))
    weights = {part.name: part.weight for part in Rubric.of(subject.loaded.env).parts if part.weight > 0}
    most = max(_prize(one, weights) for one in of_gold.values())
    return [
        one
        for row, one in played.items()
        if reward_of(one) > reward_of(of_gold[row]) + slack
        and (
            _prize(of_gold[row], weights) >= max(ALIKE * most, _prize(one, weights) + NEARLY)
            or best_possible(subject, row) < reward_of(one) - NEARLY
        )
    ]


def _prize(episode: Episode, weights: Mapping[str, float]) -> float:
    """What its last step and its named rewards earn, without what steps before and penalties cost."""
    named = sum(weight * (episode.rewards.get(name) or 0.0) for name, weight in weights.items())
    return named + (episode.step_rewards[-1] if episode.step_rewards else 0.0)


def _is_bad_luck(subject: Subject, of_gold: Mapping[int, Episode], won: Sequence[Episode]) -> bool:
    """Whether gold earns as much on one of these rows with another seed."""
    return any(luck_decides(subject, [of_gold[one.row_index]], reward_of(one)) for one in won[:TASTED])


def _finding(
    of_gold: Mapping[int, Episode], won: Sequence[Episode], of: int, way: str | Message, declared: bool
) -> Finding:
    first = won[0]
    what = turns_text([way]) if way else "Saying nothing"
    limit = f", more than its {BEST_POSSIBLE!r}" if declared else ""
    return Finding(
        f"{what} at once earns more than doing what is asked on {Share(len(won), of)}: {first.reward:g} in row "
        f"{first.row_index}, where gold earns {of_gold[first.row_index].reward:g}{limit}.",
        "Raise what the goal pays above all that the way to it can cost, or lower what steps cost: training on these "
        "rows teaches to leave.",
        first.row_index, own_turns(first.completion), reward_with_parts(first),
        f"less than {of_gold[first.row_index].reward:g}", severity="error" if declared else "warning",
    )  # fmt: skip
