import json

import pytest

from grpo_env_sdk.cli import main


@pytest.fixture
def listed(no_plugins, capsys):
    """The output of `grpo-env list` where a namespace of 21 and one of 20 are installed."""
    many = {f"many/task-{i:02}-v1": "zoo:Env" for i in range(21)}
    few = {f"few/task-{i:02}-v1": "zoo:Env" for i in range(20)}
    no_plugins.install("zoo", envs={**many, **few, "manyfold-v1": "zoo:Env"}, modules={"zoo.py": "class Env: pass"})

    def run(*arguments):
        assert main(["list", *arguments]) == 0
        return capsys.readouterr().out

    return run


def ids(table):
    return [line.split()[0] for line in table.splitlines() if line.startswith(("many", "few"))]


def test_a_namespace_of_more_than_twenty_is_one_line_that_says_how_to_see_them(listed):
    (line,) = [line for line in listed().splitlines() if line.startswith("many/")]
    assert line.split() == ["many/*", "21", "environments", "grpo-env", "list", "many"]
    assert len(ids(listed())) == 1 + 20 + 1
    assert len(ids(listed("--verbose"))) == 1 + 20 + 1


def test_all_and_a_word_and_json_list_each(listed):
    assert len(ids(listed("--all"))) == 21 + 20 + 1
    assert len(ids(listed("many"))) == 21 + 1
    found = json.loads(listed("--json"))["environments"]
    assert len([item for item in found if item["id"].startswith("many/")]) == 21


def test_a_word_that_no_id_contains_is_searched_in_summaries(no_plugins, capsys):
    envs = {"beds-v1": "zoo:Env"}
    no_plugins.install("lodging", envs=envs, modules={"zoo.py": "class Env: pass"}, summary="Beds with a tool.")
    no_plugins.install("tools-shop", envs={"tool-shop-v1": "zoo2:Env"}, modules={"zoo2.py": "class Env: pass"})
    assert main(["list", "LODGING"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["beds-v1"]
    assert main(["list", "tool"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["tool-shop-v1"]
    assert main(["list", "zebra"]) == 2
    assert "No id and no summary contains 'zebra'" in capsys.readouterr().err


def test_an_id_of_two_packages_is_listed_as_the_name_of_each(no_plugins, capsys):
    for package in ("zoo", "circus"):
        no_plugins.install(package, envs={"emu-v1": "zoo:Env"}, modules={"zoo.py": "class Env: pass"})
    no_plugins.install("park", envs={"ape-v1": "zoo:Env"})
    names = {"ape-v1", "circus:emu-v1", "zoo:emu-v1"}
    for words in ((), ("emu", "ape")):
        assert main(["list", *words]) == 0
        listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]]
        assert {name for name in listed if name.endswith(("emu-v1", "ape-v1"))} == names
    assert main(["list", "emu", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["environments"]
    assert sorted((one["name"], one["id"]) for one in found) == [("circus:emu-v1", "emu-v1"), ("zoo:emu-v1", "emu-v1")]
