"""What the parser of a command answers to a wrong value."""

import pytest

from grpo_env_sdk.cli import main
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


@pytest.mark.parametrize("flag", ["--limit-build", "--env-memory"])
@pytest.mark.parametrize("value", ["nan", "inf", "1e300", "0", "soon"])
def test_a_time_or_a_memory_that_nothing_can_have_is_refused(flag, value, capsys):
    assert main(["eval", "hotel-v1", "--model", "gold", "--env-pool", "process", flag, value]) == 2
    assert f"{flag}: {value} is not a number above 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flag", "value", "said"),
    [
        ("--seed", "x", "--seed must be a whole number, got 'x'."),
        ("--temperature", "hot", "--temperature must be a number, got 'hot'."),
        ("--limit-call", "-1", "--limit-call: -1 is not a number above 0"),
        ("--max-errors", "2.5", "max_errors must be a whole number, or a share below 1, got 2.5."),
        ("--max-errors", "-1", "max_errors must be a whole number, or a share below 1, got -1."),
    ],
)
def test_a_number_of_the_wrong_kind_is_one_line(flag, value, said, capsys):
    assert main(["eval", "hotel-v1", "--model", "gold", flag, value]) == 2
    assert said in capsys.readouterr().err
