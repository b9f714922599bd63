"""Whether an episode is rewarded for work that an earlier episode did."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import Answer
from grpo_env_sdk.checking.evidence.attempts.omissions import Omission, omissions
from grpo_env_sdk.checking.evidence.attempts.trajectory import first_difference, trajectory_of
from grpo_env_sdk.checking.evidence.attempts.unsteady import unsteady
from grpo_env_sdk.checking.evidence.golds import NEARLY, as_good_as_gold, golds, play_answers
from grpo_env_sdk.checking.evidence.processes.other_process import play_in_other_process
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

MANY = {"quick": 10, "default": 30, "thorough": 200}
MOST_PROCESSES = 3
"""Each plays episodes without one tool, so that nothing in it has called that tool."""
_IN_A_PROCESS = 4
_ANEW = "Create state in setup or reset: what a class, a module or a default argument holds outlives the episode."


@check("E307", needs=("calls", "gold"), share=2)
def an_episode_does_its_own_work(subject: Subject) -> Iterator[Finding]:
    """An episode is not rewarded for work that an earlier episode did."""
    found = next(chain(_on_one_instance(subject), _in_one_process(subject)), None)
    if found and not unsteady(subject):  # S210 reports it
        yield found


@check("E353", kinds=("multi-turn",), needs=("gold",))
def a_game_begins_anew(subject: Subject) -> Iterator[Finding]:
    """The last act of gold alone does not win because an earlier episode of the process has done the others."""
    known = [gold for gold in golds(subject).values() if len(gold.turns) > 2][:_IN_A_PROCESS]
    if subject.traits.runs_tools != "none" or len(known) < _IN_A_PROCESS or unsteady(subject):
        return
    answers = [Answer(gold.row, "gold's last act", gold.turns[-1:]) for gold in known]
    alone = play_answers(subject, [(item.row, item.completion) for item in answers])
    paid = [item for item, episode in zip(answers, alone, strict=False) if as_good_as_gold(subject, episode)]
    there = play_in_other_process(subject, paid) or [] if paid else []
    for item, episode in there:
        if episode.reward is not None and not as_good_as_gold(subject, episode):
            gold = golds(subject)[item.row]
            yield Finding(
                f"The last act of gold alone scores {gold.reward:g} in a process that played gold before, and "
                f"{episode.reward:g} in a new one: what an episode does is still there in the next.",
                _ANEW, item.row, item.completion, gold.reward, episode.reward,
            )  # fmt: skip
            return


def _on_one_instance(subject: Subject) -> Iterator[Finding]:
    """Gold, a reset, and then gold of the same row without some calls."""
    if subject.traits.instances != "constructed":
        return
    left_out = [
        item for items in omissions(subject).values() for item in items if not item.paid and not item.episode.error
    ]
    for item in left_out[:: max(1, len(left_out) // MANY[subject.effort])]:
        if not subject.time_left:
            return
        answer, gold = _answer(item), Answer(item.gold.row_index, "gold", item.gold.completion)
        fresh = trajectory_of(subject, answer)
        difference = first_difference(fresh, trajectory_of(subject, answer, gold))
        if difference and first_difference(fresh, trajectory_of(subject, answer)) is None:
            where, usual, changed = difference
            message = f"after gold and a reset, {where} differs from that of a new instance."
            yield _finding(item, f"{_name(item)}: {message}", changed, usual)


def _in_one_process(subject: Subject) -> Iterator[Finding]:
    """What is rewarded in this process, where gold was played, and not in a new one."""
    paid = [[item for item in items if item.paid] for items in omissions(subject).values()]
    for items in islice(filter(None, paid), MOST_PROCESSES):
        if not subject.time_left:
            return
        there = play_in_other_process(subject, [_answer(item) for item in items[:_IN_A_PROCESS]]) or []
        for item, (_, episode) in zip(items, there, strict=False):
            here, alone = item.episode.reward, episode.reward
            if here is not None and alone is not None and alone < here - NEARLY:
                message = f"scores {here:g} in a process that played gold before, and {alone:g} in a new one."
                yield _finding(item, f"{_name(item)} {message}", here, alone)


def _name(item: Omission) -> str:
    return f"Gold of row {item.gold.row_index} without its calls{item.tool and f' of {item.tool}'}"


def _answer(item: Omission) -> Answer:
    return Answer(item.gold.row_index, "gold without some calls", item.episode.completion or "")


def _finding(item: Omission, message: str, output: Any, expected: Any) -> Finding:
    return Finding(message, _ANEW, item.gold.row_index, item.episode.completion, output, expected)
