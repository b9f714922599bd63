"""What a program reads where a message names the flags of a command."""

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.errors import GrpoEnvError, UsageError
from grpo_env_sdk.evaluation.argument_names import ARGUMENTS
from grpo_env_sdk.flags_as_arguments import naming_arguments, with_arguments
from tests.environments import Countdown

NAMES = {"env_pool": "env_pool", "out": "out", "by": "by", "max_completion_length": "max_completion_length"}


@pytest.mark.parametrize(
    ("flags", "arguments"),
    [
        ("With --env-pool process it ends.", "With env_pool='process' it ends."),
        ("which --env-pool cannot hand over", "which env_pool cannot hand over"),
        ("Use --max-completion-length 140, or shorten", "Use max_completion_length=140, or shorten"),
        ("--by nope: no such column.", "by='nope': no such column."),
        ("or leave --env-pool out.", "or leave env_pool out."),
        ("Take another --out.", "Take another out."),
        ("--out runs/a-b", "out='runs/a-b'"),
        ("--force resumes it anyway", "--force resumes it anyway"),
        ("Fix that, then: grpo-env eval --out a\nor --out DIR", "Fix that, then: grpo-env eval --out a\nor out=DIR"),
        ("`grpo-env eval --out a` begins, --out b7 too", "`grpo-env eval --out a` begins, out='b7' too"),
    ],
)
def test_flags_become_arguments_outside_of_commands(flags, arguments):
    assert with_arguments(flags, NAMES.get) == arguments


def test_what_happened_and_the_next_step_are_both_for_programs():
    with pytest.raises(GrpoEnvError) as raised, naming_arguments(ARGUMENTS.get):
        raise GrpoEnvError("There is --out runs/t1.", "Resume it with --resume runs/t1.")
    assert str(raised.value) == "There is out='runs/t1'. Resume it with resume=True."


def test_evaluate_names_its_own_arguments():
    with pytest.raises(UsageError, match=r"^by='nope': no such column"):
        evaluate(Countdown, by="nope")
