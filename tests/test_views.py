"""The ready views, on transcripts of every shape."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grpo_env_sdk import call_message
from grpo_env_sdk.data.own_copy import own_copy
from grpo_env_sdk.data.viewed import checked_view
from grpo_env_sdk.errors import ConfigError, ContractError
from grpo_env_sdk.views import cap_observations, chain, drop_earlier_thoughts, drop_old_tool_results, keep_last_turns

OPENING = [{"role": "system", "content": "You open doors." * 9}, {"role": "user", "content": "Open door 1." * 9}]


def said(text, **more):
    return {"role": "assistant", "content": text, **more}


def told(text, role="user"):
    return {"role": role, "content": text}


def called(*results):
    """A message with calls, and their results."""
    calls = [call_message("look")["tool_calls"][0] for _ in results]
    return [said("", tool_calls=calls), *(told(result, "tool") for result in results)]


TURNS = st.one_of(
    st.tuples(st.text(max_size=30), st.text(max_size=40)).map(lambda texts: [said(texts[0]), told(texts[1])]),
    st.lists(st.text(max_size=40), min_size=1, max_size=3).map(lambda results: called(*results)),
    st.text(max_size=20).map(lambda text: [said(f"<think>\n{text}\n</think>\n\nSo.", reasoning_content=text)]),
)
TRANSCRIPTS = st.lists(TURNS, max_size=8).map(lambda turns: OPENING + [one for turn in turns for one in turn])
READY = [
    keep_last_turns(1), keep_last_turns(3), drop_old_tool_results(keep=0), drop_old_tool_results(keep=2),
    cap_observations(10), drop_earlier_thoughts(), drop_earlier_thoughts(keep_since_question=False),
    chain(cap_observations(5), drop_earlier_thoughts(), drop_old_tool_results(1), keep_last_turns(2)),
]  # fmt: skip


@pytest.mark.parametrize("view", READY, ids=range(len(READY)))
def test_a_ready_view_keeps_the_opening_and_parts_no_call_from_its_result(view):
    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(TRANSCRIPTS)
    def check(transcript):
        before = own_copy(transcript)
        found = view(transcript)
        assert checked_view(found, transcript, "Env") == found
        assert found[:2] == OPENING
        assert found == view(transcript, opening=2) == view(own_copy(transcript))
        assert transcript == before
        if transcript[2:]:
            assert found[-1]["role"] == transcript[-1]["role"]

    check()


def test_the_last_turns_stay_with_everything_that_followed_them():
    turns = [*called("a"), said("b"), told("c"), told("d"), *called("e", "f")]
    assert keep_last_turns(1)(OPENING + turns) == OPENING + turns[-3:]
    assert keep_last_turns(2)(OPENING + turns) == OPENING + turns[-6:]
    assert keep_last_turns(3)(OPENING + turns) == keep_last_turns(9)(OPENING + turns) == OPENING + turns


def test_examples_in_the_prompt_are_the_opening_where_it_is_known():
    examples = [told("1 + 1"), said("2"), told("2 + 2")]
    turns = [said("4"), told("3 + 3")]
    assert keep_last_turns(1)(examples + turns, opening=3) == examples + turns
    assert keep_last_turns(1)(examples + turns) == examples[:1] + turns


def test_old_results_leave_a_note_and_their_calls():
    turns = [*called("a", "b"), *called("c")]
    found = drop_old_tool_results(keep=1, note="gone")(OPENING + turns)[2:]
    assert [message["content"] for message in found] == ["", "gone", "gone", "", "c"]
    assert found[0] == turns[0]
    contents = [message["content"] for message in drop_old_tool_results(0)(OPENING + turns)[2:]]
    assert contents == ["", *["(This result was dropped.)"] * 2, "", "(This result was dropped.)"]


def test_a_long_observation_says_how_much_was_cut_and_the_model_keeps_its_words():
    turns = [said("x" * 50), told("y" * 1500), *called("z" * 12)]
    found = [message["content"] for message in cap_observations(10)(OPENING + turns)[2:]]
    assert found[:2] == ["x" * 50, "y" * 10 + "\n(1,490 of 1,500 characters were cut.)"]
    assert found[2:] == ["", "z" * 10 + "\n(2 of 12 characters were cut.)"]


def test_texts_beside_images_are_cut_too():
    parts = [{"type": "text", "text": "a" * 20}, {"type": "image", "image": object()}]
    found = cap_observations(5)([*OPENING, said("x"), told(parts)])[-1]["content"]
    assert found[0]["text"].startswith("aaaaa\n(15 of 20")
    assert found[1] is parts[1]


def test_thoughts_are_dropped_as_the_template_of_a_reasoning_model_drops_them():
    thought = said("<think>\nhm\n</think>\n\nyes", reasoning_content="hm", reasoning="hm", thinking="hm")
    turns = [thought, told("and?"), thought, *called("a")]
    plain = said("yes")
    assert drop_earlier_thoughts()(OPENING + turns)[2:] == [plain, turns[1], thought, *turns[3:]]
    assert drop_earlier_thoughts(keep_since_question=False)(OPENING + turns)[2:] == [plain, turns[1], plain, *turns[3:]]
    assert drop_earlier_thoughts()(OPENING + turns[2:])[2:] == turns[2:]


@pytest.mark.parametrize("make", [keep_last_turns, drop_old_tool_results, cap_observations])
@pytest.mark.parametrize("number", [-1, 1.5, "4", True, None])
def test_a_number_that_means_nothing_is_refused_with_its_value(make, number):
    with pytest.raises(ConfigError, match=rf"{make.__name__}\(.*whole number.*got {number!r}"):
        make(number)


def test_no_turn_at_all_cannot_be_kept():
    with pytest.raises(ConfigError, match="from 1, got 0"):
        keep_last_turns(0)


def test_views_of_ones_own_can_be_chained():
    view = chain(lambda messages: messages[:4], lambda messages, opening: messages[:opening], keep_last_turns(1))
    assert view([*OPENING, said("a"), told("b"), said("c")], opening=1) == OPENING[:1]
    with pytest.raises(ContractError, match="returned None"):
        chain(lambda messages: None, keep_last_turns(1))(OPENING)
