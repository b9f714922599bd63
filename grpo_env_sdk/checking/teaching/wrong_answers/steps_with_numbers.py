"""Whether the last number that gold says is one of many acts, as where a machine is controlled, and no answer."""

from collections.abc import Sequence

from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, gold_episodes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex

FEWEST_ACTS, MOSTLY = 4, 0.5
"""How many acts there are at least, and in which share of those before the last something is earned."""
_NUMBER = regex(r"-?\d+(?:\.\d+)?")


def is_one_of_many_acts(subject: Subject, known: Sequence[Gold]) -> bool:
    """Whether gold says a number in every turn, and all of them count: each is paid, or there are as many on all rows.

    Who guesses a number says several too, until one is right; those before it earn nothing, and their count differs.
    """
    if subject.traits.kind != "multi-turn" or not all(map(_has_only_numbers, known)):
        return False
    as_many = len({len(gold.turns) for gold in known}) == 1 and len(known) > 1
    return as_many or all(_is_paid_by_step(subject, gold) for gold in known)


def _has_only_numbers(gold: Gold) -> bool:
    """Whether all turns of a gold answer are the same words around another number."""
    said = [str(turn.get("content") or "").strip() for turn in gold.turns if not turn.get("tool_calls")]
    forms = {_NUMBER.sub("0", text) for text in said}
    return FEWEST_ACTS <= len(said) == len(gold.turns) and len(forms) == 1 and "0" in forms.pop()


def _is_paid_by_step(subject: Subject, gold: Gold) -> bool:
    before = gold_episodes(subject)[gold.row].step_rewards[:-1]
    return sum(earned > NEARLY for earned in before) >= max(1, MOSTLY * len(before))
