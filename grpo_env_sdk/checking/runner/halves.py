"""The two halves of the checks, and when an environment may be in two processes that run one each."""

from collections.abc import Sequence

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.evidence.answers import equal, result_of
from grpo_env_sdk.checking.evidence.outside import Outside
from grpo_env_sdk.checking.evidence.probes import probes_started
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.envs.shared_resource import opens_shared

FIRST = ("C101", "C102", "C103", "C104")
"""The preconditions of all other checks; these always run, before all others."""
_GROUPS = ("contract", "tools", "teaching", "forecast", "cost")
LONG = 5.0
"""An environment whose episodes take more seconds stays in one process: trying one again would cost more."""
_OF_BUILDS = ("C120", "C121", "C130")
_OF_GOLD = ("E307", "E330", "E331", "E332")


def second_half(ids: Sequence[str]) -> tuple[str, ...]:
    """The checks that gold and calls of tools are played for; the others share the answers of S201, and builds."""
    checks = all_checks()
    wanted = [id for id in ids if checks[id].group in _GROUPS or id in _OF_GOLD]
    return tuple(id for id in wanted if id not in (*FIRST, *_OF_BUILDS) and not checks[id].seconds)


def may_be_twice(subject: Subject, outside: Outside) -> bool:
    """Whether another process can go on with a copy of all that the environment has, and neither disturbs the other."""
    traits, loaded = subject.traits, subject.loaded
    one_by_one = not traits.parallel and traits.kind != "single-turn"
    alone = traits.max_live or one_by_one or loaded.scores_with_model or opens_shared(loaded.env)
    if alone or outside.used or subject.episode_seconds > LONG or not _is_steady(subject):
        return False
    subject.loops.close()
    return not outside.holds(children=probes_started(subject))


def _is_steady(subject: Subject) -> bool:
    """Whether the first answers get the same rewards again: else what S210 finds decides how others play."""
    row = subject.rows.indices[0]
    gold = subject.recall(("gold", row))
    answers = [(row, ""), *([(row, gold.completion)] if gold else [])]
    first, again = ([result_of(one) for one in subject.answers(answers, at_once=1)] for _ in range(2))
    return all(map(equal, first, again))
