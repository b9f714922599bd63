"""Answers that do not always get the same score, which makes other comparisons useless."""

from collections import Counter

from grpo_env_sdk.checking.evidence.attempts.answers import (
    ONE_PIECE_WRONG,
    Answer,
    answers_tried,
    differing,
    play,
    result_of,
    timed_out,
)
from grpo_env_sdk.checking.evidence.golds import UNSTEADY
from grpo_env_sdk.checking.evidence.subject import Subject

AT_ONCE_AGAIN = 3
"""How often an answer is scored again in a row."""
MOST_AGAIN = {"quick": 60, "default": 120, "thorough": 2_000}


def unsteady(subject: Subject) -> list[tuple[Answer, list[float | str | None]]]:
    """An answer that gets another result when it is scored again, with its results; empty if there is none."""
    return subject.once(UNSTEADY, lambda: _unsteady(subject))


def _unsteady(subject: Subject) -> list[tuple[Answer, list[float | str | None]]]:
    """The first answer that gets another result when it is scored again immediately."""
    tried = [(answer, result_of(episode)) for answer, episode in answers_tried(subject) if not timed_out(episode)]
    usual = Counter(result for _, result in tried).most_common(1)
    subject.random.shuffle(tried)
    # what a scorer that looks at some parts misses at times comes first, and what most answers get says little
    tried.sort(key=lambda one: (one[0].what != ONE_PIECE_WRONG, one[1] == usual[0][0]))
    chosen = [answer for answer, _ in tried[: MOST_AGAIN[subject.effort]]]
    played = play(subject, [answer for answer in chosen for _ in range(AT_ONCE_AGAIN)])
    for start in range(0, len(played), AT_ONCE_AGAIN):
        same = played[start : start + AT_ONCE_AGAIN]
        if differing(same[:1], same):
            return [(same[0][0], [result_of(episode) for _, episode in same])]
    return []
