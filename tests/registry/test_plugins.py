"""Plugins, each in its own guard."""

import subprocess
import sys
import warnings

import pytest

from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.hookspecs import CommandSpec
from grpo_env_sdk.registry import entry_points as installed
from grpo_env_sdk.registry import plugins
from grpo_env_sdk.registry.plugins import call_each, call_each_by_name, call_each_for_items, plugin_manager
from grpo_env_sdk.types import EnvSpec
from tests.forked_commands import user_environment

pytestmark = pytest.mark.usefixtures("no_plugins")

GOOD = """
    from grpo_env_sdk import CommandSpec, EnvSpec, hookimpl

    @hookimpl
    def grpo_env_register_envs():
        return [EnvSpec("mazes/small-v1", "mazes:Maze", config={"size": 3}), EnvSpec("mazes/large-v1", "mazes:Maze")]

    @hookimpl
    def grpo_env_register_commands():
        yield CommandSpec("walk", "walk through a maze", "mazes:walk")

    @hookimpl
    def grpo_env_make_policy(spec):
        return f"policy for {spec}"
"""


def install(site, name, source, module=None):
    """A plugin of one module."""
    module = module or name.replace("-", "_")
    site.install(name, plugins={"hooks": module}, modules={f"{module}.py": source})


def warned(hook="grpo_env_register_envs", kind=EnvSpec):
    """The ids that plugins bring, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        items = [item.id for _, item in call_each_for_items(hook, kind)]
    assert all(issubclass(item.category, GrpoEnvWarning) for item in caught)
    messages = [str(item.message) for item in caught]
    assert not any("\n" in message for message in messages)
    return items, messages


@pytest.fixture
def good(site):
    install(site, "good-mazes", GOOD)
    return site


def test_each_hook_gives_what_the_plugin_brings(good):
    assert warned() == (["mazes/small-v1", "mazes/large-v1"], [])
    assert list(call_each_for_items("grpo_env_register_commands", CommandSpec)) == [
        ("good-mazes:hooks", CommandSpec("walk", "walk through a maze", "mazes:walk"))
    ]
    assert list(call_each("grpo_env_make_policy", spec="x")) == [("good-mazes:hooks", "policy for x")]


def test_a_hook_may_ask_for_fewer_arguments_than_there_are(site):
    install(site, "lazy", "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_make_policy():\n    return 5\n")
    assert list(call_each("grpo_env_make_policy", spec="x")) == [("lazy:hooks", 5)]


def test_a_hook_may_have_a_name_of_its_own(site):
    source = """
        from grpo_env_sdk import EnvSpec, hookimpl

        @hookimpl(specname="grpo_env_register_envs")
        def my_mazes():
            return [EnvSpec("mazes/own-v1", "mazes:Maze")]
    """
    install(site, "own", source)
    assert warned() == (["mazes/own-v1"], [])


def test_a_plugin_may_be_a_class_or_an_instance(site):
    source = """
        from grpo_env_sdk import EnvSpec, hookimpl

        class Mazes:
            @hookimpl
            def grpo_env_register_envs(self):
                return [EnvSpec("mazes/object-v1", "mazes:Maze")]

        mazes = Mazes()
    """
    site.install("objects", plugins={"hooks": "objects_of:mazes"}, modules={"objects_of.py": source})
    assert warned() == (["mazes/object-v1"], [])


def test_plugins_are_asked_in_the_order_of_their_packages_names(site):
    source = "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_make_policy(spec): return '{}'"
    for name in ("Zoo", "acme-b", "acme_a", "mazes"):
        install(site, name, source.format(name), module=f"of_{name.replace('-', '_')}")
    assert [result for _, result in call_each("grpo_env_make_policy", spec="x")] == ["acme_a", "acme-b", "mazes", "Zoo"]


def test_who_should_be_asked_first_is(site):
    source = """
        from grpo_env_sdk import hookimpl

        @hookimpl({})
        def grpo_env_make_policy(spec):
            return "{}"
    """
    for name, options in (("one", "trylast=True"), ("two", ""), ("three", "tryfirst=True")):
        install(site, name, source.replace("{}", options, 1).replace("{}", name))
    assert [result for _, result in call_each("grpo_env_make_policy", spec="x")] == ["three", "two", "one"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import nowhere_at_all", "The plugin 'hooks' of bad 1.0: bad cannot be imported: ModuleNotFoundError: No mod"),
        ("raise SystemExit(1)", "The plugin 'hooks' of bad 1.0: importing bad exits with 1."),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_make_policy(spec, mood): pass",
            "The plugin 'hooks' of bad 1.0 implements grpo_env_make_policy(spec, mood), which gets spec and no 'mood'.",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\nasync def grpo_env_episode_finished(episode): pass",
            "The plugin 'hooks' of bad 1.0 implements grpo_env_episode_finished with `async def`. Write `def`.",
        ),
        (
            "def grpo_env_register_envs(): return []",
            "The plugin 'hooks' of bad 1.0 has grpo_env_register_envs without @hookimpl, so it is never called.",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): pass",
            "The plugin bad:hooks returned None in grpo_env_register_envs, where a list is expected",
        ),
        (
            "from grpo_env_sdk.ext import check\ncheck('S1')",
            "The plugin 'hooks' of bad 1.0 cannot be registered: 'S1' is not a valid check id. Write the letter of a ",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_env(): pass",
            "The plugin 'hooks' of bad 1.0 implements 'grpo_env_register_env', which is not a hook. Did you mean",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): raise KeyError('x')",
            "The plugin bad:hooks failed in grpo_env_register_envs: KeyError: 'x' (",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): raise SystemExit(2)",
            "The plugin bad:hooks failed in grpo_env_register_envs: SystemExit: 2",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs():\n    yield 5\n    1 / 0",
            "The plugin bad:hooks failed in grpo_env_register_envs: ZeroDivisionError: division by zero (",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): return 5",
            "The plugin bad:hooks failed in grpo_env_register_envs: TypeError: 'int' object is not iterable",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): return ['maze-v1']",
            "The plugin bad:hooks returned 'maze-v1' in grpo_env_register_envs, not a EnvSpec.",
        ),
        (
            "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): return 'maze'",
            "The plugin bad:hooks returned 'm' and 3 more like it in grpo_env_register_envs, not a EnvSpec.",
        ),
    ],
)  # fmt: skip
def test_one_broken_plugin_is_a_warning_and_the_others_load(good, source, told):
    install(good, "bad", source)
    ids, messages = warned()
    assert ids == ["mazes/small-v1", "mazes/large-v1"]
    assert messages[0].startswith(told)
    assert not messages[0].endswith("..")


def test_a_plugin_of_a_later_sdk_keeps_the_hooks_that_this_one_has(site):
    later = GOOD + "\n    @hookimpl\n    def grpo_env_register_judges():\n        return []\n"
    install(site, "later", later)
    ids, (message,) = warned()
    assert len(ids) == 2
    assert message.startswith(
        "The plugin 'hooks' of later 1.0 implements 'grpo_env_register_judges', which is not a hook."
    )


def test_a_wrong_hook_leaves_the_others_of_its_plugin(site):
    install(site, "mixed", f"{GOOD}\n    @hookimpl\n    def grpo_env_episode_finished(episode, run):\n        pass\n")
    ids, (message,) = warned()
    assert ids == ["mazes/small-v1", "mazes/large-v1"]
    assert "grpo_env_episode_finished(episode, run), which gets episode and no 'run'" in message


def test_a_group_that_nothing_reads_is_named(site):
    site.write("typo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: typo\nVersion: 1.0\n")
    site.write("typo-1.0.dist-info/entry_points.txt", "[grpo_env_sdk.plugin]\nhooks = typo\n")
    installed.forget()
    with pytest.warns(
        GrpoEnvWarning, match=r"typo has .*'grpo_env_sdk.plugin', .* Did you mean 'grpo_env_sdk.plugins'"
    ):
        installed.offers()


def test_a_name_with_a_distribution_asks_its_plugins_alone(site):
    source = "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_open_tokenizer(name): return {}"
    install(site, "greedy", source.format("f'greedy {name}'"))
    install(site, "modest", source.format("f'modest {name}' if name == 'acme:m' else None"))

    def answers(name):
        return [found for _, found in call_each_by_name("grpo_env_open_tokenizer", name, lambda name: {"name": name})]

    assert answers("acme:m") == ["greedy acme:m", "modest acme:m"]
    assert answers("modest:acme:m") == ["modest acme:m"]
    assert answers("modest:x") == []


def test_a_plugin_that_cannot_be_registered_leaves_its_faults_to_no_other(site):
    wrong = """
        from grpo_env_sdk import hookimpl

        @hookimpl
        def grpo_env_register_checks(wrong): ...

        @hookimpl(wrapper=True)
        def grpo_env_register_envs(): ...
    """
    install(site, "b-wrong", wrong)
    install(site, "a-right", "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_register_envs(): return []")
    _, messages = warned()
    assert [message for message in messages if "a-right" in message] == []


def test_a_slow_observer_is_named_once(site, monkeypatch):
    install(site, "slow", "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_episode_finished(): pass")
    monkeypatch.setattr(plugins, "SLOW_OBSERVER_SECONDS", -1.0)
    assert [found for _ in range(2) for found in call_each("grpo_env_episode_finished", episode=None)] == []
    with pytest.warns(GrpoEnvWarning, match="The plugin slow:hooks took .* the run waits for it") as told:
        assert [found for _ in range(2) for found in call_each("grpo_env_episode_finished", episode=None)] == []
    assert len(told) == 1


def test_a_plugin_that_is_not_there(good):
    good.install("gone", plugins={"hooks": "gone_away"})
    ids, (message,) = warned()
    assert len(ids) == 2
    assert message.startswith("The plugin 'hooks' of gone 1.0: gone_away cannot be imported: ")


def test_one_object_as_two_plugins_is_called_once(site):
    site.install("twice", plugins={"one": "twice_mazes", "two": "twice_mazes"}, modules={"twice_mazes.py": GOOD})
    ids, (message,) = warned()
    assert ids == ["mazes/small-v1", "mazes/large-v1"]
    assert message.startswith("The plugin 'one' of twice 1.0 cannot be registered: ")


WAITS = """
    import time, warnings

    while "slow-plugin" not in warnings.showwarning.text:
        time.sleep(0.01)
"""


def test_a_plugin_that_is_slow_to_import_is_named_meanwhile(site, monkeypatch):
    class Shows:
        text = ""

        def __call__(self, message, *place, **named):
            self.text += f"{message}\n"

    shows = Shows()
    install(site, "slow-plugin", WAITS)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", shows)
        monkeypatch.setattr(plugins, "SLOW_SECONDS", 0.0)
        plugin_manager()
    assert "The plugin 'hooks' of slow-plugin 1.0 is still being imported." in shows.text.splitlines()


def test_a_plugin_that_ends_the_process_at_import_is_named_with_the_package_to_uninstall(site):
    install(site, "bad-plugin", "import os; os._exit(0)")
    env = user_environment() | {"PYTHONPATH": str(site.folder)}
    done = subprocess.run([sys.executable, "-m", "grpo_env_sdk", "list"], capture_output=True, text=True, env=env)
    assert done.returncode == 2
    assert "os._exit(0)" in done.stderr
    assert "pip uninstall bad-plugin" in done.stderr
    assert "--env-pool" not in done.stderr


def test_a_plugin_that_prints_at_import_leaves_stdout_clean(site, capsys):
    install(site, "loud", "print('hello')\n" + GOOD.replace("\n    ", "\n"))
    assert len(warned()[0]) == 2
    assert capsys.readouterr() == ("", "hello\n")


def test_plugins_are_loaded_once(good):
    assert plugin_manager() is plugin_manager()


def test_an_observer_that_fails_is_a_warning_and_the_evaluation_goes_on(site):
    from grpo_env_sdk import evaluate

    install(
        site,
        "watching",
        "from grpo_env_sdk import hookimpl\n@hookimpl\ndef grpo_env_episode_finished(episode): raise KeyError('x')",
    )
    with pytest.warns(GrpoEnvWarning, match="The plugin watching:hooks failed in grpo_env_episode_finished: KeyError"):
        summary = evaluate("tests.environments:Countdown", "gold", rows=1).summary
    assert summary["reward"]["mean"] == 1.0


def test_what_a_plugin_answers_to_what_was_typed_reaches_the_person(site):
    source = """
        from grpo_env_sdk import hookimpl
        from grpo_env_sdk.errors import UsageError

        @hookimpl
        def grpo_env_make_policy(spec):
            raise UsageError("There is no folder 'x'.", "Take one with a model in it.")
    """
    install(site, "folders", source)
    with pytest.raises(UsageError, match="There is no folder 'x'"):
        list(call_each("grpo_env_make_policy", spec="x"))
