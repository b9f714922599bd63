"""Whether gold's answers contradict what the tools say to gold's own calls."""

from collections.abc import Iterator
from itertools import chain, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.telling.places_of_rules import gold_looks_elsewhere
from grpo_env_sdk.checking.teaching.telling.turned_about import gold_is_the_opposite


@check("G675", kinds=("tools", "multi-turn"), needs=("calls", "gold"))
def gold_says_what_the_tools_say(subject: Subject) -> Iterator[Finding]:
    """Gold answers what its tools say, and not the opposite, nor what is in another place than the prompt names."""
    yield from islice(chain(gold_is_the_opposite(subject), gold_looks_elsewhere(subject)), 1)
