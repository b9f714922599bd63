"""How the environments of a training and their weights are given: words, lists, mappings."""

import pytest
from environments import Errands, Parts

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.env_weights import Weight, check_shares, env_folder, share_of, shares_in


def given(*shares):
    return [(share.name, str(share.weight), dict(share.config)) for share in shares]


def test_a_word_is_an_environment_with_a_weight():
    words = ["hotel-v1", "hotel-v1=2", "dist:hotel-v1=0.5", "my.module:Class=3"]
    assert given(*map(share_of, words)) == [
        ("hotel-v1", "1", {}), ("hotel-v1", "2", {}), ("dist:hotel-v1", "0.5", {}), ("my.module:Class", "3", {}),
    ]  # fmt: skip


def test_a_weight_may_change_with_the_step():
    weight = share_of("a=2@0,0@100,1@200").weight
    assert [weight.at(step) for step in (0, 99, 100, 199, 200, 10**6)] == [2, 2, 0, 0, 1, 1]
    assert share_of(f"a={weight}").weight == weight
    assert weight.as_plain() == "2@0,0@100,1@200"


def test_lists_and_mappings_of_names_and_classes_are_environments():
    assert given(*shares_in(["a=2", "b"])) == [("a", "2", {}), ("b", "1", {})]
    assert given(*shares_in({Errands: 2, "b": {"weight": 3, "config": {"x": 1}}})) == [
        ("Errands", "2", {}), ("b", "3", {"x": 1}),
    ]  # fmt: skip
    assert shares_in([Errands, Parts()])[0].env is Errands
    assert given(*shares_in({"a": 1, "b": {"config": {"x": 1}}}, {"b": {"x": 2}}))[1] == ("b", "1", {"x": 2})


@pytest.mark.parametrize(("envs", "why"), [
    ([], "needs the name of an environment"),
    (["a", "b", "a=2"], "a is given twice"),
    ({"a": 0, "b": 1}, "The weight of a is 0. Give a number above 0"),
    ({"a": -1.5}, "The weight of a is -1.5"),
    ({"a": True}, "The weight of a is True"),
    ({"a": None}, "The weight of a is None"),
    ({"a": float("nan")}, "The weight of a is nan"),
    ({"a": {"wieght": 2}}, "a has 'wieght', which is not one of weight and config"),
    ({"a": {"config": [1]}}, r"The config of a is \[1\]"),
    ({"a": "1@1"}, "Steps begin at 0"),
    ({"a": "1@0,2@0"}, "Steps begin at 0 and increase"),
    ({"a": "1@0,2@x"}, "The weight of a is '1@0,2@x'"),
    ({"a": "0@0,1@5", "b": "0@0,1@9"}, "From step 0 on every environment has weight 0"),
])  # fmt: skip
def test_what_makes_no_sense_is_one_line(envs, why):
    with pytest.raises(UsageError, match=why):
        shares_in(envs)


def test_what_config_names_nothing_is_one_line():
    with pytest.raises(UsageError, match=r"has .c., which is not one of them.*here are a, b"):
        shares_in(["a", "b"], {"c": {}})


def test_environments_in_any_order_are_fine():
    assert check_shares(shares_in(["b", "a"]))[0].weight == Weight()


def test_a_folder_for_an_environment_leads_nowhere_else():
    assert [env_folder(name) for name in ("hotel-v1", "my.module:Class", "../../x", "dist:a/b")] == [
        "hotel-v1", "my.module-Class", "x", "dist-a-b",
    ]  # fmt: skip
