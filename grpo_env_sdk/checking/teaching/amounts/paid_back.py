"""Whether far too much of one thing is made good, or made possible, by less than nothing of another."""

from collections.abc import Callable, Sequence

from grpo_env_sdk.checking.evidence.golds import won_of
from grpo_env_sdk.checking.evidence.shown_texts import results_of_gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, Act, Turns, paid, played_acts, some_golds
from grpo_env_sdk.checking.evidence.tool_use.listed_beside import listed_beside
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode, Message, canonical_json

MUCH, OTHERS, SHOWN, FEW = 100, 3, 12, 4
"""What is too many of a thing, for how many others a negative number is tried, of those that gold names and of those
that replies list beside it, and on how many rows at first."""
REFUSE = "Refuse numbers that make no sense for {!r}, in the schema (minimum, maximum) or in the tool."


def paid_back(subject: Subject, acts: Sequence[Act], parameter: str) -> Finding | None:
    """The finding that far too much of one thing is made good, or made possible, by a negative number of another."""
    for what, turns, less, others in (
        (f"Gold with {MUCH} too many in one call, made good by", _made_good, MUCH * MUCH, _of_other_things),
        (f"One call of gold with {MUCH} too many, made possible by", _made_possible, MUCH * MUCH, _of_other_things),
        (f"Gold with {MUCH} too many in one call, made good by", _made_good, MUCH, _listed_beside),
    ):
        if shown := _only_with_another(subject, acts, parameter, turns, less, others):
            extra = f"{acts[0].name} with {parameter}={-less} of something else"
            return paid(subject, shown, len(acts), f"{what} {extra},", REFUSE.format(parameter))
    return None


def _made_good(act: Act, much: Message, less: list[Message]) -> Turns:
    return [*act.before, act.again(), much, *less, *act.end]


def _made_possible(act: Act, much: Message, less: list[Message]) -> Turns:
    return [*less, much, *act.end]


def _only_with_another(
    subject: Subject,
    acts: Sequence[Act],
    parameter: str,
    turns: Callable[[Act, Message, list[Message]], Turns],
    negative: int,
    others: Callable[[Subject, Act, str], list[Act]],
) -> list[Episode]:
    """The episodes with far too much that are gold with a negative number of another thing, and are not without."""

    def tried(act: Act, extra: Act | None) -> tuple[Act, Turns]:
        much = act.again(**{parameter: abs(act.arguments[parameter]) + MUCH})
        return act, turns(act, much, [extra.again(**{parameter: -negative})] if extra else [])

    beside = [(act, others(subject, act, parameter)) for act in acts]
    few = [(act, other) for act, found in beside[:FEW] for other in found]
    pairs = [(act, other) for act, found in beside for other in found]
    made_good: list[Episode] = []
    for some in (few, pairs):
        made_good = won_of(subject, played_acts(subject, [tried(act, other) for act, other in some]))
        rows = {one.row_index for one in made_good}
        alone = played_acts(subject, [tried(act, None) for act in {id(act): act for act, _ in some}.values()])
        lost = {one.row_index for one in alone} - {one.row_index for one in won_of(subject, alone)}
        if len(rows & lost) < max(2, len(lost) // 2):
            return []
    shown = {one.row_index: one for one in made_good if one.row_index in lost}
    return list(shown.values()) if len(shown) >= FEWEST_ROWS else []


def _of_other_things(subject: Subject, act: Act, parameter: str) -> list[Act]:
    """Calls by gold that differ in another argument: for another thing, and not the same one taken back."""

    def thing(one: Act) -> str:
        return canonical_json({key: value for key, value in one.arguments.items() if key != parameter})

    calls = [Act(gold, name, given, []) for gold in some_golds(subject) for name, given in gold.calls]
    same = [call for call in calls if call.name == act.name and parameter in call.arguments]
    others = {thing(one): one for one in same}
    others.pop(thing(act), None)
    return list(others.values())[:OTHERS]


def _listed_beside(subject: Subject, act: Act, parameter: str) -> list[Act]:
    """Calls for the things that a reply lists beside the thing of this one."""
    replies = results_of_gold(subject, act.gold.row)
    things = {
        (name, other): Act(act.gold, act.name, {**act.arguments, name: other}, [])
        for name, value in act.arguments.items()
        if isinstance(value, str) and name != parameter
        for other in listed_beside(value, replies)
    }
    return list(things.values())[:SHOWN]
