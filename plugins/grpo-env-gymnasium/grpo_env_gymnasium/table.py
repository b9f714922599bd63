"""The best path through a table of transitions, as Gymnasium's toy-text environments have in `P`."""

from collections.abc import Mapping, Sequence
from typing import Any

Transition = tuple[float, int, float, bool]
Table = Mapping[int, Mapping[int, Sequence[Transition]]]


def best_path(table: Table, start: int, draws: Sequence[float]) -> list[int]:
    """The actions with the highest return, in at most as many steps as there are draws; a draw decides one step."""
    best: tuple[float, Any] = (float("-inf"), None)
    frontier: dict[int, tuple[float, Any]] = {start: (0.0, None)}
    reached = {start: 0.0}
    certain = all(len(outcomes) == 1 for actions in table.values() for outcomes in actions.values())
    ending, going_on = _most(table)
    for number, draw in enumerate(draws):
        most = max((total for total, _ in frontier.values()), default=float("-inf"))
        if best[0] >= most + ending + going_on * (len(draws) - number):
            break
        following: dict[int, tuple[float, Any]] = {}
        for state, (total, path) in frontier.items():
            for action, outcomes in table[state].items():
                _, then, reward, over = outcomes[0] if certain else _outcome(outcomes, draw)
                candidate = (total + reward, (action, path))
                if over:
                    best = max(best, candidate, key=_total)
                elif candidate[0] > following.get(then, best_so_far(reached, then, certain))[0]:
                    following[then] = candidate
        frontier = following
        reached.update({state: total for state, (total, _) in frontier.items()})
    unfinished = max(frontier.values(), key=_total, default=best)
    return _unrolled(best if best[1] else unfinished)


def best_so_far(reached: Mapping[int, float], state: int, certain: bool) -> tuple[float, Any]:
    """The best total with which a state was reached; if chance decides, only totals of the same step count."""
    return (reached.get(state, float("-inf")) if certain else float("-inf"), None)


def _outcome(outcomes: Sequence[Transition], draw: float) -> Transition:
    """The outcome for a number from 0 to 1, chosen as Gymnasium's own `categorical_sample` does."""
    summed = 0.0
    for outcome in outcomes:
        summed += outcome[0]
        if summed > draw:
            return outcome
    return outcomes[0]


def _most(table: Table) -> tuple[float, float]:
    """The highest reward of a step that ends the episode, and of one that does not (at least 0)."""
    ending, going_on = [0.0], [0.0]
    for actions in table.values():
        for outcomes in actions.values():
            for _, _, reward, over in outcomes:
                (ending if over else going_on).append(float(reward))
    return max(ending), max(going_on)


def _total(candidate: tuple[float, Any]) -> float:
    return candidate[0]


def _unrolled(candidate: tuple[float, Any]) -> list[int]:
    actions, path = [], candidate[1]
    while path is not None:
        action, path = path
        actions.append(action)
    return actions[::-1]
