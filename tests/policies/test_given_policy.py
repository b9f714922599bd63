import asyncio
import gc
import threading
from functools import partial

import pytest

from grpo_env_sdk import Limits, ModelUser, Turn, evaluate
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies.given_policy import policy_of
from tests.environments import Countdown
from tests.policies.parrot import Parrot
from tests.talking import ModelShop


def text(request):
    return request.messages[-1]["content"]


async def message(request):
    await asyncio.sleep(0)
    return {"content": request.messages[-1]["content"]}


def turn(request):
    return Turn({"role": "assistant", "content": text(request)}, completion_tokens=2)


class OnlyResponds:
    async def respond(self, request):
        return text(request)


class Plain:
    name = "plain"
    closed = 0

    def respond(self, request):
        return text(request)

    def close(self):
        self.closed += 1


class Called:
    async def __call__(self, request):
        return text(request)


GIVEN = {
    "text": text, "message": message, "turn": turn, "lambda": lambda request: message(request), "Called": Called(),
    "OnlyResponds": OnlyResponds(), "plain": Plain(),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_a_function_or_an_object_is_a_policy_that_answers_with_text_a_message_or_a_turn(name):
    found = evaluate(Parrot(2), GIVEN[name], split="all")
    said = [(one.messages[-1]["role"], one.messages[-1]["content"]) for one in found.episodes]
    assert said == [("assistant", "say 0."), ("assistant", "say 1.")]
    assert found.policy == name
    assert found.summary["tokens"] == ({"completion_tokens": 4} if name == "turn" else {})


def test_a_policy_may_be_empty_and_have_the_name_of_ours():
    class Answers(list):
        name = "gold"

        async def respond(self, request):
            return "mine"

    found = evaluate(Parrot(1), Answers(), split="all")
    assert (found.policy, found.episodes[0].messages[-1]["content"]) == ("gold", "mine")


def test_a_bound_function_has_the_name_of_the_function_and_an_object_is_closed():
    assert policy_of(partial(text)).name == "text"
    plain = Plain()
    evaluate(Parrot(1), plain, split="all")
    assert plain.closed == 1


def test_plain_functions_run_beside_each_other():
    both = threading.Barrier(2)

    def waits(request):
        both.wait(60)
        return "x"

    assert [one.stop_reason for one in evaluate(Parrot(2), waits, split="all").episodes] == ["terminated"] * 2


def test_the_threads_of_a_function_end_with_its_policy():
    used = []

    def says(request):
        used.append(threading.current_thread())
        return "x"

    policy = policy_of(says)
    asyncio.run(policy.respond(None))
    del policy
    gc.collect()
    used[0].join(60)
    assert not used[0].is_alive()


def test_a_plain_function_that_hangs_costs_its_episode():
    go_on = threading.Event()
    found = evaluate(Parrot(1), lambda request: go_on.wait(), split="all", limits=Limits(policy_seconds=0.1))
    go_on.set()
    assert found.episodes[0].stop_reason == "timeout"


def test_a_function_can_speak_for_the_user():
    class Asking(ModelShop):
        user = ModelUser(lambda request: "###STOP###", "You want {wish}.")

    found = evaluate(Asking, "echo", rows=1, split="all")
    assert (found.episodes[0].error, found.episodes[0].stop_reason) == (None, "terminated")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Plain, r"Plain is a class.*Plain\(\)"),
        (Countdown, "Countdown.* is not a policy"),
        (Countdown(), "is not a policy.*function of the request.*respond\\(request\\)"),
        (lambda: "x", "one argument, the request.*\\(\\)"),
        (lambda request, tools: "x", "\\(request, tools\\)"),
    ],
)
def test_what_cannot_answer_is_refused_before_the_first_episode(given, told):
    with pytest.raises(UsageError, match=told):
        evaluate(Parrot(1), given)
