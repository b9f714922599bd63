"""What the README tells of each environment is measured, on the first ten rows."""

from pathlib import Path

import gymnasium
import numpy
import pytest
from gymnasium import spaces
from gymnasium.envs.toy_text.blackjack import sum_hand

from grpo_env_gymnasium import GymnasiumEnv

README = Path(__file__).parent.parent / "README.md"
ROWS = 10
IDS = (
    "FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4", "Blackjack-v1",
    "CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1", "Pendulum-v1",
)  # fmt: skip


def scores(env, rows, play, said):
    return sum(play(env, row, said(row))[1]["score"] for row in rows) / len(rows)


def fixed_actions(space):
    if isinstance(space, spaces.Discrete):
        return list(range(space.n))
    return [numpy.full(1, end, numpy.float32) for end in (space.low.item(), 0.0, space.high.item())]


def by_chance(env, row):
    env._space.seed(row["seed"])
    return [env.write(env._space.sample()) for _ in range(env.max_turns)]


@pytest.mark.parametrize("id", IDS)
def test_the_table_tells_what_was_measured(id, play):
    env = GymnasiumEnv(id, rows=ROWS)
    rows = env.build_dataset(None)
    single = [[env.write(action)] * env.max_turns for action in fixed_actions(env._space)]
    measured = [
        scores(env, rows, play, env.solve),
        scores(env, rows, play, lambda row: [""] * env.max_turns),
        max(scores(env, rows, play, lambda row, said=said: said) for said in single),
        scores(env, rows, play, lambda row: by_chance(env, row)),
    ]
    told = " | ".join(f"{score:.2f}" for score in measured)
    line = f"| `gym/{id}` | {env.returns[0]:,.0f} | {told} |"
    assert line in README.read_text(encoding="utf-8"), line


def test_what_can_be_had_without_foreseeing_chance_is_told():
    lake, cards = GymnasiumEnv("FrozenLake-v1"), GymnasiumEnv("Blackjack-v1")
    table, hand = best_actions(lake.game.env.unwrapped.P), cards.game.env.unwrapped
    told = f"scores {looking(lake, lambda: table[lake.game.env.unwrapped.s]):.2f}, and\n"
    told += f"taking cards below 17 scores {looking(cards, lambda: int(sum_hand(hand.player) < 17)):.2f}"
    assert told in README.read_text(encoding="utf-8"), told


def looking(env, choose):
    """The mean score of a player who sees the state and chooses an action."""
    found = []
    for row in env.build_dataset(None):
        env.reset(options=row)
        over, info = False, {}
        while not over:
            _, _, terminated, truncated, info = env.step(env.write(choose()))
            over = terminated or truncated
        found.append(info["score"])
    return sum(found) / len(found)


def best_actions(table):
    """The best action in each state, by value iteration: what chance does is not known."""
    values = dict.fromkeys(table, 0.0)
    for _ in range(500):
        worth = {
            state: {action: expected(outcomes, values) for action, outcomes in table[state].items()} for state in table
        }
        values = {state: max(of_each.values()) for state, of_each in worth.items()}
    return {state: max(of_each, key=of_each.get) for state, of_each in worth.items()}


def expected(outcomes, values):
    return sum(chance * (gained + (0.0 if over else values[then])) for chance, then, gained, over in outcomes)


def test_every_id_of_the_table_is_one_that_needs_nothing_more():
    light = ("gymnasium.envs.toy_text", "gymnasium.envs.classic_control")
    installed = {spec.id for spec in gymnasium.registry.values() if str(spec.entry_point).startswith(light)}
    assert installed - set(IDS) == {"CartPole-v0"}
