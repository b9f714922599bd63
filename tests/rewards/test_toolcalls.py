"""How many tool calls were well formed."""

import pytest

from grpo_env_sdk.rewards import valid_tool_calls


def calls(*errors):
    return [{"name": "look", "error": error} for error in errors]


@pytest.mark.parametrize(
    ("made", "score"),
    [
        (calls(), None),
        (calls(None), 1),
        (calls(None, None, "invalid_arguments", "unknown_tool"), 0.5),
        (calls("malformed_call"), 0),
        (calls("tool_failed", "timeout", "result_too_large"), 1),
    ],
)
def test_what_the_model_got_wrong_counts_and_what_the_tool_got_wrong_does_not(made, score):
    assert valid_tool_calls()(made) == score
