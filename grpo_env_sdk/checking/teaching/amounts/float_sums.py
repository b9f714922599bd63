"""Whether amounts in calls that are added up to an exact total count in any order, as decimals do and floats do not."""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from itertools import islice, permutations
from operator import add, sub

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import reward_with_parts
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import Turns, carried_out, is_amount, placed_calls, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

FEWEST_ROWS, FEWEST_OF_EACH, MOST_ORDERS, OF_A_ROW = 2, 3, 720, 2
"""On how many rows orders lose, how many lose and score in all, how many are looked at, and played on each row."""


@dataclass(frozen=True, slots=True)
class _Order:
    """Gold with the calls of one tool in another order."""

    gold: Gold
    turns: Turns
    amounts: tuple[float, ...]
    same_sum: bool
    """Whether the floats add up to the same number as in gold's order."""


Added = Callable[[Sequence[float]], float]
_WAYS: tuple[Added, ...] = (
    lambda amounts: reduce(add, amounts, 0.0),
    lambda amounts: reduce(sub, amounts, float(_exact(amounts))),
)
"""How code adds amounts up one after another, or takes them away from their total; `sum` corrects floats."""


@check("G697", kinds=("tools",), needs=("calls", "gold"))
def decimal_amounts_add_up_in_any_order(subject: Subject) -> Iterator[Finding]:
    """Calls whose decimal amounts add up to the same total score in each order, whatever their sum of floats is."""
    for added in _WAYS:
        orders = [one for gold in some_golds(subject) for one in _orders(gold, added)]
        others = [one for one in orders if not one.same_sum]
        if min(len(others), len(orders) - len(others)) < FEWEST_OF_EACH:
            continue
        played = play_answers(subject, [(one.gold.row, one.turns) for one in orders])
        pairs = list(zip(orders, played, strict=False))
        lost = [pair for pair in pairs if not pair[0].same_sum]
        rows = {one.gold.row for one, _ in lost}
        if (
            len(rows) >= FEWEST_ROWS
            and len(pairs) == len(orders)
            and all(_as_floats_say(subject, *one) for one in pairs)
        ):
            yield _finding(subject, *lost[0], added, len(rows))
            return


def _as_floats_say(subject: Subject, order: _Order, episode: Episode) -> bool:
    """Whether all calls were carried out, and score where the floats come to the same number, and only there."""
    if not all(carried_out(subject, call) for call in episode.tool_calls):
        return False
    return as_good_as_gold(subject, episode) if order.same_sum else loses_half(subject, episode)


def _finding(subject: Subject, order: _Order, episode: Episode, added: Added, rows: int) -> Finding:
    gold = golds(subject)[order.gold.row]
    amounts = " and ".join(str(one) for one in order.amounts)
    what = "added up" if added is _WAYS[0] else f"taken from {_exact(order.amounts)}"
    right = _exact(order.amounts) if added is _WAYS[0] else 0
    return Finding(
        f"Gold with its amounts in another order scores {episode.reward:g} and not {gold.reward:g} on {rows} rows, "
        f"just where floats come to another number: {amounts}, {what}, are {added(order.amounts)!r}, and not {right}.",
        "Add up whole cents or decimal.Decimal, or compare with math.isclose or round(total, 2).",
        order.gold.row, own_turns(episode.completion), reward_with_parts(episode), gold.reward,
    )  # fmt: skip


def _exact(amounts: Sequence[float]) -> Decimal:
    return sum((Decimal(str(one)) for one in amounts), Decimal(0))


def _orders(gold: Gold, added: Added) -> list[_Order]:
    """A few orders of gold's calls of one tool with decimal amounts: some with another sum of floats, some with its."""
    tool, parameter = _amount(gold)
    calls = [(turn, place, given) for turn, place, name, given in placed_calls(gold) if name == tool]
    if len(calls) < 2 or not all(is_amount(given.get(parameter)) for *_, given in calls):
        return []
    own = tuple(float(given[parameter]) for *_, given in calls)
    found: dict[bool, list[_Order]] = {True: [], False: []}
    for numbers in islice(permutations(range(len(own))), 1, MOST_ORDERS):
        amounts = tuple(own[number] for number in numbers)
        same = added(amounts) == added(own)
        if len(found[same]) < OF_A_ROW and amounts != own:
            turns = deepcopy(gold.turns)
            for (turn, place, _), number in zip(calls, numbers, strict=True):
                functions_of([turns[turn]])[place]["arguments"] = deepcopy(calls[number][2])
            found[same].append(_Order(gold, turns, amounts, same))
    return [*found[False], *found[True]]


def _amount(gold: Gold) -> tuple[str, str]:
    """The tool that gold first gives a number with decimals, and the parameter; empty where there are two of them."""
    for tool, given in gold.calls:
        names = [name for name, value in given.items() if isinstance(value, float)]
        if names:
            return (tool, names[0]) if len(names) == 1 else ("", "")
    return "", ""
