from scripted import tokens
from tiny_models import tiny_tokenizer

from grpo_env_sdk import Episode
from grpo_env_sdk.data.viewed import view_entry
from grpo_env_trl.demo.model import tokenize_demos
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.segments import Segments, Stretch, stretches_of
from grpo_env_trl.tokens.transcript import TokenTranscript


def user(text):
    return {"role": "user", "content": text}


def said(text):
    return {"role": "assistant", "content": text}


WHOLE = [user("a"), said("1"), user("b"), said("2"), user("c"), said("3"), user("d"), said("4")]


def recorded(*read):
    """The record of an episode in which the model read these messages."""
    views, before = [], []
    for turn, messages in enumerate(read):
        views.append(view_entry(before, WHOLE[: 1 + 2 * turn], messages))
        before = messages
    return Episode(env="e", row={}, seed=0, messages=WHOLE, opening=1, stop_reason="terminated", views=views)


def test_what_continues_is_one_stretch_and_what_does_not_begins_another():
    episode = recorded(WHOLE[:1], WHOLE[:3], [WHOLE[0], *WHOLE[3:5]], [WHOLE[0], *WHOLE[3:7]])
    assert stretches_of(episode) == [Stretch(WHOLE[:4], 0), Stretch([WHOLE[0], *WHOLE[3:]], 1)]


def test_an_episode_without_a_view_is_one_stretch():
    episode = Episode(env="e", row={}, seed=0, messages=WHOLE, opening=1, stop_reason="terminated")
    assert stretches_of(episode) == [Stretch(WHOLE, 0)]


def test_a_turn_that_the_model_did_not_write_begins_another_stretch():
    inserted = [*WHOLE[:3], said("never"), user("x")]
    found = stretches_of(recorded(WHOLE[:1], inserted))
    assert [stretch.earlier for stretch in found] == [0, 2]
    changed = [WHOLE[0], said("other words"), WHOLE[2]]
    assert [stretch.earlier for stretch in stretches_of(recorded(WHOLE[:1], changed))] == [0, 1]


def test_a_segment_that_would_not_fit_is_not_begun():
    renderer = Renderer(tiny_tokenizer("qwen3"), several_turns=True)
    length = len(renderer.opening([user("a")]))
    segments = Segments(lambda: TokenTranscript(renderer, context_length=length + 20))
    assert segments.read([user("a")])
    segments.last.write(tokens(renderer.tokenizer, "1"), None)
    assert not segments.read([user("x" * 40)], whole=WHOLE[:3])
    assert [segment.sampled for segment in segments.all] == [[1, 1]]


def test_a_demonstration_imitates_only_the_turns_of_its_own_segment():
    tokenizer = tiny_tokenizer("qwen3")
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m.role }}:{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
        "{{ eos_token }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}\n{% endfor %}"
    )
    stretches = [Stretch(WHOLE[:4]), Stretch(WHOLE, 3), Stretch(WHOLE, 4)]
    demos = tokenize_demos(
        [stretch.messages for stretch in stretches],
        [[], [], []],
        tokenizer,
        500,
        [stretch.earlier for stretch in stretches],
    )
    imitated = [
        tokenizer.decode([token for token, own in zip(ids, mask, strict=True) if own])
        for ids, mask in zip(demos.ids, demos.said, strict=True)
    ]
    assert imitated == ["1<|im_end|>2<|im_end|>", "4<|im_end|>", ""]
