"""Whether episodes change the process: random states, working directory, environment variables, limits."""

import random
import sys
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import STATE, answers_tried
from grpo_env_sdk.checking.evidence.playing.process_state import process_state
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import NOT_YOURS, Finding, Severity
from grpo_env_sdk.isolation.process_state.random_state import preserved_random_state, seed_all

_FEW = {"quick": 20, "default": 60, "thorough": 300}


@check("E305")
def an_episode_leaves_the_process_alone(subject: Subject) -> Iterator[Finding]:
    """Playing and scoring do not seed the global random state or change settings of the process."""
    cases = [answer for answer, episode in answers_tried(subject) if not episode.error]
    subject.random.shuffle(cases)
    cases = cases[: _FEW[subject.effort]]
    with preserved_random_state():
        for answer in cases:
            if not subject.time_left:
                break
            after = []
            for seed in (1, 2):
                _seed_all(seed)
                subject.answer(answer.row, answer.completion)
                after.append([random.getstate(), *_other_states()])
            equal = [name for name, one, other in zip(_NAMES, *after, strict=False) if one == other]
            if equal:
                message = f"An episode seeds the global random state of {equal[0]}."
                yield Finding(message, _OWN_GENERATOR, answer.row, answer.completion)
                break
    before, now = subject.once(STATE, process_state), process_state()
    changed = next((name for name in now if now[name] != before[name]), None)
    if changed and cases:
        message = f"Episodes change {changed} for the whole process."
        hint = "Restore it at the end of the episode, or avoid the change."
        severity: Severity = "error" if changed == "the working directory" else "warning"
        one, other = (_differing_items(state[changed], rest[changed]) for state, rest in ((before, now), (now, before)))
        yield Finding(message, hint, cases[0].row, cases[0].completion, other, one, severity)


_OWN_GENERATOR = (
    f"Use random.Random(seed), a generator of your own: else a trainer samples the same text again. {NOT_YOURS}"
)
_NAMES = ("Python (random)", "numpy", "torch")


def _seed_all(seed: int) -> None:
    seed_all(seed)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(seed)


def _other_states() -> list[Any]:
    """The states of numpy, and of torch if it is imported."""
    import numpy

    state: Any = numpy.random.get_state()
    name, keys, *rest = state
    torch = sys.modules.get("torch")
    return [(name, keys.tobytes(), *rest), *([torch.get_rng_state().numpy().tobytes()] if torch else [])]


def _differing_items(value: Any, other: Any) -> Any:
    """The value; of a dict only the items that differ, as the rest may be long or secret."""
    if not isinstance(value, dict):
        return value
    return {key: item for key, item in value.items() if other.get(key) != item}
