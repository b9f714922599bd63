"""From a name to a reward function: TRL's, ours, and people's own."""

import subprocess
import sys
from pathlib import Path

import pytest
import some_rewards
from trl import rewards as of_trl

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_trl.outside_rewards.loading import load_function
from grpo_env_trl.outside_rewards.outside_reward import outside_rewards
from grpo_env_trl.outside_rewards.reference import function_reference
from grpo_env_trl.trl_facts import reward_functions


def loaded(written, longest=256):
    return load_function(function_reference(written), lambda: longest)


@pytest.mark.parametrize("name", sorted(reward_functions()))
def test_every_reward_of_trl_is_found_by_its_name(name):
    found = loaded(name)
    if name.startswith("get_"):
        assert type(found).__module__.startswith("trl.rewards")
        assert callable(found)
    else:
        assert found is getattr(of_trl, name)


def test_functions_for_length_take_the_longest_completion_where_none_is_given():
    found = loaded("get_soft_overlong_punishment", longest=100)
    assert (found.max_completion_len, found.soft_punish_cache) == (100, 20)
    found = loaded("get_soft_overlong_punishment(max_completion_len=256,soft_punish_cache=64)", longest=100)
    assert (found.max_completion_len, found.soft_punish_cache) == (256, 64)
    assert loaded("trl.rewards:get_cosine_scaled_reward(min_value_wrong=-2)", longest=9).max_len == 9


def test_ready_rewards_of_the_sdk_are_found_by_their_name():
    found = loaded("repetition(2)")
    assert (found.name, found.weight, found("a b a b")) == ("repetition", -1.0, pytest.approx(1 / 3))
    assert loaded("think_format").name == "think_format"
    assert loaded("grpo_env_sdk.rewards:length(1, 5)").name == "length"
    assert loaded("grpo_env_sdk.rewards:repetition").name == "repetition"


def test_own_functions_are_found_by_import_path_also_as_trl_writes_it():
    assert loaded("some_rewards:brief") is loaded("some_rewards.brief") is some_rewards.brief
    assert loaded("some_rewards:tenth") is some_rewards.tenth
    assert loaded("some_rewards:Scaled").size == 2
    assert loaded("some_rewards:Scaled(size=7)").size == 7
    assert loaded("some_rewards:short").weight == 0.5


def test_a_module_in_the_working_directory_is_found(tmp_path):
    (tmp_path / "beside.py").write_text("def kind(completions, **kwargs):\n    return [1.0] * len(completions)\n")
    code = (
        "from grpo_env_trl.outside_rewards.loading import load_function as load\n"
        "from grpo_env_trl.outside_rewards.reference import function_reference as named\n"
        "import sys; sys.path = [path for path in sys.path if path]\n"
        "print(load(named('beside:kind'), None)([1, 2]), load(named('think_format_reward'), None).__name__)\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "[1.0, 1.0] think_format_reward\nFalse\n", done.stderr


@pytest.mark.parametrize(("written", "told"), [
    ("acuracy_reward", "No reward function named 'acuracy_reward'. Did you mean 'accuracy_reward'"),
    ("xyzzy", "There are accuracy_reward, "),
    ("some_rewards:breif", "some_rewards has no 'breif'. Did you mean 'brief'"),
    ("no_such_module:f", "No module named 'no_such_module'"),
    ("some_rewards:number", "The reward function 'some_rewards:number' is 3, which cannot be called"),
    ("some_rewards:Needy", "'some_rewards:Needy' needs url, key. Write some_rewards:Needy(url=...,key=...)"),
    ("some_rewards:Needy(url='u')", "needs key. Write some_rewards:Needy(url='u',key=...)"),
    ("matches", "'matches' needs pattern. Write matches(pattern=...)"),
    ("get_cosine_scaled_reward(max_lens=5)", "has no setting 'max_lens'. Did you mean 'max_len'"),
    ("get_soft_overlong_punishment(size=5)", "has no setting 'size'. It has max_completion_len, soft_punish_cache"),
    ("get_repetition_penalty_reward(max_penalty=1)", "cannot be made: ValueError: max_penalty 1"),
    ("length(5, 3)", "length has shortest=5"),
    ("some_rewards", "'some_rewards' is a module, not a reward function. Name one in it: some_rewards:FUNCTION"),
    ("some_rewards:", "is a module, not"),
    ("rewards/mine.py:brief", "is the path of a file. Name the module: rewards.mine:brief"),
    ("./mine.py:brief", "Name the module: mine:brief"),
])  # fmt: skip
def test_what_cannot_be_loaded_is_one_line_with_the_next_step(written, told, monkeypatch):
    monkeypatch.chdir(Path(some_rewards.__file__).parent)
    with pytest.raises(GrpoEnvError) as caught:
        loaded(written)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def all_of(*items, weights=None):
    return outside_rewards(items, weights, lambda: 64)


def test_weights_are_those_written_then_those_of_the_reward_then_1():
    found = all_of("some_rewards:brief=0.25", "repetition", "repetition=-0.5", some_rewards.short, some_rewards.brief)
    assert [one.weight for one in found] == [0.25, -1.0, -0.5, 0.5, 1.0]
    assert [one.weight for one in all_of("some_rewards:brief", "repetition", weights=[3, 0])] == [3.0, 0.0]


@pytest.mark.parametrize(("items", "weights", "told"), [
    ([], [1.0], "--reward-func and --reward-model, and there is none"),
    (["some_rewards:brief"], [1.0, 2.0], "There are 1 reward functions and models, and 2 reward_weights"),
    (["some_rewards:brief=2"], [1.0], "some_rewards:brief has a weight, and there are reward_weights"),
    (["some_rewards:brief"], [float("nan")], "A reward weight is nan"),
    ([3], None, "3 is not a reward function"),
    ([some_rewards.Scaled], None, "Scaled'> is not a reward function. Use a function, an object that is called"),
])  # fmt: skip
def test_weights_that_do_not_fit_are_refused(items, weights, told):
    with pytest.raises(GrpoEnvError, match=told):
        all_of(*items, weights=weights)


def test_a_function_of_a_module_has_a_reference_and_others_have_none():
    def inner(completions, **kwargs):
        return []

    found = all_of(some_rewards.brief, inner, lambda completions: [], some_rewards.Scaled(3))
    assert [one.reference for one in found] == ["some_rewards:brief", None, None, None]
    assert found[3].as_json() == {"kind": "function", "name": "Scaled", "reference": None, "weight": 1.0}
