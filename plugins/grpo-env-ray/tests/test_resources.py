"""What a worker asks of a node."""

import pytest

from grpo_env_ray.resources import Node, actor_options, asked_of_a_node, fits_in, refusal
from grpo_env_sdk.errors import UsageError

NODE = Node("10.0.0.1", {"CPU": 8.0, "memory": 16e9, "license": 3.0, "node:10.0.0.1": 1.0})


def test_the_user_comes_before_the_class_and_the_class_before_one_cpu():
    assert asked_of_a_node(None, None, "e") == {"num_cpus": 1}
    assert asked_of_a_node({"num_cpus": 2, "license": 1}, '{"num_cpus": 4}', "e") == {"num_cpus": 4, "license": 1}


def test_what_is_no_name_of_ray_s_is_a_custom_resource():
    asked = {"num_cpus": 2, "accelerator_type": "H200", "license": 1}
    options = {"num_cpus": 2, "accelerator_type": "H200", "resources": {"license": 1}}
    assert actor_options(asked) == options


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({"num_cpus": 1}, 8), ({"num_cpus": 0.5}, 16), ({"num_cpus": 2, "license": 1}, 3), ({"num_gpus": 1}, 0),
        ({"memory": 4e9}, 4), ({"num_cpus": 0}, None), ({"num_cpus": 1, "accelerator_type": "H200"}, 0),
    ],
)  # fmt: skip
def test_as_many_fit_as_the_scarcest_resource_allows(asked, count):
    assert fits_in(asked, NODE) == count


def test_a_refusal_says_what_is_asked_and_what_there_is_and_what_was_meant():
    told = str(refusal({"num_cpus": 1, "licence": 1}, [NODE], "e"))
    assert "1 CPU, 1 licence" in told
    assert "10.0.0.1: 8 CPU, 16 GB of memory, 3 license" in told
    assert "Did you mean 'license'" in told


@pytest.mark.parametrize(
    ("declared", "named", "told"),
    [
        (None, "two", "--ray-resources is no JSON"), (None, "[1]", "must be an object"),
        (None, '{"num_cpus": -1}', "no amount"), (None, '{"num_cpus": true}', "no amount"),
        (None, '{"num_cpus": NaN}', "no amount"), (None, '{"CPU": 1}', "num_cpus"), (7, None, "ray_resources of e"),
    ],
)  # fmt: skip
def test_what_is_no_resource_is_refused(declared, named, told):
    with pytest.raises(UsageError, match=told):
        asked_of_a_node(declared, named, "e")
