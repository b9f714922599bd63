"""Answers that are not always worth the same, which make other comparisons useless."""

from grpo_env_sdk.checking.evidence.answers import Said, answers_tried, differing, play, timed_out, worth
from grpo_env_sdk.checking.evidence.subject import Subject

AT_ONCE_AGAIN = 3
"""How often an answer is scored again, one time right after the other."""
MOST_AGAIN = {"quick": 60, "default": 300, "thorough": 2_000}


def unsteady(subject: Subject) -> list[tuple[Said, list[float | str | None]]]:
    """An answer that is worth something else when it is scored again, with what it was worth; empty without one."""
    return subject.once(("score", "unsteady"), lambda: _unsteady(subject))


def _unsteady(subject: Subject) -> list[tuple[Said, list[float | str | None]]]:
    """The first answer that is worth something else when it is scored again at once."""
    tried = [said for said, episode in answers_tried(subject) if not timed_out(episode)]
    chosen = subject.random.sample(tried, min(len(tried), MOST_AGAIN[subject.effort]))
    played = play(subject, [said for said in chosen for _ in range(AT_ONCE_AGAIN)])
    for start in range(0, len(played), AT_ONCE_AGAIN):
        same = played[start : start + AT_ONCE_AGAIN]
        if differing(same[:1], same):
            return [(same[0][0], [worth(episode) for _, episode in same])]
    return []
