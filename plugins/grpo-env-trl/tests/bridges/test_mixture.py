"""Several environments under one trainer: rows, episodes, rewards and metrics of each."""

import math
from contextlib import contextmanager

import pytest
from environments import Errands, Letters, Parts, Talk
from scripted import ScriptedTrainer, StandIn, calls, config, says, tokens, written

from grpo_env_sdk import ToolEnv, reward, tool
from grpo_env_sdk.errors import DatasetError, UsageError
from grpo_env_sdk.ext import EnvironmentFailedError
from grpo_env_trl.bridges.dataset import ROW
from grpo_env_trl.bridges.mixture_data import ENV
from grpo_env_trl.bridges.mixture_metrics import EnvTally
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from tests.images.pictures import square

ERRANDS, PARTS = "environments:Errands", "environments:Parts"


def made(tiny, folder, envs, script=None, **changes):
    """A trainer on these environments whose model says what a script has it say."""
    model, tokenizer = tiny()
    given = {
        name: changes.pop(name)
        for name in ("reward_funcs", "config", "bridge", "rows", "stop_after")
        if name in changes
    }
    settings = {"per_device_train_batch_size": 12, "max_completion_length": 64} | changes
    kwargs = trainer_kwargs(envs, tokenizer, args=config(folder, **settings), **given)
    say = script(tokenizer) if script else says(tokenizer, "yes", "no, thanks")
    return ScriptedTrainer(model=model, script=say, **kwargs)


class Seen:
    """What a reward function was given."""

    def __init__(self):
        self.given = []

    def __call__(self, prompts, completions, fails, place, case_idx, **kwargs):
        self.given.append({"prompts": prompts, "fails": fails, "place": place})
        return [None if one is None else 1.0 for one in fails]


def test_every_group_is_of_one_row_of_one_environment(tiny, tmp_path):
    trainer = made(tiny, tmp_path, {Errands: 2, Parts: 1}, max_steps=2)
    data = trainer.train_dataset
    assert set(data.column_names) == {"prompt", ENV, ROW}
    assert [data[place][ENV] for place in range(6)].count(ERRANDS) == 4
    batches = []
    trainer.reward_funcs[0], score = (
        lambda **given: batches.append(given["episode"]) or score(**given),
        trainer.reward_funcs[0],
    )
    trainer.train()
    for step, episodes in enumerate(batches):
        drawn = [data[6 * step + place] for place in range(6)]
        wanted = [(one[ENV], one[ROW]) for one in drawn for _ in range(2)]
        assert [(episode.env, episode.row_index) for episode in episodes] == wanted


def test_the_model_reads_the_tools_of_the_episodes_own_environment(tiny, tmp_path):
    trainer = made(tiny, tmp_path, [Errands, Parts])
    trainer.train()
    read = [trainer.processing_class.decode(context) for context in trainer.spoken.contexts[0]]
    assert [("abacus" in text or '"add"' in text) for text in read] == [True, True, False, False] * 3
    assert all("Task" in text for text in read)


class Long(ToolEnv):
    """Calls a tool three times."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Look {place} times."} for place in range(20)]

    @tool
    def look(self) -> str:
        """Look once."""
        return "nothing"

    @reward
    def looked(self, tool_calls):
        return len(tool_calls) / 3


def test_episodes_of_all_environments_share_the_rounds_of_the_generator(tiny, tmp_path):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs([Long, Talk, Parts], tokenizer, args=config(tmp_path, per_device_train_batch_size=6))
    call = tokens(tokenizer, written(tokenizer, calls(("look", {}))))
    trainer = StandIn(model, tokenizer, lambda context, most: call, most=2000)
    prompts = [one["prompt"] for one in kwargs["train_dataset"]][:3]
    columns = kwargs["rollout_func"](prompts, trainer)
    turns = {episode.env.rpartition(":")[2]: episode.turns for episode in columns["episode"]}
    assert turns == {"Long": 4, "Talk": 4, "Parts": 1}
    assert [len(round_) for round_ in trainer.spoken.contexts] == [3, 2, 2, 2]


def test_metrics_are_those_of_each_environment_and_none_is_nan(tiny, tmp_path):
    trainer = made(tiny, tmp_path, [Errands, Parts], max_steps=2, per_device_train_batch_size=2)
    trainer.train()
    first, second = (log for log in trainer.state.log_history if "reward" in log)
    assert not any(value is None or (isinstance(value, float) and math.isnan(value)) for value in first.values())
    assert {name.split("/")[1] for name in first if name.startswith("env/")} == {ERRANDS}
    assert {name.split("/")[1] for name in second if name.startswith("env/")} == {PARTS}
    assert first[f"env/{ERRANDS}/reward"] == pytest.approx(first["reward"])
    assert {f"env/{ERRANDS}/{name}" for name in (
        "rewards/short", "rewards/called", "episodes/turns", "episodes/failed", "stop/terminated", "metrics/notes",
        "reward_std", "frac_reward_zero_std",
    )} <= first.keys()  # fmt: skip
    assert "env/notes" not in first


def test_a_failure_is_that_of_its_environment(tiny, tmp_path):
    trainer = made(tiny, tmp_path, {Errands: {"config": {"fails": ("score",)}}, Parts: 1})
    trainer.train()
    log = next(log for log in trainer.state.log_history if "reward" in log)
    assert log[f"env/{ERRANDS}/failed/score/ZeroDivisionError"] == 1.0
    assert log[f"env/{PARTS}/episodes/failed"] == 0.0
    assert f"env/{ERRANDS}/reward" not in log
    assert log["episodes/failed"] == 0.5


def test_an_environment_of_which_nothing_ever_works_ends_the_training_and_is_named(tiny, tmp_path):
    envs = {Errands: {"config": {"fails": ("reset",)}}, Parts: 1}
    wanted = rf"Every one of 6 episodes of {ERRANDS} failed, 6 with OSError: .* or train without it: the others alone"
    with pytest.raises(EnvironmentFailedError, match=wanted):
        made(tiny, tmp_path, envs, max_steps=3, stop_after=6).train()


class Tires(Letters):
    """Scores four answers, and then none."""

    def score_episode(self, model, tokenizer, completion, place):
        if len(self.scored) == 4:
            raise ConnectionError("the judge has gone home")
        return super().score_episode(model, tokenizer, completion, place)


def test_where_an_environment_fails_later_the_others_train_on_and_one_warning_says_so(tiny, tmp_path, recwarn):
    trainer = made(tiny, tmp_path, [Tires, Parts], max_steps=4, stop_after=12)
    trainer.train()
    assert trainer.state.global_step == 4
    (told,) = [str(one.message) for one in recwarn if "train on without it" in str(one.message)]
    assert "None of the last 12 episodes of " in told
    assert ":Tires worked" in told
    assert "the judge has gone home" in told


def test_a_persons_reward_function_gets_every_column_and_none_where_an_environment_has_it_not(tiny, tmp_path):
    seen = Seen()
    trainer = made(tiny, tmp_path, [Errands, Parts], reward_funcs=[seen])
    trainer.train()
    (given,) = seen.given
    assert given["fails"] == ["", "", None, None] * 3
    assert None not in given["place"]
    assert all(isinstance(prompt, str) for prompt in given["prompts"])


def test_parts_that_are_normalised_apart_are_columns_of_their_environment(tiny, tmp_path):
    trainer = made(tiny, tmp_path, [Errands, Letters], multi_objective_aggregation="normalize_then_sum")
    names = ["score", f"{ERRANDS}/short", f"{ERRANDS}/called", "environments:Letters/score"]
    assert trainer.reward_func_names == names
    assert trainer.reward_weights.tolist() == [0.0, 0.75, 0.25, 1.0]
    trainer.train()
    log = next(log for log in trainer.state.log_history if "reward" in log)
    assert log[f"rewards/{ERRANDS}/short/mean"] == pytest.approx(log[f"env/{ERRANDS}/rewards/short"])


def test_trl_itself_evaluates_every_environment(tiny, tmp_path):
    trainer = made(tiny, tmp_path, [Errands, Parts], eval_strategy="steps", eval_steps=1, per_device_eval_batch_size=4)
    found = trainer.evaluate()
    assert {f"eval_env/{ERRANDS}/reward", f"eval_env/{PARTS}/reward"} <= found.keys()


def test_a_group_is_flat_where_its_rewards_are_equal():
    tally = EnvTally(2, [(1, 0.5), (1, 0.5)]) + EnvTally(2, [(2, 0.0), (2, 1.0)], {"stop/length": (1, 1)})
    assert tally.metrics() == {
        "reward": 0.5, "reward_std": pytest.approx(math.sqrt(0.5 / 3)), "frac_reward_zero_std": 0.5,
        "stop/length": 0.25,
    }  # fmt: skip
    assert EnvTally().metrics() == {}


class Chats(Letters):
    """Prompts of chat messages, in which somebody has called a tool already."""

    def build_dataset(self, tokenizer):
        before = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "7?"}]
        called = [calls(("look", {})), {"role": "tool", "name": "look", "content": "8"}]
        return [{"prompt": [*before, *called, {"role": "user", "content": f"And {n}?"}], "place": n} for n in range(20)]


class Rendered(Letters):
    """Prompts that are rendered already."""

    def build_dataset(self, tokenizer):
        def rendered(text):
            asked = [{"role": "user", "content": text}]
            return tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)

        return [{**row, "prompt": rendered(row["prompt"])} for row in super().build_dataset(tokenizer)]


def test_prompts_of_text_of_messages_and_rendered_ones_go_together(tiny, tmp_path, recwarn):
    trainer = made(tiny, tmp_path, [Parts, Chats, Rendered])
    trainer.train()
    parts, chats, rendered = (trainer.processing_class.decode(trainer.spoken.contexts[0][place]) for place in (0, 2, 4))
    assert parts.count("<|im_start|>") == rendered.count("<|im_start|>") == 2
    assert "Be brief." in chats
    assert "<tool_call>" in chats
    prompts = [trainer.train_dataset[place]["prompt"] for place in range(3)]
    assert [len(prompt) for prompt in prompts] == [1, 5, 1]
    assert any("rendered" in str(one.message) for one in recwarn)


def test_a_tokenizer_without_a_chat_template_is_one_line(tiny, tmp_path):
    tokenizer = tiny()[1]
    tokenizer.chat_template = None
    with pytest.raises(UsageError, match="has no chat template, which the rollout bridge needs"):
        trainer_kwargs([Parts, Letters], tokenizer, args=config(tmp_path))


class Pictures(Letters):
    def build_dataset(self, tokenizer):
        return [{**row, "image": square("red")} for row in super().build_dataset(tokenizer)]


class Empty(Letters):
    def build_dataset(self, tokenizer):
        return []


@pytest.mark.parametrize(("envs", "bridge", "error", "why"), [
    ([Errands, Pictures], "auto", UsageError, "Pictures shows images, which cannot be trained on together"),
    ([Errands, Parts], "native", UsageError, "'native' trains on one environment, and there are several"),
    ([Errands, Empty], "auto", DatasetError, r"Empty.build_dataset returned no rows"),
    ([Errands, Errands], "auto", UsageError, "Errands is given twice"),
])  # fmt: skip
def test_what_cannot_be_mixed_is_one_line(tiny, tmp_path, envs, bridge, error, why):
    with pytest.raises(error, match=why):
        made(tiny, tmp_path, envs, bridge=bridge)


def test_what_each_environment_shares_is_open_while_all_are_trained_on(tiny, tmp_path):
    happened = []

    class Opened(Long):
        """Opens something that its episodes share."""

        @contextmanager
        def open_shared(self):
            happened.append("opened")
            yield "it"
            happened.append("closed")

        def setup(self, row):
            happened.append(self.shared)

    made(tiny, tmp_path, [Parts, Opened], max_steps=2).train()
    assert happened == ["opened", *["it"] * 12, "closed"]
