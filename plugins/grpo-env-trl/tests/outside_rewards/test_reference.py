"""How rewards are written on the command line, in files and in programs."""

import pytest

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.outside_rewards.reference import RewardReference, function_reference, model_reference, reference_of


@pytest.mark.parametrize(("written", "text", "weight"), [
    ("accuracy_reward", "accuracy_reward", None),
    ("accuracy_reward=0.5", "accuracy_reward", 0.5),
    ("my_envs.rewards:brief=-1", "my_envs.rewards:brief", -1.0),
    ("made(size=3)", "made(size=3)", None),
    ("made(size=3, name='a=b')=2e-1", "made(size=3, name='a=b')", 0.2),
])  # fmt: skip
def test_a_weight_follows_the_last_equals_sign_outside_parentheses(written, text, weight):
    assert function_reference(written) == RewardReference("function", text, weight)


def test_settings_are_plain_values():
    made = function_reference("m:made(3, names=['a', 'b'], deep={'x': None}, low=-1.5)=2")
    assert (made.target, made.called) == ("m:made", True)
    assert made.settings() == ([3], {"names": ["a", "b"], "deep": {"x": None}, "low": -1.5})
    assert function_reference("m:made").settings() == ([], {})


@pytest.mark.parametrize(
    "written", ["m:f(open('x'))", "m:f(*[1])", "m:f(**{'a': 1})", "m:f(a=b)", "m:f(1)(2)", "m:f(]"]
)
def test_settings_are_never_run(written):
    with pytest.raises(UsageError, match=r"plain values|cannot be read"):
        function_reference(written).settings()


@pytest.mark.parametrize("weight", ["", "much", "nan", "inf"])
def test_a_weight_is_a_finite_number(weight):
    for read in (function_reference, model_reference):
        with pytest.raises(UsageError, match=rf"The weight in 'm={weight}' is '{weight}'\. Give a number"):
            read(f"m={weight}")


@pytest.mark.parametrize("written", ["", "=1", "(3)", "f(3", "f)3("])
def test_a_name_that_is_none_is_refused(written):
    with pytest.raises(UsageError, match=r"cannot be read.*module:function"):
        function_reference(written)


def test_a_program_names_models_as_trl_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge").mkdir()
    (tmp_path / "judge=2").mkdir()
    kinds = {
        written: reference_of(written) for written in ("owner/judge=2", "judge", "judge=2", "judges", "m:f", "f(a='/')")
    }
    assert {written: one.kind for written, one in kinds.items()} == {
        "owner/judge=2": "model", "judge": "model", "judge=2": "model", "judges": "function", "m:f": "function",
        "f(a='/')": "function",
    }  # fmt: skip
    assert (kinds["owner/judge=2"].text, kinds["owner/judge=2"].weight) == ("owner/judge", 2.0)
    assert (kinds["judge=2"].text, kinds["judge=2"].weight) == ("judge=2", None)  # there is such a folder
