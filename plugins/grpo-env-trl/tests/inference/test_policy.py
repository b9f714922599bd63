"""The transformers policy: the tokens that training gives, batches across episodes, and settings row by row."""

import asyncio
import json
import shutil
import subprocess
import sys

import pytest
from asking import Watch, answers, ask
from tiny_models import CONTEXT, FAMILIES, save_tiny_model, save_training, tiny_model

from grpo_env_sdk import ModelUser, MultiTurnEnv, SingleTurnEnv, ToolEnv, evaluate, reward, tool
from grpo_env_sdk.cli import main
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies import PolicyError, Sampling, UnusablePolicyError, make_policy
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn
from grpo_env_trl.inference.opening import open_policy
from grpo_env_trl.inference.policy import TransformersPolicy
from grpo_env_trl.inference.sampling_params import SamplingParams

WORDS = ("a", "some more words", "many, many more words than that " * 4)


class Words(SingleTurnEnv):
    """Say anything at all."""

    def build_dataset(self, tokenizer):
        return [{"prompt": word * times} for word in WORDS for times in (1, 2, 3)]

    @reward
    def length(self, completion):
        return min(1.0, len(completion) / 100)


class Chat(MultiTurnEnv):
    """Three turns, each answered by the user."""

    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": word} for word in WORDS]

    def step(self, action):
        return f"Go on after {len(self.messages)}.", 0.1, False, False, {}


class Talk(ToolEnv):
    """A model speaks for the user."""

    max_turns = 3
    user = ModelUser(prompt="Talk about {word}.", max_tokens=5)

    def build_dataset(self, tokenizer):
        return [{"prompt": word, "word": word} for word in WORDS]

    @reward
    def any(self, completion):
        return 1.0


class Adder(ToolEnv):
    """Tools that run."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Add."}]

    @tool
    def add(self, a: int) -> int:
        """Add one.

        Args:
            a: A number.
        """
        return a + 1

    @reward
    def any(self, completion):
        return 1.0


def play(env, policy, concurrency=8, **sampling):
    """The episodes of every row, by row."""

    async def all_of_them():
        loaded = load(env)
        rollout = Rollout(policy, Sampling(**sampling), concurrency=concurrency)
        try:
            return [episode async for episode in rollouts(loaded, loaded.rows("all"), rollout)]
        finally:
            await policy.close()

    return sorted(asyncio.run(all_of_them()), key=lambda episode: episode.row_index)


def ends_of(model):
    found = model.generation_config.eos_token_id
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_answers_are_those_of_generate_whoever_else_waits(family):
    model, tokenizer = tiny_model(family)
    policy = TransformersPolicy(model, tokenizer)
    together = answers(policy, *(ask(word, temperature=0, max_tokens=20) for word in WORDS))
    for word, turn in zip(WORDS, together, strict=True):
        prompt = tokenizer.apply_chat_template(
            [{"role": "user", "content": word}], add_generation_prompt=True, return_dict=True, return_tensors="pt"
        )
        found = model.generate(
            **prompt, max_new_tokens=20, do_sample=False, pad_token_id=0, eos_token_id=ends_of(model)
        )[0, prompt["input_ids"].shape[1] :]
        assert turn.token_ids == found.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_sampled_answers_depend_on_the_seed_and_not_on_who_else_waits(family):
    model, tokenizer = tiny_model(family)

    def sampled(concurrency, seed):
        episodes = play(Words, TransformersPolicy(model, tokenizer), concurrency, max_tokens=12, seed=seed)
        return [episode.token_ids for episode in episodes]

    assert sampled(1, seed=0) == sampled(8, seed=0)
    assert sampled(8, seed=0) != sampled(8, seed=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_over_several_turns_the_model_reads_exactly_what_it_wrote(family):
    model, tokenizer = tiny_model(family)
    watch = Watch(model)
    episodes = play(Chat, TransformersPolicy(model, tokenizer), concurrency=1, max_tokens=150, temperature=8.0)
    read = iter(rows[0] for rows in watch.contexts)
    for episode in episodes:
        assert episode.error is None
        context = next(read)
        for written, told in zip(episode.token_ids[:-1], episode.completion[1::2], strict=False):
            before, context = context + written, next(read)
            assert context[: len(before)] == before
            assert told["content"] in tokenizer.decode(context[len(before) :])
    assert next(read, None) is None
    assert any(len(episode.token_ids) > 1 for episode in episodes)


def test_requests_that_wait_together_share_calls_up_to_the_batch_size():
    model, tokenizer = tiny_model("qwen3")
    watch = Watch(model)
    policy = TransformersPolicy(model, tokenizer, batch_size=6)
    answers(policy, *(ask("a", row, max_tokens=2) for row in range(10)))
    assert [len(rows) for rows in watch.contexts] == [6, 4]


def test_the_event_loop_is_free_while_the_model_writes():
    policy = TransformersPolicy(*tiny_model("qwen3"))
    ticks = 0

    async def ticking():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    async def both():
        ticker = asyncio.create_task(ticking())
        await policy.respond(ask("a", max_tokens=400))
        ticker.cancel()

    asyncio.run(both())
    assert ticks > 3


def test_who_stops_waiting_stops_the_model():
    model, tokenizer = tiny_model("qwen3")
    model.generation_config.eos_token_id = None
    watch = Watch(model)
    policy = TransformersPolicy(model, tokenizer)

    async def impatient():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await policy.respond(ask("a", max_tokens=CONTEXT, temperature=0.0))
        await policy.close()
        return watch.calls

    assert asyncio.run(impatient()) < CONTEXT / 4
    assert answers(policy, ask("a", max_tokens=3))[0].completion_tokens <= 3


def test_a_prompt_that_is_too_long_is_an_error_of_its_episode():
    policy = TransformersPolicy(*tiny_model("qwen3"), name="tiny")
    with pytest.raises(PolicyError, match=rf"The prompt has \d+ tokens, and tiny reads {CONTEXT}\.") as caught:
        answers(policy, ask("x" * CONTEXT))
    assert caught.value.kind == "context_overflow"


def test_a_transcript_that_grew_too_long_ends_by_max_tokens():
    policy = TransformersPolicy(*tiny_model("qwen3"), usual=SamplingParams(max_turn_tokens=8, max_completion_length=30))
    episodes = play(Chat, policy)
    assert {episode.stop_reason for episode in episodes} <= {"length", "max_tokens", "terminated", "max_turns"}
    assert all(sum(map(len, episode.token_ids or [])) <= 30 for episode in episodes)


def test_a_model_whose_template_has_no_tools_is_refused_where_they_run():
    policy = TransformersPolicy(*tiny_model("gemma3"))
    with pytest.raises(UnusablePolicyError, match="cannot render tool calls, and this environment runs tools"):
        play(Adder, policy)


def test_a_run_is_measured_as_it_was_trained_unless_asked_otherwise(tmp_path):
    training = {"max_turn_tokens": 5, "max_completion_length": 40, "temperature": 0.8, "top_k": 3, "min_p": 0.1}
    run = save_training(tmp_path / "run", training)
    save_tiny_model("qwen3", run / "model")
    policy = open_policy(PolicySpec(str(run)))
    assert policy.usual == SamplingParams(0.8, top_k=3, min_p=0.1, max_turn_tokens=5, max_completion_length=40)
    assert answers(policy, ask("a"))[0].completion_tokens <= 5
    asked = policy.usual.asked(Sampling(max_tokens=100))
    assert (asked.max_turn_tokens, asked.max_completion_length) == (100, None)


def test_several_environments_of_one_command_share_a_model(tmp_path):
    folder = str(save_tiny_model("qwen3", tmp_path / "tiny"))
    first, second = make_policy(folder), make_policy(folder)
    assert first.model is second.model
    assert isinstance(first, TransformersPolicy)
    for env in (Words, Chat):
        assert len(play(env, first, max_tokens=3)) > 0


def test_a_folder_that_speaks_for_the_user_is_loaded_once(tmp_path):
    folder = tmp_path / "user"
    save_tiny_model("qwen3", folder)

    class Asks:
        name = "asks"

        async def respond(self, request):
            if request.turn:  # the user has answered, so its model is loaded
                shutil.rmtree(folder, ignore_errors=True)
            return Turn({"role": "assistant", "content": "And?"})

    found = evaluate(Talk, Asks(), split="all", user=str(folder), samples=2, concurrency=2)
    assert not folder.exists()
    assert found.summary["tokens"]["user_completion_tokens"] > 0
    assert set(found.summary["errors"]) <= {"user answer: no_words"}  # as a random model may say nothing
    assert found.summary["scored"] > 2


def test_one_relative_path_in_two_folders_is_two_models(tmp_path, monkeypatch):
    opened = []
    for place in ("one", "other"):
        save_tiny_model("qwen3", tmp_path / place / "tiny")
        monkeypatch.chdir(tmp_path / place)
        opened.append(make_policy("./tiny"))
    assert opened[0].model is not opened[1].model


def test_a_base_url_with_a_model_that_is_loaded_here_is_refused():
    with pytest.raises(UsageError, match=r"Write --model openai:Qwen/Qwen3-0\.6B\."):
        make_policy(PolicySpec("Qwen/Qwen3-0.6B", "http://127.0.0.1:8000/v1"))


@pytest.mark.parametrize("name", ["goldd", "scriptd:x", "opnai:NAME"])
def test_what_is_misspelt_of_the_core_is_answered_by_the_core(name):
    with pytest.raises(UsageError, match=r"No policy named .* Did you mean"):
        make_policy(name)


def test_a_policy_object_is_evaluated_from_python():
    found = evaluate(Words, TransformersPolicy(*tiny_model("llama3.2"), name="tiny"), split="all", rows=4)
    assert found.summary["scored"] == 4
    assert found.policy == "tiny"


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A run of a training in the working directory, as far as a policy looks at it."""
    monkeypatch.chdir(tmp_path)
    run = save_training(tmp_path / "runs" / "trained", {"max_turn_tokens": 6, "max_completion_length": 200})
    save_tiny_model("qwen3", run / "model")
    return "runs/trained"


def test_eval_measures_a_run(trained, capsys):
    assert main(["eval", "hotel-v1", "--model", trained, "-n", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["policy"], told["episodes"], told["scored"]) == (trained, 3, 3)


@pytest.mark.slow
def test_eval_measures_a_run_in_a_process_of_its_own(trained):
    command = [sys.executable, "-m", "grpo_env_sdk", "eval", "hotel-v1", "--model", trained, "-n", "3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["policy"], told["episodes"], told["scored"]) == (trained, 3, 3)


def test_the_plugin_is_light_until_its_model_is_asked_for():
    heavy = "import grpo_env_trl.plugin, sys; print([m for m in ('torch', 'transformers', 'trl') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
