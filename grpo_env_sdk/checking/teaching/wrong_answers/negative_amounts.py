"""Whether less than nothing counts in an answer of amounts: in place of one, or to pay for more of another."""

from collections.abc import Iterator
from itertools import chain, islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.amounts.negative_in_calls import negative_in_calls
from grpo_env_sdk.checking.teaching.amounts.negative_parts import negative_parts


@check("G676", kinds=("single-turn",), needs=("gold",))
def negative_amounts_in_answers_lose(subject: Subject) -> Iterator[Finding]:
    """An answer with a negative amount of one thing is not right where it is wrong without that thing."""
    yield from islice(chain(negative_parts(subject), negative_in_calls(subject)), 1)
