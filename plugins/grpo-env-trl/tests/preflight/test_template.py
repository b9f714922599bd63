import shutil

import pytest
from tiny_models import tiny_tokenizer

from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.template import episode_tokens, problems
from grpo_env_trl.settings import read_settings
from grpo_env_trl.setup.preparing import prepare


@pytest.fixture
def without_template(models, tmp_path):
    tokenizer = tiny_tokenizer("qwen3")
    tokenizer.chat_template = None
    shutil.copytree(models("qwen3"), tmp_path / "bare")
    for file in ("chat_template.jinja", "tokenizer_config.json", "tokenizer.json"):
        (tmp_path / "bare" / file).unlink(missing_ok=True)
    tokenizer.save_pretrained(tmp_path / "bare")
    return str(tmp_path / "bare")


@pytest.mark.parametrize(("env", "told"), [
    ("trials:Sums", " has no chat template, and this environment uses chat messages and runs tools: the template has "
     "to render both. Use an instruct model"),
    ("trials:Chats", " has no chat template, and this environment uses chat messages. Use an instruct model"),
])  # fmt: skip
def test_no_chat_template_is_refused_where_there_is_a_chat(dry_run, without_template, env, told):
    code, said = dry_run(env, "--model", without_template)
    assert code == 2
    assert told in said


def test_no_chat_template_is_fine_for_bare_text(dry_run, without_template):
    code, told = dry_run("trials:Blind", "--model", without_template)
    assert code == 0, told


def test_tools_that_the_template_cannot_render_are_refused(dry_run, models):
    code, told = dry_run("trials:Sums", "--model", models("gemma3"))
    assert (code, told.count("\n")) == (2, 1)
    assert "cannot render tool calls, and this environment runs tools. Use a model whose template has them" in told


def test_a_bridge_that_cannot_carry_the_environment_is_refused(dry_run, models):
    code, told = dry_run("trials:Sums", "--model", models("qwen3"), "--bridge", "native")
    assert (code, told.count("\n")) == (2, 1)
    assert "has several turns, which the native bridge does not support." in told


def test_a_prompt_that_the_template_refuses_is_named_by_its_row(dry_run, models):
    code, told = dry_run("trials:Chats", "--model", models("gemma3"))
    assert (code, "cannot render the prompt of row 5: Conversation roles must alternate" in told) == (2, True)


def test_a_message_that_the_template_drops_is_refused(dry_run, models):
    code, told = dry_run("trials:Developer", "--model", models("qwen3"))
    assert code == 2
    assert "Row 0: The chat template drops messages of role 'developer': the model never reads 'Answer in JSON" in told
    assert "Rename the role 'developer' to 'system'" in told


@pytest.mark.parametrize("family", ["qwen3", "qwen2.5", "llama3.2"])
def test_a_solution_comes_back_from_its_own_tokens(models, tmp_path, family):
    settings = read_settings(["trials:Sums", "--model", models(family)])
    subject = PlannedTraining(prepare(settings, tmp_path / "run"))
    said = episode_tokens(subject.renderer, subject.gold[0])
    assert [bool(read.get("tool_calls")) for _, read, _ in said.turns] == [True, False]
    assert [read["content"] for _, read, _ in said.turns][1] == subject.gold[0].messages[-1]["content"]
    assert sum(said.segments.last.sampled) == sum(len(ids) for _, _, ids in said.turns)
    assert 0 in said.segments.last.sampled
    assert [*problems(subject)] == []


def test_words_that_the_template_changes_are_a_note(models, tmp_path):
    subject = PlannedTraining(prepare(read_settings(["trials:Sums", "--model", models("qwen2.5")]), tmp_path / "run"))
    tokenizer = subject.setup.tokenizer
    tokenizer.chat_template = tokenizer.chat_template.replace("message.content +", "message.content ~ ' Yes?' +")
    (problem,) = problems(subject)
    assert not problem.fatal
    assert problem.message == "Row 0: A turn changes when it is parsed from its tokens: '2' becomes '2 Yes?'."
