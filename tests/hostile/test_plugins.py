"""Plugins that raise anything, hang or return junk: one warning with their name, and everything else works."""

import warnings

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.hookspecs import CommandSpec
from grpo_env_sdk.registry import plugins
from grpo_env_sdk.types import EnvSpec

pytestmark = pytest.mark.usefixtures("no_plugins")

GOOD = """
    from grpo_env_sdk import CommandSpec, EnvSpec, hookimpl

    seen = []

    @hookimpl
    def grpo_env_register_envs():
        return [EnvSpec("good/one-v1", "good:One")]

    @hookimpl
    def grpo_env_register_commands():
        return [CommandSpec("walk", "walk", "good:walk")]

    @hookimpl
    def grpo_env_episode_finished(episode):
        seen.append(episode.row_index)
"""
EVIL = """
    import itertools, time
    from grpo_env_sdk import CommandSpec, EnvSpec, hookimpl

    class Broken(BaseException):
        def __str__(self):
            raise SystemExit(3)
        __repr__ = __str__

    def junk():
        {body}

    @hookimpl
    def {hook}({argument}):
        return junk()
"""
RAISING = ["raise Broken()", "raise KeyboardInterrupt", "raise SystemExit(1)", "raise GeneratorExit"]
JUNK = [
    "return 5", "return 'text'", "return [5, None, Broken()]", "return [EnvSpec(5, None, summary=[])]",
    "return [CommandSpec(None, 5, b'x')]", "return itertools.repeat(1)", "yield 1; raise Broken()",
]  # fmt: skip


def install(site, body, hook, argument=""):
    source = EVIL.format(body=body, hook=hook, argument=argument)
    site.install("good", plugins={"hooks": "good"}, modules={"good.py": GOOD})
    site.install("evil", plugins={"hooks": "evil"}, modules={"evil.py": source})


def told(hook, kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [item for _, item in plugins.call_each_for_items(hook, kind)]
    assert {item.category for item in caught} <= {GrpoEnvWarning}
    return found, [str(item.message) for item in caught]


@pytest.mark.parametrize("body", RAISING + JUNK)
@pytest.mark.parametrize(("hook", "kind"), [
    ("grpo_env_register_envs", EnvSpec), ("grpo_env_register_commands", CommandSpec),
])  # fmt: skip
def test_a_hook_that_raises_or_returns_junk_is_one_warning(body, hook, kind, site):
    install(site, body, hook)
    found, messages = told(hook, kind)
    assert len(found) == 1
    assert len(messages) == 1
    assert "evil:hooks" in messages[0]
    assert len(messages[0]) < 1000


@pytest.mark.parametrize("body", RAISING)
def test_a_hook_that_fails_for_episodes_is_one_warning_and_the_run_goes_on(body, site):
    install(site, body, "grpo_env_episode_finished", "episode")
    with pytest.warns(
        GrpoEnvWarning, match=r"evil:hooks failed in grpo_env_episode_finished.*not called again"
    ) as told:
        found = evaluate("tests.policies.parrot:Parrot", "echo", split="all", rows=3)
    assert len(told) == 1
    assert found.summary["episodes"] == 3
    import good

    assert sorted(good.seen) == [0, 1, 2]


@pytest.mark.slow  # waits for the deadline of a hook
@pytest.mark.parametrize("body", ["time.sleep(3600)", "return (time.sleep(3600) for _ in [1])"])
def test_a_hook_that_hangs_is_one_warning_within_its_deadline(body, site):
    install(site, body, "grpo_env_register_envs")
    found, messages = told("grpo_env_register_envs", EnvSpec)
    assert len(found) == 1
    assert "did not come back within 10 s" in messages[0]
    assert told("grpo_env_register_envs", EnvSpec) == (found, [])
