"""Gymnasium spaces for text and chat messages."""

import copy
import pickle

import pytest
from PIL import Image

from grpo_env_sdk.envs.spaces import ActionSpace, MessageSpace

PICTURE = Image.new("RGB", (2, 2), "red")
USER, ASSISTANT = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}


@pytest.mark.parametrize("value", ["", "hi", [], [USER], (USER, ASSISTANT), PICTURE, [PICTURE], ["hi", PICTURE]])
def test_an_observation_is_text_pictures_or_messages(value):
    assert MessageSpace().contains(value)


@pytest.mark.parametrize("value", [None, 5, USER, ["hi"], [{"content": "hi"}], [{"role": 5}], [USER, PICTURE]])
def test_anything_else_is_no_observation(value):
    assert not MessageSpace().contains(value)


@pytest.mark.parametrize("value", ["", "hi", ASSISTANT])
def test_an_action_is_text_or_an_assistants_message(value):
    assert value in ActionSpace()


@pytest.mark.parametrize("value", [None, 5, USER, [ASSISTANT], {"content": "hi"}])
def test_anything_else_is_no_action(value):
    assert value not in ActionSpace()


@pytest.mark.parametrize("space", [MessageSpace, ActionSpace])
def test_samples_are_inside_and_follow_the_seed(space):
    one, other = space(seed=3), space(seed=3)
    samples = [one.sample() for _ in range(20)]
    assert samples == [other.sample() for _ in range(20)]
    assert all(sample in one for sample in samples)
    assert len({str(sample) for sample in samples}) > 1


def test_spaces_of_one_kind_are_equal():
    assert MessageSpace() == MessageSpace(seed=4)
    assert MessageSpace() != ActionSpace()
    assert len({MessageSpace(), MessageSpace(), ActionSpace()}) == 2
    assert repr(ActionSpace()) == "ActionSpace()"


@pytest.mark.parametrize("through", [copy.deepcopy, lambda space: pickle.loads(pickle.dumps(space))])
def test_spaces_can_be_copied(through):
    assert through(ActionSpace(seed=1)) == ActionSpace()
