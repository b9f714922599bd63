"""Environments of several turns, in Gymnasium's manner."""

import copy
import pickle

import pytest
from gymnasium.utils.env_checker import check_env

from grpo_env_sdk import MultiTurnEnv, reward
from grpo_env_sdk.envs.episode_books import construct_again
from grpo_env_sdk.errors import ContractError, EpisodeOverError
from grpo_env_sdk.rewards import exact_match

ROW = {"prompt": "Guess my number.", "secret": 5}


class Guess(MultiTurnEnv):
    """The example of the documentation, with `setup`."""

    max_turns = 3

    def __init__(self, largest: int = 9) -> None:
        self.largest = largest

    def build_dataset(self, tokenizer):
        return [{"prompt": "Guess my number.", "secret": n} for n in range(1, self.largest + 1)]

    def setup(self, row):
        self.guesses = []

    def step(self, action):
        self.guesses.append(action["content"])
        if action["content"] == str(self.row["secret"]):
            return "Right.", 1.0, True, False, {}
        return "Wrong.", 0.0, False, False, {}


class Overriding(Guess):
    """Overrides both, calls super, and adds its own."""

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        self.luck = int(self.np_random.integers(1000))
        return observation, {**info, "luck": self.luck}

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation + " Hm.", reward, terminated, truncated, {**info, "luck": self.luck}


class Chatty(Guess):
    """Opens with an observation of its own, and answers with messages."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return f"It is at most {self.largest}.", {}

    def step(self, action):
        return [{"role": "user", "content": "No."}, {"role": "user", "content": "Really."}], 0.0, False, False, {}


class Silent(Guess):
    """Never calls super."""

    def reset(self, *, seed=None, options=None):
        self.guesses = []
        return "", {}


def began(env, row=ROW, seed=0):
    env.reset(seed=seed, options=row)
    return env


@pytest.mark.parametrize("cls", [Guess, Overriding, Chatty, Silent])
def test_gymnasiums_own_checker_finds_nothing(cls):
    check_env(cls(), skip_render_check=True)


def test_reset_gives_the_prompt_as_messages_and_sets_up_the_row():
    env = Guess()
    assert env.reset(seed=1, options=ROW) == ([{"role": "user", "content": "Guess my number."}], {})
    assert (env.row, env.guesses, env.turns) == (ROW, [], 0)
    assert env.messages == [{"role": "user", "content": "Guess my number."}]


def test_step_gives_what_the_author_gave():
    env = began(Guess())
    assert env.step("4") == ("Wrong.", 0.0, False, False, {})
    observation, reward, terminated, truncated, info = env.step({"role": "assistant", "content": "5"})
    assert (observation, reward, terminated, truncated) == ("Right.", 1.0, True, False)
    assert info == {"rewards": {}, "score": 1.0}
    assert env.messages[1:] == [
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "Wrong."},
        {"role": "assistant", "content": "5"},
        {"role": "user", "content": "Right."},
    ]


def test_reset_and_step_may_be_overridden_and_call_super():
    env = Overriding()
    _, info = env.reset(seed=1, options=ROW)
    assert info == {"luck": env.luck}
    assert env.step("5")[:4] == ("Right. Hm.", 1.0, True, False)
    assert [message["content"] for message in env.messages] == ["Guess my number.", "5", "Right. Hm."]


def test_one_seed_is_one_luck():
    assert Overriding().reset(seed=7, options=ROW) == Overriding().reset(seed=7, options=ROW)
    assert Overriding().reset(seed=7, options=ROW) != Overriding().reset(seed=8, options=ROW)


def test_what_reset_says_is_added_to_the_prompt():
    assert began(Chatty()).messages == [{"role": "user", "content": "Guess my number.\n\nIt is at most 9."}]


def test_an_observation_may_be_several_messages():
    env = began(Chatty())
    env.step("4")
    assert [message["content"] for message in env.messages[-2:]] == ["No.", "Really."]


@pytest.mark.parametrize("options", [None, {}])
def test_without_a_row_one_is_drawn_by_the_seed(options):
    env = Guess()
    drawn = []
    for seed in (1, 1, 2, 3, 4, 5):
        env.reset(seed=seed, options=options)
        drawn.append(env.row["secret"])
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1


def test_a_row_is_drawn_from_those_to_train_on():
    from grpo_env_sdk.data.rows import build_rows

    train = {row["secret"] for row in build_rows(Guess(), None, "train")}
    env = Guess()
    drawn = set()
    for seed in range(60):
        env.reset(seed=seed)
        drawn.add(env.row["secret"])
    assert drawn <= train


def test_what_arrow_filled_into_a_prompt_is_taken_out():
    env = began(Guess(), {"prompt": [{"role": "user", "content": "hi", "name": None}], "secret": 1})
    assert env.messages == [{"role": "user", "content": "hi"}]


def test_options_that_are_no_row_are_told():
    with pytest.raises(
        ContractError, match=r"takes a dataset row, but this one has no prompt: .*secret.*\. Leave options out"
    ):
        Guess().reset(options={"secret": 1})


def test_max_turns_truncates_and_says_so():
    env = began(Guess())
    env.step("1")
    env.step("2")
    observation, _, terminated, truncated, info = env.step("3")
    assert (observation, terminated, truncated, info["stop_reason"]) == ("Wrong.", False, True, "max_turns")


def test_max_turns_may_be_said_by_the_constructor():
    class Short(Guess):
        def __init__(self, turns=1):
            super().__init__()
            self.max_turns = turns

    assert began(Short()).step("1")[3]


def test_the_last_turn_may_still_end_it():
    env = began(Guess())
    env.step("1")
    env.step("2")
    assert env.step("5")[2:4] == (True, False)


def test_a_step_after_the_end_is_refused():
    env = began(Guess())
    env.step("5")
    with pytest.raises(EpisodeOverError, match=r"This episode is over, or has not started\. Call reset\(\) first\."):
        env.step("5")
    began(env).step("5")


def test_a_step_before_the_beginning_is_refused():
    with pytest.raises(EpisodeOverError, match="has not started"):
        Guess().step("5")


def test_a_reset_that_fails_leaves_no_episode_running():
    class Failing(Guess):
        def setup(self, row):
            super().setup(row)
            if row["secret"] > 5:
                raise KeyError("too large")

    env = began(Failing())
    with pytest.raises(KeyError):
        env.reset(options={**ROW, "secret": 6})
    with pytest.raises(EpisodeOverError):
        env.step("6")


def test_fresh_instances_keep_config_and_rewards():
    env = Guess(4)
    env.rewards = [exact_match("secret")]
    other = construct_again(env)
    assert (other.largest, other.rewards, type(other)) == (4, env.rewards, Guess)
    assert construct_again(Guess(largest=5)).largest == 5
    assert construct_again(construct_again(other)).largest == 4


def test_instances_share_nothing():
    first, second = began(Guess()), began(Guess())
    first.step("1")
    assert (second.turns, second.guesses, len(second.messages)) == (0, [], 1)
    assert first.np_random is not second.np_random


class Rewarded(Guess):
    @reward
    def quick(self, episode):
        return 1 / episode.turns


@pytest.mark.parametrize(
    "through", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
@pytest.mark.parametrize("env", [Guess(4), Rewarded(4), Overriding(largest=4)], ids=lambda env: type(env).__name__)
def test_an_instance_in_the_middle_of_an_episode_can_be_copied(env, through):
    began(env).step("1")
    other = through(env)
    assert env.step("5")[1] == other.step("5")[1]
    assert (other.largest, construct_again(other).largest, other.guesses) == (4, 4, ["1", "5"])
    other.reset(seed=3)
    assert env.row == ROW


def test_an_episode_depends_on_constructor_and_row_alone():
    used = began(Guess())
    used.step("5")
    assert began(used).step("1") == began(Guess()).step("1")
