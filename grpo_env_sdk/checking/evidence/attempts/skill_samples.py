"""Samples of policies of different skill: gold answers in which each piece is right with some probability."""

from collections.abc import Mapping, Sequence

from grpo_env_sdk.checking.evidence.attempts.corruption import Corruption
from grpo_env_sdk.checking.evidence.golds import Gold, golds, play_answers
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.types import Message

SKILLS = (0.1, 0.25, 0.5, 0.75, 0.9)
SAMPLES = 16
ROWS = {"quick": 4, "default": 8, "thorough": 48}
SURELY = 3.0
"""The seconds that they get whatever the check has left, as a busy machine may have used them up."""
Rewards = Mapping[float, Mapping[int, Sequence[float]]]
"""The rewards of the samples, by skill and by row."""


def sampled(subject: Subject) -> Rewards:
    """The rewards of policies of different skill: each piece of gold is right with that probability."""
    return subject.once(("forecast", "sampled"), lambda: _sampled(subject))


def _sampled(subject: Subject) -> dict[float, dict[int, list[float]]]:
    known = list(golds(subject).values())
    corruption = Corruption([gold.turns for gold in known])
    chosen = known[:: max(1, len(known) // ROWS[subject.effort])][: ROWS[subject.effort]]
    found: dict[float, dict[int, list[float]]] = {skill: {} for skill in SKILLS}
    with subject.with_time(max(SURELY, subject.time_left)):
        for gold in chosen:  # a row at all skills, so that a lack of time costs whole rows
            asked = [(skill, _at(skill, gold, corruption, subject)) for skill in SKILLS for _ in range(SAMPLES)]
            episodes = play_answers(subject, [(gold.row, turns) for _, turns in asked])
            if len(episodes) < len(asked):
                break
            for (skill, _), episode in zip(asked, episodes, strict=True):
                if episode.reward is not None:
                    found[skill].setdefault(gold.row, []).append(episode.reward)
    return found


def _at(skill: float, gold: Gold, corruption: Corruption, subject: Subject) -> list[Message]:
    """One answer of a policy with that skill; if no piece is wrong it is gold itself."""
    wrong = [piece for piece in corruption.pieces(gold.turns) if subject.random.random() >= skill]
    return corruption.corrupted(gold.turns, wrong, subject.random)
