"""Whether a call with more, or with less, than the number that the prompt gives is as good as gold."""

import re
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot, slots_of, with_values
from grpo_env_sdk.checking.evidence.golds import play_scored, won_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

SMALLEST, FEWEST_VALUES = 2, 3
_COMPARED = r"more|less|fewer|over|under|later|earlier"
_A_BOUND = regex(
    rf"\b(?:at (?:least|most)|(?:or|no|not) (?:{_COMPARED})|(?:{_COMPARED}|higher|lower|larger|smaller|greater) than|"
    r"up to|min\w*|max\w*|limit\w*|budget\w*|enough|over|under|above|below|within|about|around|roughly|approx\w*|"
    r"suffic\w*|exceed\w*|cover\w*|between|until|by|tight\w*)\b|[<>≤≥±]",
    re.IGNORECASE,
)
"""What a prompt says where a number of it is a bound, or where others are near enough."""
_NAMED_A_BOUND = regex(r"min|max|limit|least|top|budget|page|size|until|before|after", re.IGNORECASE)


@check("G620", kinds=("tools",), needs=("gold",))
def a_number_of_the_prompt_is_no_bound(subject: Subject) -> Iterator[Finding]:
    """A call with one more than the number that the prompt gives, or one less, scores less than gold."""
    for (act, name), own in slots_of(subject).items():
        asked = [] if act == TEXT or _NAMED_A_BOUND.search(name) else [slot for slot in own if _is_asked(subject, slot)]
        if len(asked) < FEWEST_ROWS or len({slot.value for slot in asked}) < min(FEWEST_VALUES, len(own)):
            continue
        more, less = _played(subject, asked, 1), _played(subject, asked, -1)
        for word, accepted, refused in (("more", more, less), ("less", less, more)):
            if len(accepted) == len(refused) == len(asked) and not won_of(subject, refused):
                won = won_of(subject, accepted)
                if len(won) == len(accepted):
                    what = f"A call of {act} with {name!r} one {word} than the prompt asks for"
                    hint = f"Compare the whole number with the right one: any {name!r} that is {word} counts too."
                    yield paid(subject, won, len(asked), what, hint)
                    return


def _is_asked(subject: Subject, slot: Slot) -> bool:
    """Whether the prompt gives the value of a slot as a number, and nothing makes it a bound."""
    if isinstance(slot.value, bool) or not isinstance(slot.value, int | float) or slot.value < SMALLEST:
        return False
    prompt = prompt_text(subject, slot.gold.row)
    return re.search(rf"(?<![\w.:/-]){slot.value:g}(?![\w:/-]|\.\d)", prompt) is not None and not _A_BOUND.search(
        prompt
    )


def _played(subject: Subject, slots: Sequence[Slot], change: int) -> list[Episode]:
    return play_scored(subject, [(slot.gold.row, with_values([slot], [slot.value + change])) for slot in slots])
