"""Gold solutions: played in the environment itself, they return what the rows say."""

import pytest

from grpo_env_gymnasium import GymnasiumEnv
from grpo_env_gymnasium.table import best_path

OWN = (
    "Acrobot-v1", "Blackjack-v1", "CartPole-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "FrozenLake-v1",
    "FrozenLake8x8-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "Taxi-v4",
)  # fmt: skip


@pytest.mark.parametrize("action", ["text", "tool"])
@pytest.mark.parametrize("id", OWN)
def test_gold_is_worth_one_and_silence_nothing(id, action, play):
    env = GymnasiumEnv(id, rows=2, action=action)
    for row in env.build_dataset(None):
        _, info = play(env, row, env.solve(row))
        assert info["score"] == pytest.approx(1.0, abs=1e-9)
        assert env.returned == pytest.approx(row["best"])
        _, info = play(env, row, [""] * env.max_turns)
        assert info["score"] == pytest.approx(0.0, abs=1e-9)
    env.close()


def test_a_transcript_scores_the_same_when_it_is_replayed(play):
    env = GymnasiumEnv("Taxi-v4", rows=2)
    row = env.build_dataset(None)[1]
    play(env, row, env.solve(row))
    assert env.score_episode(None, None, env.messages[1:], row=row) == 1.0


def test_the_path_through_a_table_weighs_rewards_and_foresees_chance():
    straight = {0: {0: [(1.0, 1, -5.0, False)], 1: [(1.0, 2, -1.0, False)]},
                1: {0: [(1.0, 3, 10.0, True)]}, 2: {0: [(1.0, 1, -1.0, False)]}}  # fmt: skip
    assert best_path(straight, 0, [0.5] * 9) == [1, 0, 0]
    assert best_path(straight, 0, [0.5] * 2) == [0, 0]
    chance = {0: {0: [(0.5, 0, 0.0, False), (0.5, 1, 1.0, True)]}, 1: {}}
    assert best_path(chance, 0, [0.1, 0.2, 0.9, 0.9]) == [0, 0, 0]


def test_rows_in_which_nothing_can_be_won_are_left_out():
    env = GymnasiumEnv("Blackjack-v1", rows=60)
    assert min(row["best"] for row in env.build_dataset(None)) == 0.0


def test_a_declared_range_replaces_the_gold_solution():
    env = GymnasiumEnv("CartPole-v1", reward_range=[0, 50])
    assert env.solve is None
    assert "best" not in env.build_dataset(None)[0]
