import asyncio
import re
import sys

import pytest

from grpo_env_sdk import GrpoEnvWarning, evaluate, open_run, policies
from grpo_env_sdk.policies import Policy, PolicyError, Request, Sampling, UnusablePolicyError
from grpo_env_sdk.policies.policy import close_policy
from grpo_env_sdk.types import Turn
from tests.policies.parrot import Parrot, played


class Shout:
    """The policy of the documentation."""

    name = "shout"

    async def respond(self, request):
        return Turn({"role": "assistant", "content": request.messages[-1]["content"].upper()})


def test_a_class_with_a_name_and_one_async_method_is_a_policy(tmp_path):
    assert isinstance(Shout(), Policy)
    assert not isinstance(object(), Policy)
    assert [episode.messages[-1]["content"] for episode in played(Parrot(2), Shout(), tmp_path / "run")] == [
        "SAY 0.",
        "SAY 1.",
    ]


def test_every_turn_of_every_sample_of_every_row_has_a_seed_of_its_own_equal_in_every_run():
    places = [(seed, row, sample, turn) for seed in (0, 1) for row in (0, 11) for sample in (0, 1) for turn in (0, 1)]
    seeds = [
        Request([], sampling=Sampling(seed=seed), row_index=row, sample=sample, turn=turn).seed
        for seed, row, sample, turn in places
    ]
    assert len(set(seeds)) == len(places)
    assert all(0 <= seed < 2**31 for seed in seeds)  # what every server takes
    assert Request([], sampling=Sampling(seed=7), row_index=3, sample=2, turn=1).seed == 1956320753


def test_a_policys_error_says_its_kind_and_what_to_do():
    error = PolicyError("The server is tired.", "Let it rest.", "tired")
    assert (str(error), error.kind) == ("The server is tired. Let it rest.", "tired")
    assert isinstance(error, RuntimeError)
    assert isinstance(UnusablePolicyError("x"), PolicyError)
    assert PolicyError("x").kind == "policy_error"


def test_the_kind_of_a_policys_error_reaches_the_record_and_the_others_go_on(tmp_path):
    class Tired(Shout):
        async def respond(self, request):
            if request.row_index == 1:
                raise PolicyError("Row 1 is too much.", kind="tired")
            return await super().respond(request)

    episodes = played(Parrot(3), Tired(), tmp_path / "run")
    assert [episode.stop_reason for episode in episodes] == ["terminated", "policy_error", "terminated"]
    fault = episodes[1].error
    assert (fault.whose, fault.stage, fault.type, fault.message) == (
        "policy",
        "generate",
        "tired",
        "Row 1 is too much.",
    )
    assert fault.traceback == ""


def test_a_policys_own_bug_keeps_its_traceback(tmp_path):
    class Buggy(Shout):
        async def respond(self, request):
            return request.messages["nothing"]

    (episode,) = played(Parrot(1), Buggy(), tmp_path / "run")
    assert episode.error.type == "TypeError"
    assert "test_policy.py" in episode.error.traceback


def test_a_solution_that_raises_is_counted_as_solve_and_named_with_its_line():
    class Unsolved(Parrot):
        def solve(self, row):
            raise LookupError("no way out")

    summary = evaluate(Unsolved(2), "gold", split="all").summary
    assert summary["errors"] == {"policy solve: LookupError": 2}
    assert re.search(r"no way out \(\S*test_policy\.py:\d+\)", *summary["error_examples"].values())


def test_the_package_offers_what_a_policys_author_needs():
    assert sorted(policies.__all__) == policies.__all__
    assert all(hasattr(policies, name) for name in policies.__all__)


class FailsToClose(Shout):
    async def close(self):
        raise RuntimeError("no connection")


class HangsInClose(Shout):
    async def close(self):
        await asyncio.sleep(3600)


class ClosesAtOnce(Shout):
    def close(self):
        sys.exit(3)


@pytest.mark.parametrize(
    ("policy", "told"), [(FailsToClose(), "RuntimeError: no connection"), (ClosesAtOnce(), "SystemExit: 3")]
)
def test_a_policy_that_cannot_be_closed_keeps_the_summary(policy, told, tmp_path):
    with pytest.warns(GrpoEnvWarning, match=rf"shout\.close raised {told}"):
        found = evaluate(Parrot(2), policy, split="all", out=tmp_path / "run")
    assert found.summary["episodes"] == open_run(tmp_path / "run").summary()["episodes"] == 2


def test_a_policy_that_hangs_as_it_is_closed_is_left():
    with pytest.warns(GrpoEnvWarning, match=r"shout\.close did not come back within 0\.05 s"):
        asyncio.run(close_policy(HangsInClose(), 0.05))
