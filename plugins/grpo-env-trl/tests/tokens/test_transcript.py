import pytest
from scripted import tokens
from tiny_models import tiny_tokenizer

from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.transcript import TokenTranscript

ASKED = {"role": "user", "content": "a"}
TOLD = {"role": "user", "content": "more"}


@pytest.fixture
def renderer():
    return Renderer(tiny_tokenizer("qwen3"), several_turns=True)


def test_a_turn_is_cut_to_the_room_that_there_is(renderer):
    transcript = TokenTranscript(renderer, most=5)
    assert transcript.read([ASKED])
    turn = transcript.write(tokens(renderer.tokenizer, "a long one"), None)
    assert (turn.message["content"], turn.finish_reason, turn.completion_tokens) == ("a lon", "length", 5)
    assert (transcript.room, transcript.sampled) == (0, [1] * 5)


def test_what_does_not_fit_before_another_turn_is_not_taken_in(renderer):
    transcript = TokenTranscript(renderer, most=20)
    transcript.read([ASKED])
    said = transcript.write(tokens(renderer.tokenizer, "yes"), None)
    before = list(transcript.completion_ids)
    assert not transcript.read([ASKED, said.message, {"role": "user", "content": "x" * 40}])
    assert (transcript.completion_ids, transcript.sampled) == (before, [1] * 4)


def test_an_opening_as_long_as_the_context_leaves_no_room(renderer):
    length = len(renderer.opening([ASKED]))
    assert not TokenTranscript(renderer, 100, length).read([ASKED])
    assert TokenTranscript(renderer, 100, length + 1).read([ASKED])


def test_logprobs_stand_beside_their_tokens_and_nothing_stands_beside_what_was_told(renderer):
    transcript = TokenTranscript(renderer, most=1000)
    transcript.read([ASKED])
    said = tokens(renderer.tokenizer, "yes")
    first = transcript.write(said, [-1.0] * 4)
    transcript.read([ASKED, first.message, TOLD])
    transcript.write(said, [-2.0] * 4)
    told = len(renderer.following(first.message, [TOLD]))
    assert transcript.logprobs == [-1.0] * 4 + [0.0] * told + [-2.0] * 4
    assert transcript.sampled == [1] * 4 + [0] * told + [1] * 4
    assert first.logprobs == [-1.0] * 4


def test_without_logprobs_there_are_none(renderer):
    transcript = TokenTranscript(renderer, most=1000)
    transcript.read([ASKED])
    said = transcript.write(tokens(renderer.tokenizer, "yes"), None)
    transcript.read([ASKED, said.message, TOLD])
    assert transcript.logprobs is None


def test_tokens_are_counted_as_a_server_counts_them(renderer):
    transcript = TokenTranscript(renderer)
    transcript.read([ASKED])
    turn = transcript.write(tokens(renderer.tokenizer, "yes"), None)
    assert (turn.prompt_tokens, turn.completion_tokens) == (len(transcript.prompt_ids), 4)
    transcript.read([ASKED, turn.message, TOLD])
    again = transcript.write(tokens(renderer.tokenizer, "no"), None)
    assert again.prompt_tokens == len(transcript.context) - 3
