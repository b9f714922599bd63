"""How a turn is drawn: each row of a call with its own settings and seed, from the distribution that they leave."""

import pytest
import torch
from asking import Watch, answers, ask
from tiny_models import tiny_model

from grpo_env_sdk.policies import PolicyError, UnusablePolicyError
from grpo_env_trl.inference.policy import TransformersPolicy
from grpo_env_trl.inference.sampling import Answer, write_answers
from grpo_env_trl.inference.sampling_params import SamplingParams

SHORT, MIDDLE, LONG = "a", "some more words", "many, many more words than that " * 4


def test_each_request_has_its_own_settings_within_one_call():
    model, tokenizer = tiny_model("qwen3")
    watch = Watch(model)
    greedy, nearly, short, free = answers(
        TransformersPolicy(model, tokenizer),
        ask("a", temperature=0.0, max_tokens=9),
        ask("a", temperature=1.0, top_p=1e-6, max_tokens=9),
        ask("a", temperature=0.0, max_tokens=4),
        ask("a", temperature=1.0, max_tokens=9),
    )
    assert len(watch.contexts) == 1
    assert greedy.token_ids == nearly.token_ids
    assert short.token_ids == greedy.token_ids[:4]
    assert (short.finish_reason, short.completion_tokens) == ("length", 4)
    assert free.token_ids != greedy.token_ids


def test_top_k_may_be_asked_for_and_what_is_not_known_is_refused():
    policy = TransformersPolicy(*tiny_model("qwen3"))
    first, greedy = answers(policy, ask("a", extra={"top_k": 1}, max_tokens=5), ask("a", temperature=0.0, max_tokens=5))
    assert first.token_ids == greedy.token_ids
    with pytest.raises(UnusablePolicyError, match=r"takes no 'topk' in --extra-body\. Did you mean 'top_k'"):
        answers(policy, ask("a", extra={"topk": 1}))


def test_draws_follow_the_distribution_that_temperature_top_k_top_p_and_min_p_leave():
    from transformers import MinPLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    model, tokenizer = tiny_model("qwen3")
    policy = TransformersPolicy(model, tokenizer, usual=SamplingParams(min_p=0.5), batch_size=4000)
    asked = [ask("a", row, temperature=0.7, top_p=0.8, max_tokens=1, extra={"top_k": 20}) for row in range(4000)]
    found = torch.tensor([turn.token_ids[0] for turn in answers(policy, *asked)])
    drawn = torch.bincount(found, minlength=len(tokenizer))
    context = tokenizer.apply_chat_template(
        asked[0].messages, add_generation_prompt=True, return_dict=True, return_tensors="pt"
    )
    with torch.no_grad():
        scores = model(**context).logits[:, -1] / 0.7
    many = TopPLogitsWarper(0.8)(None, TopKLogitsWarper(20)(None, scores))
    left = MinPLogitsWarper(0.5)(None, many).softmax(-1)[0]
    assert (left > 0).sum() < (many > -torch.inf).sum()
    assert not drawn[left == 0].any()
    assert (drawn / len(asked) - left).abs().sum() < 0.1


def test_a_token_that_must_not_be_sampled_changes_no_log_probability():
    model, tokenizer = tiny_model("qwen3")
    context = tokenizer("a")["input_ids"]
    with torch.no_grad():
        scores = model(torch.tensor([context])).logits[0, -1].log_softmax(-1)
    first, second = scores.topk(2).indices.tolist()
    answer = Answer(context, 1, frozenset(), temperature=0.0)
    write_answers(model, [answer], never=[first])
    assert answer.ids == [second]
    assert answer.logprobs == [pytest.approx(float(scores[second]), abs=1e-5)]


def test_logprobs_are_those_of_the_model_itself_and_come_when_asked_for():
    model, tokenizer = tiny_model("gemma3")
    watch = Watch(model)
    short, long, silent = answers(
        TransformersPolicy(model, tokenizer),
        ask(SHORT, temperature=0.5, top_p=0.9, max_tokens=10, logprobs=True),
        ask(LONG, temperature=2.0, max_tokens=10, logprobs=True),
        ask(MIDDLE, max_tokens=10),
    )
    assert silent.logprobs is None
    for turn, context in zip((short, long), watch.contexts[0], strict=False):
        with torch.no_grad():
            scores = model(input_ids=torch.tensor([context + turn.token_ids])).logits[0].log_softmax(-1)
        expected = scores[len(context) - 1 : -1].gather(-1, torch.tensor(turn.token_ids)[:, None])[:, 0]
        torch.testing.assert_close(torch.tensor(turn.logprobs), expected, atol=1e-4, rtol=1e-4)


def test_a_model_that_gives_no_numbers_is_said():
    model, tokenizer = tiny_model("qwen3")
    model.model.norm.weight.data.fill_(float("nan"))
    with pytest.raises(PolicyError, match=r"The model's scores are NaN\. Check its weights"):
        answers(TransformersPolicy(model, tokenizer), ask("a"))


def test_a_generation_config_says_how_its_model_samples():
    model, tokenizer = tiny_model("qwen3")
    assert TransformersPolicy(model, tokenizer).usual == SamplingParams(max_turn_tokens=512)
    model.generation_config.update(do_sample=True, temperature=0.6, top_p=0.95, top_k=20)
    assert TransformersPolicy(model, tokenizer).usual == SamplingParams(0.6, 0.95, 20, max_turn_tokens=512)
