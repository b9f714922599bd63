"""What the parser of a command answers to a wrong value."""

import pytest

from grpo_env_sdk.cli import COMMANDS, command_module, main, other_names
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


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["play", "x-v1", "--model", "tiny"], "`play` is for a person; `grpo-env eval ENV -n 1 --model M` plays"),
        (["play", "x-v1", "-m", "tiny"], "-n 1 --model"),
        (["play", "x-v1", "--model=tiny"], "-n 1 --model"),
        (["play", "x-v1", "--rw", "1"], "Did you mean '--row'?"),
    ],
)
def test_play_says_how_a_model_plays(words, hint, capsys):
    assert main(words) == 2
    told = capsys.readouterr().err
    assert hint in told
    assert "--user-model" not in told


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["describe", "hotel-v1"], "Did you mean 'info'?"),
        (["compare", "a", "b"], "Did you mean 'diff'?"),
        (["new", "demo-task"], "Did you mean 'init'?"),
        (["score", "runs/x"], "Did you mean 'rescore' or 'eval'?"),
        (["eval", "hotel-v1", "--limit=5"], "Did you mean '--rows'?"),
        (["eval", "hotel-v1", "--num_samples", "5"], "Did you mean '--rows' or '--samples'?"),
        (["eval", "hotel-v1", "--rollouts-per-example", "5"], "Did you mean '--samples'?"),
        (["eval", "--env", "hotel-v1"], "The environment is named without a flag."),
        (["view", "runs/x", "-o", "x.html"], "Did you mean '--export'?"),
        (["runs", "-o", "x"], "Did you mean '--out'?"),
        (["--hlep", "list"], "Did you mean '--help'?"),
        (["--no-color", "list", "hotel"], "Like `grpo-env list hotel --no-color`."),
    ],
)
def test_names_of_other_libraries_and_places_are_answered_with_ours(words, hint, capsys):
    assert main(words) == 2
    assert hint in capsys.readouterr().err


def test_every_name_of_another_library_has_one_here():
    known = set()
    for name in COMMANDS:
        parser = Parser(f"grpo-env {name}", "", "")
        command_module(name).configure(parser)
        known |= {*parser._option_string_actions}
        assert not {*other_names.FLAGS} - {"--env"} & {*parser._option_string_actions}
    assert {ours for names in other_names.FLAGS.values() for ours in names} <= {*known, other_names.ENV}
    assert {ours for names in other_names.COMMANDS.values() for ours in names} <= COMMANDS.keys()


@pytest.mark.parametrize("flag", ["--ye", "--yess", "--es"])
def test_no_flag_is_suggested_that_skips_a_question_or_a_check(flag, capsys):
    assert main(["runs", flag]) == 2
    assert main(["eval", "--forse"]) == 2
    assert main(["eval", "--trus"]) == 2
    assert "Did you mean" not in capsys.readouterr().err


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
        ("--max-errors", "2.5", "--max-errors must be a whole number, or a share below 1, got 2.5."),
        ("--max-errors", "-1", "--max-errors must be a number of at least 0, got -1."),
    ],
)
def test_a_number_of_the_wrong_kind_is_one_line(flag, value, said, capsys):
    assert main(["eval", "hotel-v1", "--model", "gold", flag, value]) == 2
    assert said in capsys.readouterr().err


def test_ctrl_c_while_flags_are_parsed_stays_one():
    class Interrupted(Parser):
        def format_usage(self):
            raise KeyboardInterrupt

    parser = Interrupted("info", "show", "info ENV")
    parser.add_argument("env")
    with pytest.raises(KeyboardInterrupt):
        parser.parse_args(["x-v1"])


def test_a_description_has_one_period_and_an_example_is_indented_once():
    shown = Parser("grpo-env rows", "count rows.", "grpo-env rows hotel-v1").format_help()
    assert "\n\nCount rows.\n" in shown
    assert shown.endswith("example:\n  grpo-env rows hotel-v1\n")
