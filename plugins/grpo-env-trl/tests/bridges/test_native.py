import pytest
from environments import Letters, Parts, rows
from scripted import ScriptedTrainer, config, says

from grpo_env_sdk import SingleTurnEnv, reward
from grpo_env_sdk.data.messages import raw_text
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs


def trained(env, tiny, folder, *texts, settings=None, tokenizer=None, **changes):
    model, made = tiny()
    tokenizer = tokenizer or made
    seen = []
    args = config(folder, **(settings or {}))
    kwargs = trainer_kwargs(env, tokenizer, args=args, bridge="native", seen=seen.append, **changes)
    trainer = ScriptedTrainer(model=model, script=says(tokenizer, *texts), **kwargs)
    trainer.train()
    return trainer, seen


def test_trl_renders_and_generates_by_itself(tiny, tmp_path):
    trainer, seen = trained(Letters, tiny, tmp_path, "yes")
    assert trainer.rollout_func is None
    tokenizer = tiny()[1]
    asked = [{"role": "user", "content": seen[0].episodes[0].row["prompt"]}]
    rendered = tokenizer.apply_chat_template(asked, add_generation_prompt=True, return_dict=False)
    assert trainer.spoken.contexts[0][0] == rendered


def test_each_completion_is_an_episode_of_one_turn(tiny, tmp_path):
    _, seen = trained(Parts, tiny, tmp_path, "yes", "no, but a long story", settings={"max_completion_length": 6})
    batch = seen[0]
    assert [episode.sample for episode in batch.episodes] == [0, 1, 0, 1]
    for episode in batch.episodes:
        said = raw_text(episode.completion)
        cut = said != "yes"
        assert said == ("no, bu" if cut else "yes")
        assert (episode.stop_reason, episode.turns) == ("length" if cut else "terminated", 1)
        assert episode.usage == {"completion_tokens": 6 if cut else 4}
        assert len(episode.token_ids[0]) == episode.usage["completion_tokens"]
        assert episode.metrics == {"length": len(said)}
        assert episode.reward == pytest.approx(
            (3 * (len(said) % 7) / 7 + _often(episode) - len(said) % 2 / 4) / _whole(episode)
        )


def _often(episode):
    return 0.0 if episode.rewards["often"] is None else episode.rewards["often"]


def _whole(episode):
    return 3 if episode.rewards["often"] is None else 4


def test_a_batch_is_scored_once_however_many_columns_there_are(tiny, tmp_path):
    def own(completions, **given):
        return [1.0] * len(completions)

    class Counted(Letters):
        pass

    made = Counted()
    _, seen = trained(made, tiny, tmp_path, "yes", reward_funcs=[own], settings={"max_steps": 2})
    assert len(made.scored) == 8
    assert [batch.step for batch in seen] == [0, 1]


def test_an_evaluation_is_no_training(tiny, tmp_path):
    trainer, seen = trained(Letters, tiny, tmp_path, "yes")
    logged = trainer.evaluate()
    assert [batch.training for batch in seen][:2] == [True, False]
    assert {episode.row_index for batch in seen[1:] for episode in batch.episodes}.isdisjoint(
        trainer.train_dataset["grpo_env_row"]
    )
    assert logged["eval_reward"] == pytest.approx(0.3)


def test_a_model_without_a_chat_template_completes_bare_text(tiny, tmp_path):
    tokenizer = tiny()[1]
    tokenizer.chat_template = None
    trainer, seen = trained(Letters, tiny, tmp_path, "yes", tokenizer=tokenizer)
    assert tokenizer.decode(trainer.spoken.contexts[0][0]) == seen[0].episodes[0].row["prompt"]
    assert [episode.reward for episode in seen[0].episodes] == [0.3] * 4


def test_a_scorer_that_gives_no_score_fails_its_own_episode(tiny, tmp_path):
    class Wild(Letters):
        def score_episode(self, model, tokenizer, completion, place):
            return float("nan") if place % 2 else 0.5

    _, seen = trained(Wild, tiny, tmp_path, "yes", settings={"per_device_train_batch_size": 16})
    for episode in seen[0].episodes:
        odd = episode.row["place"] % 2 == 1
        assert (episode.error is not None) == odd
        assert not odd or (episode.error.type == "ScoreError" and "returned nan" in episode.error.message)


def test_a_prompt_of_messages_stays_one(tiny, tmp_path):
    class Chats(SingleTurnEnv):
        def build_dataset(self, tokenizer):
            return [
                {"prompt": [{"role": "system", "content": "Brief."}, {"role": "user", "content": row["prompt"]}]}
                for row in rows(20)
            ]

        @reward
        def brief(self, completion):
            return float(isinstance(completion, list) and len(completion[0]["content"]) < 5)

    trainer, _ = trained(Chats, tiny, tmp_path, "yes")
    assert "system\nBrief." in tiny()[1].decode(trainer.spoken.contexts[0][0])
    assert trainer.state.log_history[0]["reward"] == 1.0
