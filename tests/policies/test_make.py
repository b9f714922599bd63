import pytest

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies import Policy, make_policy
from grpo_env_sdk.policies.endpoint import URL_VARIABLE
from grpo_env_sdk.policies.make import PolicySpec
from tests.policies.parrot import Parrot, played

PLUGIN = """
    from grpo_env_sdk import hookimpl
    from grpo_env_sdk.ext import PolicySpec

    class Trained:
        def __init__(self, spec):
            self.name = spec.model

        async def respond(self, request):
            from grpo_env_sdk.types import Turn
            return Turn({{"role": "assistant", "content": "{says}"}})

    @hookimpl
    def grpo_env_make_policy(spec):
        return {returns}
"""


def plugin(site, name, returns="Trained(spec) if '/' in spec.model else None", says="say 0."):
    module = name.replace("-", "_")
    source = PLUGIN.format(returns=returns, says=says)
    site.install(name, plugins={"hooks": module}, modules={f"{module}.py": source})


@pytest.mark.parametrize("name", ["gold", "random", "echo", "openai:gpt-x", "openai:org/model:free"])
def test_a_policy_has_the_name_that_it_was_asked_for_by(name):
    policy = make_policy(name)
    assert policy.name == name
    assert isinstance(policy, Policy)


def test_a_server_is_where_the_base_url_says_or_the_environment_or_openai(monkeypatch):
    assert make_policy("openai:x").url == "https://api.openai.com/v1/chat/completions"
    monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:1/v1/")
    assert make_policy("openai:x").url == "http://127.0.0.1:1/v1/chat/completions"
    spec = PolicySpec("openai:x", "http://127.0.0.1:2/v1")
    assert make_policy(spec).url == "http://127.0.0.1:2/v1/chat/completions"


@pytest.mark.parametrize(("typed", "meant"), [
    ("glod", "'gold'"), ("Gold", "'gold'"), ("randon", "'random'"), ("gold:", "'gold'"), ("opnai:gpt-x", "'openai'"),
    ("script:x.jsonl", "'scripted'"), ("replays:runs/x", "'replay'"),
])  # fmt: skip
def test_a_slip_is_answered_with_what_was_meant(typed, meant):
    with pytest.raises(UsageError, match=f"No policy named '{typed}'. Did you mean {meant}?"):
        make_policy(typed)


def test_where_the_trainer_is_installed_nobody_is_told_to_install_it():
    with pytest.raises(UsageError, match=r"Did you mean 'gold'\? For a model behind a server .* --base-url\.$"):
        make_policy("gould")
    with pytest.raises(UsageError, match=r"Did you mean 'vllm'\? For a model"):
        make_policy("vlm:Qwen/Qwen3-0.6B")


@pytest.mark.parametrize("typed", ["Qwen/Qwen3-0.6B", "./checkpoints/last", "gpt-4o", ""])
def test_a_model_is_answered_with_the_two_ways_to_have_one(typed, no_plugins):
    with pytest.raises(UsageError, match=r"openai:NAME with --base-url.*pip install grpo-env-trl\.$") as found:
        make_policy(typed)
    assert "\n" not in str(found.value)
    assert "Did you mean" not in str(found.value)


@pytest.mark.parametrize("typed", ["openai:", "scripted:", "replay:"])
def test_nothing_after_the_colon_is_answered_with_an_example(typed):
    with pytest.raises(UsageError, match=f"--model {typed} has nothing after the colon. Write {typed}"):
        make_policy(typed)


@pytest.mark.parametrize("typed", ["openai", "scripted", "replay"])
def test_nothing_but_what_comes_before_the_colon_is_answered_with_an_example(typed):
    with pytest.raises(UsageError, match=f"--model {typed} needs a colon and more. Write {typed}:"):
        make_policy(typed)


def test_a_plugins_policy_is_used_for_what_is_built_in_by_nobody(site, no_plugins, tmp_path):
    plugin(site, "trainer")
    policy = make_policy("Qwen/Qwen3-0.6B")
    assert policy.name == "Qwen/Qwen3-0.6B"
    assert [episode.reward for episode in played(Parrot(2), "Qwen/Qwen3-0.6B", tmp_path / "run")] == [1.0, 0.0]
    assert type(make_policy("gold")).__name__ == "GoldPolicy"
    with pytest.raises(UsageError, match="No policy named 'gpt-4o'"):
        make_policy("gpt-4o")


def test_a_plugin_that_has_nothing_for_it_leaves_it_to_the_next(site):
    plugin(site, "one", returns="None")
    plugin(site, "two")
    assert make_policy("a/b").name == "a/b"


def test_a_plugin_that_gives_no_policy_is_named(site):
    plugin(site, "odd", returns="'text'")
    with pytest.raises(
        UsageError, match=r"The plugin odd:hooks returned 'text' for --model a/b\. A policy is a function"
    ):
        make_policy("a/b")


def test_an_address_can_be_given_beside_the_name(site):
    plugin(site, "tells", returns="Trained(PolicySpec(spec.base_url)) if spec.model == 'a/b' else None")
    spec = PolicySpec("a/b", "http://first")
    assert [make_policy(spec).name, make_policy(spec, "http://x").name, make_policy("a/b", "http://x").name] == [
        "http://first", "http://x", "http://x",
    ]  # fmt: skip
