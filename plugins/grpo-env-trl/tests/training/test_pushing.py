"""`--push-to-hub`: without a hub or a token nothing starts; a push that fails leaves the model on disk."""

import pytest
from quick import flags
from stub_hub import running_hub
from transformers.utils import hub as transformers_hub

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from grpo_env_trl.models.hub import hub_answers

PUSH = ["--push-to-hub", "--save-strategy", "steps", "--save-steps", "1"]


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """Lets this process use the hub at an address, with a token or none."""

    def use(address, token=None):
        hub_answers.cache_clear()
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
        monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
        monkeypatch.setattr(transformers_hub, "_hf_api", None)  # it keeps the first address that it was used with
        monkeypatch.delenv("HF_TOKEN", raising=False)
        if token:
            monkeypatch.setenv("HF_TOKEN", token)

    yield use
    hub_answers.cache_clear()


@pytest.fixture
def train(models, workplace, capsys):
    model = models()

    def run(*words):
        capsys.readouterr()
        code = main(["train", "environments:Parts", "--model", model, *flags(eval_rows=0, max_steps=1), *words])
        return code, capsys.readouterr().err

    return run


@pytest.mark.parametrize(("flag", "later"), [
    (["--push-to-hub"], "hf upload NAME run/model"),
    (["--log-completions-hub-repo", "me/x", "--log-completions"], "Remove --log-completions-hub-repo."),
])  # fmt: skip
def test_without_a_hub_nothing_starts_and_the_line_says_what_to_do_later(flag, later, train, hub, workplace):
    hub("http://127.0.0.1:9")
    code, told = train(*flag)
    assert code == 2
    assert told.startswith(f"grpo-env: {flag[0]} needs the hub, and http://127.0.0.1:9 does not answer.")
    assert later in told
    assert told.count("\n") == 1
    assert [*workplace.iterdir()] == []


@pytest.mark.parametrize(("token", "wanted"), [(None, "needs a token"), ("hf_stale", "does not accept your token")])
def test_without_a_token_that_the_hub_knows_nothing_starts(token, wanted, train, hub, workplace):
    with running_hub() as address:
        hub(address, token)
        code, told = train(*PUSH)
    assert code == 2
    assert wanted in told
    assert "hf auth login" in told
    assert told.count("\n") == 1
    assert [*workplace.iterdir()] == []


def test_a_push_that_fails_leaves_the_trained_model_and_says_where_it_is(train, hub):
    with running_hub() as address:
        hub(address, "hf_known")
        code, told = train(*PUSH)
    assert code == 2
    last = told.splitlines()[-1]
    assert last.startswith("grpo-env: The model is trained and saved, but could not be pushed to the hub: ")
    assert "the quota is used up" in last
    assert last.endswith("hf upload me/run run/model")
    run = open_run("run")
    assert run.summary()["finished"]
    assert {path.name for path in run.path.joinpath("model").iterdir()} >= {"model.safetensors", "README.md"}
