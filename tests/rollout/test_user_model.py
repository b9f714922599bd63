"""A model that speaks for the user: what it is shown, its seeds, kept answers, faults; over real HTTP on loopback."""

import json
import socket

import pytest

from grpo_env_sdk import Limits, ModelUser, call_message, evaluate, make, open_run, to_gymnasium
from grpo_env_sdk.errors import ContractError, UsageError
from grpo_env_sdk.evaluation.rescore import rescore
from grpo_env_sdk.policies import UnusablePolicyError
from grpo_env_sdk.policies.endpoint import KEY_VARIABLE
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.rollout.user_model import GREETING
from grpo_env_sdk.rollout.user_model import KEY_VARIABLE as USER_KEY
from grpo_env_sdk.types import Turn
from tests.stub_server import StubServer, error, never, says
from tests.talking import DRINKS, PROMPT, ModelShop, QuietModelShop


class Customer:
    """A user model in this process, which keeps what it was asked."""

    name = "customer"

    def __init__(self, *words):
        self.words = words
        self.asked = []

    async def respond(self, request):
        self.asked.append(request)
        return Turn({"role": "assistant", "content": self.words[min(request.turn, len(self.words) - 1)]})


def played(user, env=ModelShop, policy="gold", **more):
    return evaluate(env, policy, split="all", user=user, **more).episodes


def at(url, name="openai:customer"):
    return PolicySpec(name, url)


def test_the_model_sees_the_conversation_from_the_other_side():
    customer = Customer("Tea, please.", "Thank you. ###STOP###")
    (episode,) = played(customer, rows=1)
    first, last = customer.asked
    assert first.messages == [
        {"role": "system", "content": "You want tea. Say ###STOP### when you have it."},
        {"role": "user", "content": GREETING},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "What would you like?"},
    ]
    assert "heron" not in json.dumps(first.messages)  # the rules are for the assistant
    assert [message["role"] for message in last.messages[4:]] == ["assistant", "user"]  # no call, no result
    assert (first.tools, first.row) == ((), {})
    assert episode.messages[-1] == {"role": "user", "content": "Thank you."}
    assert (episode.stop_reason, episode.reward) == ("terminated", 1.0)


def test_thoughts_are_nobody_elses_business(tmp_path):
    script = tmp_path / "model.jsonl"
    script.write_text(json.dumps(["<think>They want heron.</think>What would you like?"]))
    customer = Customer("<think>I am done.</think>###STOP###")
    (episode,) = played(customer, policy=f"scripted:{script}", rows=1)
    assert customer.asked[0].messages[-1]["content"] == "What would you like?"
    assert episode.messages[-1]["role"] == "assistant"  # the mark alone leaves no message


def test_the_prompt_may_be_a_function_and_setup_may_set_another():
    class Function(ModelShop):
        user = ModelUser(prompt=lambda row: f"Order {row['wish']}.", end="BYE")

    class Setup(ModelShop):
        def setup(self, row):
            super().setup(row)
            self.user = ModelUser(prompt=f"Ask for {row['wish']}.", end="BYE")

    for env, told in ((Function, "Order tea."), (Setup, "Ask for tea.")):
        customer = Customer("Tea.", "BYE")
        (episode,) = played(customer, env, rows=1)
        assert customer.asked[0].messages[0]["content"] == told
        assert episode.stop_reason == "terminated"


@pytest.mark.parametrize(
    ("user", "told"),
    [
        (ModelUser(prompt="You want {whish}."), "'whish', and the row has prompt, wish"),
        (ModelUser(prompt='Answer {"a": 1}.'), "other braces twice"),
        (ModelUser(), r"ModelUser\(policy, prompt\)"),
        (ModelUser(prompt=lambda row: None), "is None"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_an_error_of_the_environment(user, told):
    env = type("Odd", (ModelShop,), {"user": user})
    (episode,) = played(Customer("Tea."), env, rows=1)
    assert (episode.stop_reason, episode.error.whose) == ("env_error", "environment")
    with pytest.raises(AssertionError, match=told):
        raise AssertionError(episode.error.message)


def test_a_model_user_is_checked_when_it_is_written():
    for given in ({"prompt": 3}, {"end": ""}):
        with pytest.raises(ContractError, match="ModelUser got"):
            ModelUser(**given)
    with pytest.raises(ContractError, match="step of its own"):
        evaluate(type("Steps", (ModelShop,), {"step": lambda self, action: ("", 0.0, True, False, {})}))


def test_each_sample_has_a_seed_and_samples_of_a_row_open_alike():
    customer = Customer("Tea, please.", "###STOP###")
    episodes = played(customer, QuietModelShop, rows=1, samples=3)
    opening = [request for request in customer.asked if request.turn == 0]
    assert (len(opening), len(episodes)) == (1, 3)  # asked once, and kept
    later = [request.seed for request in customer.asked if request.turn]
    assert len({*later, opening[0].seed}) == 4
    assert {episode.messages[1]["content"] for episode in episodes} == {"Tea, please."}


def test_transcripts_are_equal_at_any_concurrency():
    async def by_seed(asked):
        return await says(f"Number {asked.json['seed']}, please.")(asked)

    with StubServer(by_seed) as server:
        runs = [
            played(at(server.url), policy="random", samples=4, concurrency=concurrency, limits=Limits(turns=4))
            for concurrency in (1, 16)
        ]
    one, many = ([(e.row_index, e.sample, e.messages, e.usage) for e in run] for run in runs)
    assert sorted(one, key=repr) == sorted(many, key=repr)
    assert any("Number" in message["content"] for *_, messages, _ in one for message in messages)


def test_tokens_of_the_user_are_counted_apart():
    with StubServer(says("###STOP###")) as server:
        found = evaluate(ModelShop, "gold", split="all", user=at(server.url))
    assert set(found.summary["tokens"]) == {"user_prompt_tokens", "user_completion_tokens"}
    episode = found.episodes[0]
    assert episode.usage["user_completion_tokens"] > 0
    assert episode.timings["user"] > 0


def test_a_failure_of_the_user_is_never_that_of_the_model():
    with StubServer(says("###STOP###")) as server:
        server.when("You want coffee", error(400, "no coffee"))
        server.when("You want milk", says(""))
        found = evaluate(ModelShop, "gold", split="all", user=at(server.url))
    by_wish = {episode.row["wish"]: episode for episode in found.episodes}
    assert [by_wish[wish].stop_reason for wish in DRINKS] == ["terminated", "user_error", "user_error", "terminated"]
    assert {by_wish[wish].error.whose for wish in ("coffee", "milk")} == {"user"}
    assert found.summary["errors"] == {"user answer: http_400": 1, "user answer: no_words": 1}
    assert found.summary["stop_reasons"]["user_error"] == 2
    assert "openai:customer" in by_wish["coffee"].error.message


def test_a_user_that_hangs_is_a_timeout_of_its_own():
    with StubServer(never) as server:
        (episode,) = played(at(server.url), rows=1, limits=Limits(policy_seconds=0.3))
    assert (episode.stop_reason, episode.error.whose) == ("timeout", "user")
    assert "0.3 s" in episode.error.message


def test_a_server_that_is_down_ends_the_run_and_names_the_user():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(UnusablePolicyError, match=r"user model openai:customer.*user=PolicySpec\("):
            played(at(url))


def test_a_class_without_a_policy_needs_one_and_others_take_none():
    with pytest.raises(UsageError, match="user='openai:NAME'"):
        evaluate(ModelShop)
    with pytest.raises(UsageError, match="cannot speak for the user"):
        evaluate(ModelShop, user="gold")
    with pytest.raises(UsageError, match="no ModelUser"):
        evaluate("tests.talking:Shop", user="echo")
    with pytest.raises(UsageError, match=r"The user model: No policy named 'ech0'.*user=PolicySpec\("):
        evaluate(ModelShop, user="ech0")


def test_the_user_has_a_key_of_its_own(monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "key-of-the-model")
    with StubServer(says("###STOP###")) as server:
        played(at(server.url), rows=1)
        monkeypatch.setenv(USER_KEY, "key-of-the-user")
        played(at(server.url), rows=1)
        sent = [asked.request.headers["Authorization"] for asked in server.asked]
    assert (sent[0], sent[-1]) == ("Bearer key-of-the-model", "Bearer key-of-the-user")


def test_a_class_names_policy_and_server_and_a_command_another_server():
    with StubServer(says("###STOP###")) as server:
        user = ModelUser("openai:customer", PROMPT, base_url=server.url, temperature=0.5, max_tokens=9)
        env = type("Named", (ModelShop,), {"user": user})
        evaluate(env, rows=1)
        body = server.asked[-1].json
        assert (body["model"], body["temperature"], body["max_tokens"]) == ("customer", 0.5, 9)
        evaluate(env, rows=1, user=PolicySpec("", server.at("other", says("###STOP###"))))
        assert server.asked[-1].request.path.startswith("/other/")


@pytest.mark.parametrize("env", [ModelShop, QuietModelShop])
def test_a_run_is_replayed_and_scored_again_without_the_user(env, tmp_path):
    customer = Customer("Tea, please.", "Thank you. ###STOP###")
    name = f"tests.talking:{env.__name__}"
    run = evaluate(name, "gold", split="all", user=customer, out=tmp_path / "run").run
    asked = len(customer.asked)
    again = evaluate(name, f"replay:{run}", split="all").episodes
    old = sorted(open_run(run).episodes(), key=lambda episode: episode.row_index)
    assert [(e.messages, e.reward) for e in again] == [(e.messages, e.reward) for e in old]
    scored = rescore(open_run(run), tmp_path / "rescored")
    assert [e.messages for e in sorted(scored.episodes, key=lambda e: e.row_index)] == [e.messages for e in old]
    assert len(customer.asked) == asked
    for episode in old:
        assert env().score_episode(None, None, episode.completion, row=episode.row) == episode.reward


def test_gymnasium_asks_the_model_and_step_by_hand_says_that_it_does_not():
    env = to_gymnasium(ModelShop, user=Customer("Tea, please.", "###STOP###"))
    row = ModelShop().build_dataset(None)[0]
    env.reset(options=row)
    assert env.step("What would you like?")[0] == [{"role": "user", "content": "Tea, please."}]
    env.step(call_message("sell", drink="tea"))
    assert env.step("Here you are.")[1:3] == (1.0, True)
    plain = make("tests.talking:ModelShop")
    plain.reset(options=row)
    with pytest.raises(UsageError, match="to_gymnasium"):
        plain.step("What would you like?")
