import functools
import json
from itertools import chain

import pytest
from environments import Chat, Errands, Letters, Served, ServedByModel, Talk
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scripted import StandIn, calls, config, tokens, written
from tiny_models import FAMILIES
from trl import GRPOTrainer

from grpo_env_sdk.errors import UsageError
from grpo_env_trl.bridges.dataset import ROW
from grpo_env_trl.bridges.rollout import token_columns
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.tokens.transcript import TokenTranscript

WITH_TOOLS = ("qwen3", "qwen2.5", "llama3.2")
TURNS = ("text", "call", "calls", "broken", "unknown", "spelt", "bytes", "endless", "empty")


def bridge_for(env, model, tokenizer, folder, **changes):
    """The rollout bridge of an environment, and its rows' prompts as TRL hands them over."""
    kwargs = trainer_kwargs(
        env, tokenizer, args=config(folder), bridge="rollout", stop_after=10**9, config=changes.pop("env_config", None),
        **changes,
    )  # fmt: skip
    return kwargs["rollout_func"], kwargs["train_dataset"]["prompt"]


def turn_maker(tokenizer, rng, eos_ids):
    """Turns of every kind, among them such that would be other tokens if they were tokenised again."""
    one = written(tokenizer, {"role": "assistant", "content": "well, 12"})
    called = wild = one
    if "tool_calls" in tokenizer.chat_template:
        called = written(tokenizer, calls(("add", {"x": 1, "y": 2})))
        wild = written(tokenizer, calls(("subtract", {"x": 1})))

    def make(kind, most):
        match kind:
            case "text":
                return [*tokens(tokenizer, one, end=False), rng.choice(sorted(eos_ids))]
            case "call":
                return tokens(tokenizer, called)
            case "calls":
                return tokens(tokenizer, f"{called}\n{wild}\n{called}")
            case "broken":
                return tokens(tokenizer, called[: len(called) * 2 // 3])
            case "unknown":
                return tokens(tokenizer, wild)
            case "spelt":
                letters = [tokenizer(letter, add_special_tokens=False)["input_ids"] for letter in called]
                return [*chain(*letters), tokenizer.eos_token_id]
            case "bytes" | "endless":
                drawn = [rng.randrange(len(tokenizer)) for _ in range(most if kind == "endless" else 12)]
                return [token for token in drawn if token not in eos_ids] + [tokenizer.eos_token_id] * (kind == "bytes")
        return [tokenizer.eos_token_id]

    return make


@pytest.mark.parametrize(("family", "env"), [
    *((family, Errands) for family in WITH_TOOLS), ("qwen3", Talk), ("llama3.2", Talk),
    ("qwen3", Served), ("llama3.2", ServedByModel),
    *((family, Chat) for family in FAMILIES),
])  # fmt: skip
def test_what_is_trained_on_is_what_was_read_and_sampled_token_by_token(tiny, tmp_path, family, env):
    model, tokenizer = tiny(family)
    env_config = {"fails": ("", "", "reset", "tool", "score")} if env is Errands else None
    bridge, prompts = bridge_for(env, model, tokenizer, tmp_path, env_config=env_config)
    longest = max(len(rendered(tokenizer, prompt, bridge.renderer.tools)) for prompt in prompts)

    @settings(max_examples=15, deadline=None, database=None, phases=[Phase.generate])
    @given(st.data(), st.randoms(use_true_random=False))
    def check(data, rng):
        make = turn_maker(tokenizer, rng, bridge.renderer.eos_ids)
        kinds = st.sampled_from(TURNS)
        most = data.draw(st.sampled_from([40, 150, 700]))
        bridge.max_turn_tokens = data.draw(st.sampled_from([None, None, 60]))
        model.config.max_position_embeddings = longest + data.draw(st.sampled_from([-5, 90, 400, 4096]))
        trainer = StandIn(model, tokenizer, lambda context, cap: make(data.draw(kinds), cap), most, rng.random() < 0.5)
        chosen = [prompts[place] for place in range(6)]
        check_batch(bridge(chosen, trainer), chosen, bridge, trainer, tokenizer)

    check()


def rendered(tokenizer, prompt, tools):
    asked = [{key: value for key, value in message.items() if key != ROW} for message in prompt]
    return tokenizer.apply_chat_template(asked, tools=tools or None, add_generation_prompt=True, return_dict=False)


def check_batch(columns, prompts, bridge, trainer, tokenizer):
    """Compare what TRL gets with what the generator was given and sampled."""
    cap = min(trainer.max_completion_length, bridge.max_turn_tokens or 10**9)
    assert all(most <= cap for most in trainer.spoken.caps)
    for place, prompt in enumerate(prompts):
        names = ("prompt_ids", "completion_ids", "env_mask", "episode")
        prompt_ids, completion_ids, mask, episode = (columns[name][place] for name in names)
        opening = rendered(tokenizer, prompt, bridge.renderer.tools)
        turns = trainer.spoken.of(opening)
        assert len(mask) == len(completion_ids)
        if not turns:  # the reset failed, or the prompt is too long
            assert episode.error is not None
            assert mask == [0]
            assert completion_ids[0] in bridge.renderer.eos_ids
            continue
        assert prompt_ids == opening
        assert len(completion_ids) <= trainer.max_completion_length
        assert len(prompt_ids) + len(completion_ids) <= trainer.model.config.max_position_embeddings
        check_episode(turns, opening, completion_ids, mask, episode, tokenizer)
        if columns["logprobs"] is not None:
            assert columns["logprobs"][place] == [-0.5 if own else 0.0 for own in mask]


def check_episode(turns, opening, completion_ids, mask, episode, tokenizer):
    """Walk from turn to turn: the tokens before, what was sampled, then the observation, and nothing else."""
    context, expected = opening, []
    told = answers_to_turns(episode)
    for number, (given_context, sampled) in enumerate(turns):
        assert given_context[: len(context)] == context
        observed = given_context[len(context) :]
        assert bool(observed) == bool(number)
        expected += [0] * len(observed)
        kept = completion_ids[len(expected) : len(expected) + len(sampled)]
        assert kept == sampled or number == len(turns) - 1  # the last one may be cut
        assert kept == sampled[: len(kept)]
        expected += [1] * len(kept)
        context = given_context + kept
        if number:
            text = tokenizer.decode(observed)
            assert all(said in text or json.dumps(said) in text for said in told[number - 1])
    assert (context, mask) == (opening + completion_ids, expected)
    assert episode.error or episode.token_ids == [completion_ids[start:end] for start, end in _runs(mask)]


def answers_to_turns(episode):
    """What each turn of the assistant was answered."""
    told = []
    for message in episode.completion:
        if message["role"] == "assistant":
            told.append([])
        else:
            told[-1].append(message["content"])
    return told


def _runs(mask):
    """Where each run of ones begins and ends."""
    edges = [place for place in range(len(mask) + 1) if (mask[place - 1] if place else 0) != [*mask, 0][place]]
    return list(zip(edges[::2], edges[1::2], strict=True))


def test_a_real_trainer_trains_on_exactly_what_its_model_sampled(tiny, tmp_path):
    model, tokenizer = tiny()
    kwargs = trainer_kwargs(Talk, tokenizer, args=config(tmp_path, max_completion_length=60), max_turn_tokens=20)
    trainer = GRPOTrainer(model=model, **kwargs)
    generate, score = trainer._generate_single_turn, trainer._generate_and_score_completions
    given, trained = [], []

    @functools.wraps(generate)
    def recorded(contexts, *args, **kwargs):
        ids, logprobs = generate(contexts, *args, **kwargs)
        given.extend(zip(contexts, ids, strict=True))
        return ids, logprobs

    trainer._generate_single_turn = recorded
    trainer._generate_and_score_completions = lambda inputs: trained.append(score(inputs)) or trained[-1]
    trainer.train()
    batch = {name: value.tolist() for name, value in trained[0].items() if name.endswith(("ids", "mask"))}
    samples = []
    for place in range(4):
        length = sum(batch["completion_mask"][place])
        prompt = batch["prompt_ids"][place][-sum(batch["prompt_mask"][place]) :]
        completion, mask = batch["completion_ids"][place][:length], batch["tool_mask"][place][:length]
        samples.append(prompt + completion)
        for start, end in _runs(mask):
            assert (prompt + completion[:start], completion[start:end]) in given
    assert all(any(whole[: len(context) + len(ids)] == context + ids for whole in samples) for context, ids in given)


def test_a_whole_conversation_is_what_the_template_renders_of_it(tiny, tmp_path):
    for family in WITH_TOOLS:
        model, tokenizer = tiny(family)
        bridge, prompts = bridge_for(Errands, model, tokenizer, tmp_path)
        said = [
            calls(("add", {"x": 1, "y": 2})),
            calls(("note", {"text": "it's 3"})),
            {"role": "assistant", "content": "3"},
        ]
        turns = iter([tokens(tokenizer, written(tokenizer, message)) for message in said])
        columns = bridge(
            prompts[:1], StandIn(model, tokenizer, lambda context, most, turns=turns: next(turns), most=1000)
        )
        episode = columns["episode"][0]
        template = bridge.renderer._kwargs.get("chat_template")
        whole = tokenizer.apply_chat_template(
            episode.messages, tools=bridge.renderer.tools, tokenize=False, chat_template=template
        )
        text = tokenizer.decode(columns["prompt_ids"][0] + columns["completion_ids"][0])
        assert whole.rstrip().replace("<think>\n\n</think>\n\n", "") == text, family
        assert episode.stop_reason == "terminated"


def outcomes(episode):
    return [(call["name"], call["error"], call["content"]) for call in episode.tool_calls]


def played(env, tiny, folder, *texts, family="qwen3", most=2000, **changes):
    """The episode in which the model says these texts, one a turn."""
    model, tokenizer = tiny(family)
    bridge, prompts = bridge_for(env, model, tokenizer, folder, **changes)
    turns = iter([tokens(tokenizer, text) for text in texts])
    columns = bridge(prompts[:1], StandIn(model, tokenizer, lambda context, cap: next(turns), most))
    return columns["episode"][0]


def test_calls_of_one_turn_are_answered_in_their_order(tiny, tmp_path):
    made = [("note", {"text": "b"}), ("add", {"x": 1, "y": 1}), ("note", {"text": "a"})]
    episode = played(Errands, tiny, tmp_path, written(tiny()[1], calls(*made)), "done")
    assert outcomes(episode) == [("note", None, "noted: b"), ("add", None, "2"), ("note", None, "noted: a")]
    assert [message["role"] for message in episode.completion] == ["assistant", *["tool"] * 3, "assistant"]


def test_a_malformed_call_is_answered_and_the_episode_goes_on(tiny, tmp_path):
    bad = ['<tool_call>\n{"name": "add", "argu\n</tool_call>',
           '<tool_call>\n{"name": "ad", "arguments": {}}\n</tool_call>',
           '<tool_call>\n{"name": "add", "arguments": {"x": "one", "y": 2}}\n</tool_call>']  # fmt: skip
    episode = played(Errands, tiny, tmp_path, *bad, written(tiny()[1], calls(("add", {"x": 1, "y": 2}))), "3")
    assert [error for _, error, _ in outcomes(episode)] == ["malformed_call", "unknown_tool", "invalid_arguments", None]
    told = [json.loads(content)["error"] for _, _, content in outcomes(episode)[:3]]
    assert "names no tool" in told[0]["message"]
    assert "Did you mean 'add'" in told[1]["message"]
    assert told[2] == {"type": "invalid_arguments", "path": "x", "message": "'one' is not of type 'integer'"}
    assert (episode.stop_reason, episode.turns, episode.error) == ("terminated", 5, None)


def test_an_episode_that_fails_says_where_and_the_others_go_on(tiny, tmp_path):
    model, tokenizer = tiny()
    bridge, prompts = bridge_for(
        Errands, model, tokenizer, tmp_path, env_config={"fails": ("reset", "score", "tool", "")}
    )
    call = written(tokenizer, calls(("add", {"x": 1, "y": 2})))

    def player(context, most):
        return tokens(tokenizer, "3" if "<tool_response>" in tokenizer.decode(context) else call)

    columns = bridge(prompts[:4], StandIn(model, tokenizer, player, most=2000))
    faults = [episode.error and f"{episode.error.stage}: {episode.error.type}" for episode in columns["episode"]]
    assert sorted(str(fault) for fault in faults) == ["None", "None", "reset: OSError", "score: ZeroDivisionError"]
    assert sorted(str(episode.reward) for episode in columns["episode"]) == ["0.1875", "0.4375", "None", "None"]


@pytest.mark.parametrize(("most", "context_length"), [(400, None), (2000, 80)])
def test_an_episode_without_room_for_another_turn_is_scored_as_it_stands(tiny, tmp_path, most, context_length):
    model, tokenizer = tiny()
    bridge, prompts = bridge_for(Errands, model, tokenizer, tmp_path)
    if context_length:
        opening = rendered(tokenizer, prompts[0], bridge.renderer.tools)
        model.config.max_position_embeddings = len(opening) + context_length
    call = tokens(tokenizer, written(tokenizer, calls(("note", {"text": "x" * (200 if most == 400 else 1)}))))
    columns = bridge(prompts[:1], StandIn(model, tokenizer, lambda context, cap: call, most))
    episode = columns["episode"][0]
    assert episode.stop_reason == "max_tokens"
    assert episode.reward is not None
    assert episode.messages[-1]["role"] == "tool"  # it was told, and did not fit: TRL gets nothing of it
    assert columns["completion_ids"][0][-1] == tokenizer.eos_token_id
    assert columns["env_mask"][0][-1] == 1


def test_a_prompt_that_does_not_fit_is_a_failure_of_its_own(tiny, tmp_path):
    model, tokenizer = tiny()
    bridge, prompts = bridge_for(Errands, model, tokenizer, tmp_path)
    model.config.max_position_embeddings = 100
    episode = bridge(prompts[:1], StandIn(model, tokenizer, None))["episode"][0]
    assert (episode.error.whose, episode.error.type) == ("policy", "context_overflow")
    assert "the model in training reads 100" in episode.error.message


def test_a_cap_of_tokens_a_turn_cuts_the_turn_and_ends_the_episode(tiny, tmp_path):
    episode = played(Errands, tiny, tmp_path, "a long answer", max_turn_tokens=6)
    assert (episode.stop_reason, episode.messages[-1]["content"]) == ("length", "a long")
    assert episode.usage["completion_tokens"] == 6


def test_a_model_without_a_chat_template_is_refused(tiny, tmp_path):
    model, tokenizer = tiny()
    tokenizer.chat_template = None
    with pytest.raises(UsageError, match=r"has no chat template, which the rollout bridge needs\. Use bridge='native'"):
        bridge_for(Letters, model, tokenizer, tmp_path)


def test_a_batch_without_a_turn_has_logprobs_only_where_the_sampler_has_them():
    nothing = [TokenTranscript(None), TokenTranscript(None)]
    assert token_columns(nothing, [], 5, sampler_has_logprobs=True)["logprobs"] == [[0.0], [0.0]]
    assert token_columns(nothing, [], 5, sampler_has_logprobs=False)["logprobs"] is None
