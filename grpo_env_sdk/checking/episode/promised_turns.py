"""Whether an episode has as many turns as its prompt promises."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNTS, count_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding

MOST_ROWS, MOST_PROMISED = 20, 500
_ONE_EACH = re.compile(r"\b(?:each|every|a|one|per) (?:message|turn|reply)\b", re.IGNORECASE)
"""What a prompt says where a turn is one act, and not a list of them."""
_NUMBER = rf"(\d{{1,3}}|{'|'.join(sorted(COUNTS, key=len, reverse=True))})"
_PROMISED = re.compile(
    rf"\b(?:you (?:have|get|may (?:use|make|take|send|give|play))|you can (?:use|make|take|send|give|play)|within|"
    rf"there are|up to|at most|after|no more than)(?: (?:up to|at most|exactly))? {_NUMBER} "
    r"(?:commands?|messages?|turns?|moves?|steps?|actions?|guesses|attempts|tries|rounds)\b",
    re.IGNORECASE,
)


@check("E352", kinds=("multi-turn",), needs=("rows",))
def episodes_have_the_turns_that_are_promised(subject: Subject) -> Iterator[Finding]:
    """No prompt promises more turns than an episode has."""
    most = subject.traits.max_turns
    if subject.traits.runs_tools != "none":
        return  # one message may have several calls
    for row in subject.sample(MOST_ROWS):
        said = prompt_text(subject, row)
        found = [one for one in _PROMISED.finditer(said) if most < count_of(one[1]) <= MOST_PROMISED]
        if found:
            yield Finding(
                f"The prompt speaks of {found[0][0]!r}, and an episode ends after max_turns = {most}.",
                f"Set max_turns to at least {count_of(found[0][1])}, or say in the prompt how many there are.",
                row, output=most, expected=count_of(found[0][1]),
                severity="error" if _ONE_EACH.search(said) else "warning",
            )  # fmt: skip
            return
