"""The nouns: what they compute, and that they survive JSON."""

import json
import subprocess
import sys

import pytest

from grpo_env_sdk.types import (
    SCORED,
    STOP_REASONS,
    EnvSpec,
    Episode,
    Fault,
    ToolCall,
    ToolOutcome,
    canonical_json,
    row_seed,
)


def episode(**changes):
    made = {
        "env": "hotel-v1",
        "row": {"prompt": "hi", "case_idx": 0},
        "seed": 7,
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}],
        "opening": 1,
        "stop_reason": "terminated",
    }
    return Episode(**made | changes)


def test_a_completion_is_what_came_after_the_opening():
    assert episode().completion == [{"role": "assistant", "content": "ho"}]


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_an_episode_is_scored_unless_something_went_wrong(reason):
    assert episode(stop_reason=reason).scored == (
        reason not in ("timeout", "env_error", "policy_error", "user_error", "cancelled")
    )


def test_six_ways_to_end_are_scored_and_five_are_not():
    assert (len(SCORED), len(STOP_REASONS)) == (6, 11)


def test_an_episode_survives_json():
    fault = Fault("environment", "score", "KeyError", "'x'")
    whole = episode(reward=0.5, rewards={"right": 0.5, "form": None}, error=fault, tool_calls=[{"name": "look"}])
    assert Episode.from_json(json.loads(json.dumps(whole.as_json()))) == whole


def test_an_episode_of_a_later_version_is_read_without_what_is_new():
    assert Episode.from_json({**episode().as_json(), "mood": "good"}) == episode()


def test_a_tool_outcome_is_a_message_and_a_record():
    outcome = ToolOutcome(ToolCall("c1", "look", {"name": "Ada"}), "12", None, 0.5)
    assert outcome.as_message() == {"role": "tool", "tool_call_id": "c1", "name": "look", "content": "12"}
    assert outcome.as_json() == {
        "id": "c1",
        "name": "look",
        "arguments": {"name": "Ada"},
        "content": "12",
        "error": None,
        "seconds": 0.5,
        "detail": None,
    }


def test_a_spec_survives_json():
    spec = EnvSpec("hotel-v1", "a.b:C", "hotel", "1.0", "Book.", "tools", {"n": [1]}, source_hash="ab")
    assert EnvSpec.from_json(json.loads(json.dumps(spec.as_json()))) == spec


def test_a_spec_of_a_later_version_is_read_without_what_is_new():
    assert EnvSpec.from_json({"id": "a-v1", "entry_point": "a:A", "colour": "red"}) == EnvSpec("a-v1", "a:A")


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        (EnvSpec("a-v1", "a:A"), "ok"),
        (EnvSpec("a-v1", "a:A", error="there is no module 'a'"), "broken"),
        (EnvSpec("a-v1", "a:A", needs="numpy", error="no numpy"), "needs"),
    ],
)
def test_a_spec_says_whether_it_can_be_made(spec, status):
    assert spec.status == status


def test_config_is_laid_on_top_of_what_the_spec_has():
    spec = EnvSpec("a-v1", "a:A", config={"rows": 5, "seed": 1})
    assert spec.with_config({"seed": 2}).config == {"rows": 5, "seed": 2}
    assert spec.config == {"rows": 5, "seed": 1}


def test_equal_data_is_equal_text_whatever_its_order():
    assert canonical_json({"b": 1, "a": [1, (2, 3)]}) == canonical_json({"a": [1, [2, 3]], "b": 1})


def test_a_row_has_one_seed_wherever_it_stands_in_the_dataset():
    assert row_seed({"prompt": "hi", "case_idx": 3}) == row_seed({"case_idx": 9, "prompt": "hi"})
    assert row_seed({"prompt": "hi"}) != row_seed({"prompt": "ho"})


def test_a_seed_is_what_numpy_and_torch_take():
    assert all(0 <= row_seed({"prompt": str(n)}) < 2**31 for n in range(50))


def test_a_row_that_utf8_cannot_carry_has_a_seed_too():
    assert row_seed({"prompt": "\ud800"}) >= 0


class Picture:
    """As Pillow's images: the default repr holds an address, the bytes are the content."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def tobytes(self) -> bytes:
        return self.content


def test_pictures_of_one_content_are_equal_text():
    assert canonical_json({"image": Picture(b"ab")}) == canonical_json({"image": Picture(b"ab")})
    assert canonical_json({"image": Picture(b"ab")}) != canonical_json({"image": Picture(b"cd")})


def test_a_seed_is_the_same_in_another_process():
    row = {"prompt": "hi", "tags": ["b", "a"], "n": 1.5, "none": None}
    program = f"from grpo_env_sdk.types import row_seed; print(row_seed({row!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) == row_seed(row)
