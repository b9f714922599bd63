"""What somebody writes is read as an action, or answered with what is wrong: never a crash."""

import json

import pytest
from gymnasium import spaces

from grpo_env_gymnasium.actions import NotAnActionError, example_of, find_action, read_action
from grpo_env_gymnasium.spoken import choices, plain_of, schema_of, tellable, told
from grpo_env_sdk.tools.validation import validator_of

NAMES = ("Move left", "Move down", "Move right", "Move up")
FOUR = spaces.Discrete(4)
EVERY = {
    "discrete": spaces.Discrete(4, start=-1),
    "box": spaces.Box(-2.0, 2.0, (1,)),
    "boxes": spaces.Box(0.5, float("inf"), (2, 2)),
    "whole box": spaces.Box(0, 255, (3,), dtype="uint8"),
    "multi-discrete": spaces.MultiDiscrete([2, 3]),
    "multi-binary": spaces.MultiBinary(3),
    "text": spaces.Text(5, min_length=1, charset="abc"),
    "tuple": spaces.Tuple([spaces.Discrete(2), spaces.Box(-1.0, 1.0, (1,))]),
    "dict": spaces.Dict({"go": spaces.Discrete(2), "say": spaces.Text(3, charset="ab")}),
}


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("ACTION: 2", 2),
        ("action: move RIGHT.", 2),
        ("ACTION: up", 3),
        ("ACTION: 2: Move right", 2),
        ("2", 2),
        ("The hole is below, so I go right.\n**ACTION: 2**", 2),
        ("I thought of ACTION: 2 first.\nACTION: 2 first.", None),
        ("ACTION: 2\nACTION: 2", 2),
        ("Let me think.\nright", 2),
    ],
)
def test_an_action_is_found_by_its_mark_or_on_the_last_line(said, action):
    if action is None:
        with pytest.raises(NotAnActionError):
            read_action(find_action(said), FOUR, NAMES)
    else:
        assert read_action(find_action(said), FOUR, NAMES) == action


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", "That is no action"),
        ("   \n ", "That is no action"),
        ("ACTION: 7", "'7' is no action"),
        ("ACTION: -1", "'-1' is no action"),
        ("ACTION: 1.5", "'1.5' is no action"),
        ("I would go right here", "'I would go right here' is no action"),
        ("ACTION: 1\nACTION: 2", "That is 2 actions: '1' and '2'. Take one."),
        ("ACTION: left or right", "'left or right' is no action"),
        ("ACTION: move", "'move' is no action"),
        ("ACTION: ²", "'²' is no action"),
        ("ACTION: " + "9" * 5000, "is no action"),
        ("ACTION: 1: Move right", "is no action"),
    ],
)
def test_what_is_no_action_is_told_in_a_sentence(said, told):
    with pytest.raises(NotAnActionError) as caught:
        read_action(find_action(said), FOUR, NAMES)
    assert told in str(caught.value)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize("name", EVERY)
def test_every_action_of_a_space_is_written_read_back_and_fits_its_schema(name):
    space = EVERY[name]
    space.seed(0)
    validator = validator_of(schema_of(space))
    for _ in range(20):
        action = space.sample()
        plain = plain_of(action, space)
        read = read_action(plain if isinstance(plain, str) else json.dumps(plain), space)
        assert space.contains(read)
        assert plain_of(read, space) == plain
        assert validator.is_valid(plain)
    assert validator.is_valid(example_of(space))
    assert tellable(space)
    assert choices(space)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    "said",
    ["[]", "{}", "null", "true", "NaN", "[NaN, NaN]", "[[1], [1, 2]]", "1e999", "[" * 3000, '"a', "[9e99, 9e99]",
     "[1e400]", '{"go": 5}', "[-5, 1]", "1 2 3 4 5 6 7", "99999999999999999999", "[[[[1]]]]", '["x", "y"]', "\x00"],
)  # fmt: skip
def test_what_fits_no_space_raises_nothing_else(name, said):
    try:
        read = read_action(said, EVERY[name])
    except NotAnActionError:
        return
    assert EVERY[name].contains(read)


def test_a_number_outside_of_a_box_is_refused_and_not_clipped():
    with pytest.raises(NotAnActionError, match=r"2\.5"):
        read_action("2.5", EVERY["box"])
    assert read_action("1.5", EVERY["box"]).tolist() == [1.5]


def test_named_actions_are_an_enum_of_a_tool():
    assert schema_of(FOUR, NAMES) == {"type": "string", "enum": list(NAMES)}


def test_a_picture_and_a_graph_cannot_be_told():
    assert not tellable(spaces.Box(0, 255, (96, 96, 3), dtype="uint8"))
    assert not tellable(spaces.Graph(spaces.Discrete(2), None))


def test_observations_have_names_and_four_digits():
    space = spaces.Box(-9.0, 9.0, (2,))
    assert told(space.low / 7, space, ("speed", "angle")) == "speed: -1.286\nangle: -1.286"
    assert told(space.low, space) == "[-9, -9]"
