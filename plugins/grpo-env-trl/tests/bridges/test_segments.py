"""Classes with a view in training: what is trained is one segment of each episode, token by token as it was sampled."""

import random
from functools import partial

import pytest
import torch
from environments import Talk
from scripted import ScriptedTrainer, StandIn, calls, config, tokens, written

from grpo_env_sdk import MultiTurnEnv, load, reward
from grpo_env_sdk.data.viewed import messages_read
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.views import cap_observations, chain, drop_earlier_thoughts, drop_old_tool_results, keep_last_turns
from grpo_env_trl.bridges.choosing import choose_bridge
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs


class Letters(MultiTurnEnv):
    """Five turns; the more letters are said the better."""

    max_turns = 5
    view = keep_last_turns(1)

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Task {place}: say much.", "place": place} for place in range(8)]

    def step(self, action):
        return f"That was turn {self.turns} of task {self.row['place']}.", 0.0, False, False, {}

    @reward
    def letters(self, completion):
        return len(completion) / 100


class Thoughtful(Talk):
    """Answers calls as tools do, and text as a user does, at each turn something else."""

    max_turns = 6

    def step(self, action):
        said, *rest = super().step(action)
        told = [{**said[0], "content": f"{self.turns} of 42"}] if isinstance(said, list) else f"{self.turns}: {said}"
        return told, *rest


VIEWS = {
    "the last turns": keep_last_turns(2),
    "the last results": drop_old_tool_results(1),
    "no earlier thoughts": drop_earlier_thoughts(),
    "several": chain(cap_observations(30), keep_last_turns(1)),
    "everything": lambda self, messages: messages,
    "short observations": cap_observations(9),
}
IN_ONE_SEGMENT = ("everything", "short observations")
"""Views that show a message at every turn as they did at first."""


def played(env, tiny, folder, family="qwen3", seed=0, step=0, episodes=8, context=8192):
    """The columns of a batch whose model says one thing or another, the trainer, and the bridge."""
    model, tokenizer = tiny(family)
    model.config.max_position_embeddings = context
    kwargs = trainer_kwargs(env, tokenizer, args=config(folder), bridge="rollout")
    bridge, prompts = kwargs["rollout_func"], kwargs["train_dataset"]["prompt"]
    texts = [
        "yes",
        "more of it",
        "<think>\nhm\n</think>\n\nno",
        written(tokenizer, calls(("look-up", {"name": "Ada"}))),
    ]
    rng = random.Random(seed)
    trainer = StandIn(model, tokenizer, lambda context, most: tokens(tokenizer, rng.choice(texts)), 4000, logprobs=True)
    trainer.state.global_step = step
    return bridge([prompts[place // 2] for place in range(episodes)], trainer), trainer, bridge


def runs_of(mask):
    """Where each run of ones begins and ends."""
    edges = [place for place in range(len(mask) + 1) if (mask[place - 1] if place else 0) != [*mask, 0][place]]
    return list(zip(edges[::2], edges[1::2], strict=True))


@pytest.mark.parametrize("family", ["qwen3", "qwen2.5"])
@pytest.mark.parametrize("name", VIEWS)
def test_the_trained_segment_is_what_was_read_and_sampled_token_by_token(tiny, tmp_path, name, family):
    env = type("Viewing", (Thoughtful,), {"view": VIEWS[name]})
    columns, trainer, bridge = played(env, tiny, tmp_path, family)
    logged = bridge.player.last.metrics().get("episodes/segments", 1.0)
    assert (logged == 1.0) == (name in IN_ONE_SEGMENT)
    spoken = [pair for asked, said in zip(trainer.spoken.contexts, trainer.spoken.sampled, strict=True)
              for pair in zip(asked, said, strict=True)]  # fmt: skip
    render = partial(
        bridge.renderer.tokenizer.apply_chat_template, tokenize=False, add_generation_prompt=True,
        tools=bridge.renderer.tools, **bridge.renderer._kwargs,
    )  # fmt: skip
    opened = set()
    names = ("prompt_ids", "completion_ids", "env_mask", "logprobs", "episode")
    for prompt, completion, mask, logprobs, episode in zip(*(columns[one] for one in names), strict=True):
        read = [render(messages) for messages in messages_read(episode)]
        first = read.index(bridge.renderer.tokenizer.decode(prompt))  # a segment opens with what its first turn read
        opened.add(first)
        runs = runs_of(mask)
        for start, end in runs:
            assert (prompt + completion[:start], completion[start:end]) in spoken
        assert [completion[start:end] for start, end in runs] == episode.token_ids[first : first + len(runs)]
        assert logprobs == [-0.5 if own else 0.0 for own in mask]
        assert (prompt + completion)[-1] in bridge.renderer.eos_ids
    assert (opened == {0}) == (name in IN_ONE_SEGMENT)


def test_each_turn_is_in_exactly_one_segment_and_any_of_them_may_be_trained(tiny, tmp_path):
    whole = []
    for step in range(12):
        columns, _, _ = played(Letters, tiny, tmp_path, step=step, episodes=4)
        whole += zip(columns["prompt_ids"], columns["env_mask"], strict=True)
        assert all(episode.turns == 5 for episode in columns["episode"])
    assert {len(runs_of(mask)) for _, mask in whole} == {1, 2}  # the window slides from the third turn on
    drawn = [len(runs_of(mask)) for _, mask in whole]
    assert drawn.count(2) < len(drawn) / 2  # one of four segments


def test_the_same_step_trains_the_same_segments_and_another_one_others(tiny, tmp_path):
    first, again, later = (played(Letters, tiny, tmp_path, step=step)[0]["prompt_ids"] for step in (3, 3, 4))
    assert first == again
    assert first != later


def test_a_real_trainer_gives_every_segment_the_advantage_of_its_whole_episode(tiny, tmp_path):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(Letters, tokenizer, args=config(tmp_path, max_completion_length=400, num_generations=4))
    rng = random.Random(1)
    texts = ["a", "bb and more", "ccc and much more than that"]
    trainer = ScriptedTrainer(model=model, script=lambda *_: tokens(tokenizer, rng.choice(texts)), **kwargs)
    score, trained, episodes = trainer._generate_and_score_completions, [], []
    bridge = kwargs["rollout_func"]
    bridge.player.seen = lambda batch: episodes.extend(batch.episodes)
    trainer._generate_and_score_completions = lambda inputs: trained.append(score(inputs)) or trained[-1]
    trainer.train()
    rewards = torch.tensor([episode.reward for episode in episodes])
    assert len(set(rewards.tolist())) > 2
    groups = rewards.view(-1, 4)
    by_hand = (groups - groups.mean(1, keepdim=True)) / (groups.std(1, keepdim=True) + 1e-4)
    assert torch.allclose(torch.cat([batch["advantages"] for batch in trained]), by_hand.flatten(), atol=1e-6)
    for batch in trained:
        for place, episode in enumerate(episodes):
            length = int(batch["completion_mask"][place].sum())
            mask = batch["tool_mask"][place][:length].tolist()
            completion = batch["completion_ids"][place][:length].tolist()
            turns = [completion[start:end] for start, end in runs_of(mask)]
            assert any(episode.token_ids[at : at + len(turns)] == turns for at in range(5))


def test_no_room_in_a_new_segment_ends_the_episode_and_leaves_the_others(tiny, tmp_path):
    class Swelling(Letters):
        def view(self, messages):
            return [{"role": "user", "content": "x" * 500 * self.turns}, *messages[1:][-2:]]

    columns, trainer, _ = played(Swelling, tiny, tmp_path, context=1000)
    assert {episode.stop_reason for episode in columns["episode"]} == {"max_tokens"}
    assert all(sum(mask) for mask in columns["env_mask"])
    assert all(len(context) < 1000 for contexts in trainer.spoken.contexts for context in contexts)


@pytest.mark.parametrize("bridge", ["native", "tools", "environment_factory"])
def test_bridges_that_ask_no_view_are_refused(tiny, tmp_path, bridge):
    with pytest.raises(UsageError, match=r"has a view.*'auto'"):
        trainer_kwargs(Letters, tiny()[1], args=config(tmp_path), bridge=bridge)


def test_auto_takes_the_bridge_that_asks_the_view():
    loaded = load(Letters)
    assert choose_bridge("auto", loaded, loaded.rows()) == "rollout"


def test_prompts_that_are_rendered_already_are_refused(tiny, tmp_path):
    tokenizer = tiny()[1]

    class Rendered(Letters):
        def build_dataset(self, tokenizer):
            text = tokenizer.apply_chat_template(
                [{"role": "user", "content": "Go."}], tokenize=False, add_generation_prompt=True
            )
            return [{"prompt": text}] * 4

    with pytest.raises(UsageError, match="rendered already, so its view"):
        trainer_kwargs(Rendered, tokenizer, args=config(tmp_path))
