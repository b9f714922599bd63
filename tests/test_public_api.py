"""The names that anybody may rely on."""

import inspect

import pytest

import grpo_env_sdk


def test_all_is_sorted_and_each_name_stands_once():
    assert grpo_env_sdk.__all__ == sorted(set(grpo_env_sdk.__all__))


def test_the_lazy_table_brings_exactly_what_all_says():
    assert list(grpo_env_sdk._HOMES) == grpo_env_sdk.__all__


def test_there_are_about_twenty_names():
    assert 15 <= len(grpo_env_sdk.__all__) <= 29


@pytest.mark.parametrize("name", grpo_env_sdk.__all__)
def test_each_name_can_be_imported_and_says_what_it_is(name):
    thing = getattr(grpo_env_sdk, name)
    assert inspect.getdoc(thing)
    assert thing is getattr(grpo_env_sdk, name)


def test_dir_shows_the_public_names():
    assert dir(grpo_env_sdk) == grpo_env_sdk.__all__


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'grpo_env_sdk' has no attribute 'maek'"):
        _ = grpo_env_sdk.maek


def test_type_checkers_see_the_same_names():
    import ast
    from pathlib import Path

    tree = ast.parse(Path(grpo_env_sdk.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == {name: f"grpo_env_sdk.{home}" for name, home in grpo_env_sdk._HOMES.items()}
