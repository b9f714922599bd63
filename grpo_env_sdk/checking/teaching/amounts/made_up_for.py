"""Whether a wrong choice is made up for by repeating another call of gold, such as that of a voucher."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Turns, as_good_on_most, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, Message

FEWEST_VALUES, TIMES, FIRST = 3, 8, 4
"""The fewest different values of gold, how often a call is repeated, and on how many rows at first."""


@check("G614", kinds=("tools",), needs=("acts",))
def wrong_choices_are_not_made_up_for(subject: Subject) -> Iterator[Finding]:
    """Gold with a wrong value is not gold again once another of its calls is repeated."""
    changing = {name_of(tool) for tool in subject.tools if not only_looks(tool)}
    for (tool, parameter), choices in choices_of(subject).items():
        known = list(dict.fromkeys(choice.value for choice in choices))
        others = {name for choice in choices for name, _ in choice.gold.calls} & changing - {tool}
        if not parameter or tool not in changing or len(known) < FEWEST_VALUES or len(choices) < FEWEST_ROWS:
            continue
        for other in sorted(others):
            if any(_won(subject, choices[:FIRST], known, other)):
                won = list(_won(subject, choices, known, other))
                if as_good_on_most(subject, won, len(choices)):
                    what = f"Gold with another {parameter!r} of {tool}, and {TIMES} calls of {other} in place of one,"
                    hint = f"Let {other} change something once in an episode, or refuse it from the second time on."
                    yield paid(subject, won, len(choices), what, hint)
                    return


def _won(subject: Subject, choices: Sequence[Choice], known: Sequence[str | int], other: str) -> Iterator[Episode]:
    """The best episode of each row in which only the repetition makes a wrong value as good as gold."""
    for number, choice in enumerate(choices):
        wrong = [value for value in [*known[number:], *known[:number]] if value != choice.value]
        for value in islice(wrong, 2):
            once = choice.turns(value)
            played = play_answers(subject, [(choice.gold.row, once), (choice.gold.row, _repeated(once, other))])
            if len(played) == 2 and not as_good_as_gold(subject, played[0]) and as_good_as_gold(subject, played[1]):
                yield played[1]
                break


def _repeated(turns: Sequence[Message], name: str) -> Turns:
    """Turns in which each call of a tool is made many times, in the same message."""
    found = deepcopy(list(turns))
    for turn in found:
        if calls := turn.get("tool_calls"):
            turn["tool_calls"] = [one for call in calls for one in [call] * _times(call, name)]
    return found


def _times(call: Message, name: str) -> int:
    return TIMES if call["function"]["name"] == name else 1
