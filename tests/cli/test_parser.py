"""What the parser of a command answers to a wrong value."""

import pytest

from grpo_env_sdk.cli.parser import Parser
from grpo_env_sdk.errors import UsageError


@pytest.mark.parametrize(
    ("value", "hint"), [("proces", "Did you mean 'process'? `eval --help`"), ("xyz", "`eval --help`")]
)
def test_a_misspelt_choice_is_answered_with_the_nearest(value, hint):
    parser = Parser("eval", "evaluate", "eval ENV")
    parser.add_argument("--env-pool", choices=("thread", "process", "sandbox"))
    with pytest.raises(UsageError) as caught:
        parser.parse_args(["--env-pool", value])
    assert f"invalid choice: '{value}'" in str(caught.value)
    assert caught.value.hint.startswith(hint)
