"""Environments seen through Gymnasium."""

import json
import subprocess
import sys

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from grpo_env_sdk import call_message
from grpo_env_sdk.errors import AmbiguousNameError, ConfigError
from grpo_env_sdk.gym import gym_id, register_installed
from grpo_env_sdk.rewards import exact_match

from .environments import Phonebook

TALK = """
    from grpo_env_sdk import MultiTurnEnv, reward

    class Talk(MultiTurnEnv):
        max_turns = 3
        def __init__(self, words: int = 2):
            self.words = words
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Say {self.words} words, {n}."} for n in range(3)]
        def step(self, action):
            right = len(action["content"].split()) == self.words
            return "Well.", 0.5 * right, right, False, {}
        @reward
        def short(self, completion):
            return len(completion) < 20

    class Plain:
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi"}]
        def score_episode(self, model, tokenizer, completion):
            return 1.0
"""
ROW = Phonebook().build_dataset(None)[3]


@pytest.fixture
def talk(site):
    """An installed package, registered with Gymnasium for one test."""
    before = set(gymnasium.registry)
    envs = {
        "talk-v1": "talks:Talk",
        "plain-v1": "talks:Plain",
        "broken-v1": "nowhere:X",
        "ns/talk_more-v2": "talks:Talk",
    }
    site.install("talks", envs=envs, modules={"talks.py": TALK})
    registered = register_installed()
    yield [name for name in registered if name != "grpo_env/hotel-v1"]
    for name in set(gymnasium.registry) - before:
        del gymnasium.registry[name]


def test_what_is_installed_and_not_broken_is_registered_from_metadata(talk):
    assert talk == ["grpo_env/ns.talk_more-v2", "grpo_env/plain-v1", "grpo_env/talk-v1"]
    assert "talks" not in sys.modules
    assert register_installed() == []


def test_a_namespace_becomes_part_of_the_name():
    assert gym_id("rg/chain_sum-v1") == "grpo_env/rg.chain_sum-v1"


@pytest.mark.parametrize("name", ["grpo_env/talk-v1", "grpo_env_sdk.gym:grpo_env/talk-v1", "grpo_env/ns.talk_more-v2"])
def test_gymnasium_makes_it(talk, name):
    env = gymnasium.make(name)
    assert type(env.unwrapped).__name__ == "Talk"
    env.reset(seed=1)
    assert env.step("two words")[1:4] == (1.5, True, False)


def test_config_passes_through_gymnasium(talk):
    assert gymnasium.make("grpo_env/talk-v1", words=5).unwrapped.words == 5
    with pytest.raises(ConfigError, match=r"talk-v1 takes no config 'wrods'\. Did you mean 'words'\?"):
        gymnasium.make("grpo_env/talk-v1", wrods=5)


def test_a_plain_class_is_made_too(talk):
    env = gymnasium.make("grpo_env_sdk.gym:grpo_env/plain-v1")
    check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=1)
    assert env.step("anything")[1:4] == (1.0, True, False)


def test_two_packages_with_one_id_are_told_when_it_is_made(talk, site):
    site.install("other-talks", envs={"talk-v1": "talks:Talk"})
    assert register_installed() == []
    with pytest.raises(AmbiguousNameError, match="talks:talk-v1"):
        gymnasium.make("grpo_env/talk-v1")


def test_importing_the_module_is_all_it_takes(site):
    site.install("talks", envs={"talk-v1": "talks:Talk"}, modules={"talks.py": TALK})
    program = f"""
import sys
sys.path.insert(0, {str(site.folder)!r})
import gymnasium
import grpo_env_sdk.gym
assert "talks" not in sys.modules
print(type(gymnasium.make("grpo_env/talk-v1").unwrapped).__name__)
"""
    by_name = program.replace("import grpo_env_sdk.gym\n", "").replace('"grpo_env/', '"grpo_env_sdk.gym:grpo_env/')
    for text in (program, by_name):
        done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("Talk\n", "")


def test_the_checker_is_content_with_what_make_gives(talk):
    check_env(gymnasium.make("grpo_env/talk-v1").unwrapped, skip_render_check=True)


def test_a_time_limit_ends_it_earlier(talk):
    env = TimeLimit(gymnasium.make("grpo_env/talk-v1"), max_episode_steps=1)
    env.reset(seed=1)
    assert env.step("one")[2:4] == (False, True)
    limited = gymnasium.make("grpo_env/talk-v1", max_episode_steps=2)
    limited.reset(seed=1)
    assert [limited.step("one")[3] for _ in range(2)] == [False, True]


def test_statistics_record_the_return_which_is_the_score(talk):
    env = RecordEpisodeStatistics(gymnasium.make("grpo_env/talk-v1"))
    env.reset(seed=1)
    env.step("one")
    info = env.step("two words")[4]
    assert info["episode"]["r"] == info["score"] == 1.5
    assert info["episode"]["l"] == 2


def test_vectors_of_environments_step_together(talk):
    envs = SyncVectorEnv([lambda: gymnasium.make("grpo_env/talk-v1")] * 2)
    observations, _ = envs.reset(seed=[1, 2])
    assert len(observations) == 2
    _, rewards, terminated, truncated, info = envs.step(["two words", "one"])
    assert (list(rewards), list(terminated), list(truncated)) == ([1.5, 0.0], [True, False], [False, False])
    assert info["score"][0] == 1.5
    envs.close()


def test_a_vector_is_made_by_name(talk):
    envs = gymnasium.make_vec("grpo_env_sdk.gym:grpo_env/talk-v1", num_envs=2, vectorization_mode="sync")
    envs.reset(seed=3)
    assert list(envs.step(["two words", "two words"])[1]) == [1.5, 1.5]
    envs.close()


def test_a_vector_of_a_plain_class_goes_on_with_the_next_episode(talk):
    envs = gymnasium.make_vec("grpo_env/plain-v1", num_envs=2, vectorization_mode="sync")
    envs.reset(seed=3)
    _, rewards, terminated, _, info = envs.step(["one", "two"])
    assert (list(rewards), list(terminated), list(info["score"])) == ([1.0, 1.0], [True, True], [1.0, 1.0])
    observations, rewards, *_ = envs.step(["is not looked at", "as the next episode begins"])
    assert [shown[0]["content"] for shown in observations] == ["hi", "hi"]
    assert list(rewards) == [0.0, 0.0]
    assert list(envs.step(["one", "two"])[1]) == [1.0, 1.0]
    envs.close()


def test_rewards_are_added_as_make_adds_them(talk):
    env = gymnasium.make("grpo_env/talk-v1", rewards=[exact_match("prompt", weight=-1)])
    env.reset(seed=1)
    assert set(env.step("two words")[4]["rewards"]) == {"short", "exact_match"}


def test_a_tool_env_works_in_wrappers_and_vectors_too():
    env = RecordEpisodeStatistics(TimeLimit(Phonebook(), max_episode_steps=10))
    env.reset(seed=1, options=ROW)
    told = env.step(call_message("look_up", name=ROW["name"]))[0]
    assert json.loads(told[0]["content"]) == {"number": ROW["answer"]}
    info = env.step(ROW["answer"])[4]
    assert info["episode"]["r"] == info["score"] == 1.0

    envs = SyncVectorEnv([Phonebook] * 2)
    envs.reset(seed=1, options=ROW)
    envs.step([call_message("look_up", name=ROW["name"]), "no idea"])
    rewards, info = envs.step([ROW["answer"], "no idea"])[1::3]
    assert rewards[0] == 1.0
    envs.close()


def test_a_random_policy_of_gymnasiums_runs_it_to_the_end(talk):
    env = gymnasium.make("grpo_env/talk-v1")
    env.reset(seed=1)
    env.action_space.seed(1)
    ended = False
    for _ in range(3):
        *_, terminated, truncated, _ = env.step(env.action_space.sample())
        ended = terminated or truncated
        if ended:
            break
    assert ended


@pytest.mark.slow  # a process for each of them
@pytest.mark.parametrize("name", ["talk-v1", "plain-v1"])
def test_vectors_of_processes_work_without_shared_memory(talk, name):
    options = {"shared_memory": False, "context": "spawn"}
    envs = gymnasium.make_vec(f"grpo_env_sdk.gym:grpo_env/{name}", 2, vectorization_mode="async", vector_kwargs=options)
    envs.reset(seed=3)
    assert all(envs.step(["two words", "two words"])[2])
    envs.close()
