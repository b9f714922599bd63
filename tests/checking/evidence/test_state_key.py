"""What the attributes of an environment hold, as values to compare."""

import gymnasium

from grpo_env_sdk import MultiTurnEnv
from grpo_env_sdk.checking.evidence.playing.state_key import held


class Wrapped(MultiTurnEnv):
    """An environment that wraps one of Gymnasium."""

    def __init__(self):
        self.game = gymnasium.make("CartPole-v1")


def test_a_game_of_gymnasium_can_be_compared():
    one, other = Wrapped(), Wrapped()
    one.game.reset(seed=1)
    other.game.reset(seed=1)
    assert held(one) == held(other)
    other.game.step(0)
    assert held(one) != held(other)
