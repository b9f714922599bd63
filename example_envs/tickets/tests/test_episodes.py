import json
import re
from pathlib import Path

import pytest
from grpo_env_sdk import call_message
from gymnasium.utils.env_checker import check_env

from grpo_env_tickets import TicketsEnv
from grpo_env_tickets.customer import REMINDER, Customer
from grpo_env_tickets.gold import CLOSING
from grpo_env_tickets.policy import policy_text
from grpo_env_tickets.store import DIFFICULTIES

README = Path(__file__).parent.parent / "README.md"


def begun(difficulty, rows_of, wanted):
    """An environment with the episode of the first row that is as wanted."""
    env = TicketsEnv(difficulty, max_turns=100)
    env.reset(options=next(row for row in rows_of(difficulty) if wanted(row)))
    return env


def ask(env, name, **arguments):
    observation, _, terminated, _, _ = env.step(call_message(name, **arguments))
    assert not terminated
    return json.loads(observation[-1]["content"])


def decide(env, name, **arguments):
    """The score and its parts once the customer has left, as they do after a decision."""
    ask(env, name, **arguments)
    _, _, terminated, _, info = env.step(CLOSING)
    assert terminated
    return info["score"], info["rewards"]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_gold_solution_scores_one(difficulty, play, rows_of):
    env = TicketsEnv(difficulty)
    for row in rows_of(difficulty):
        score, parts = play(env, row, env.solve(row))
        assert score == 1.0, (row, parts)
        assert env.turns < env.max_turns


def test_gymnasium_finds_nothing_wrong():
    check_env(TicketsEnv("hard"), skip_render_check=True)


def test_customers_say_their_lines_remind_once_and_leave():
    customer = Customer(["One.", "Two."])
    assert not customer.settled
    assert [customer.reply() for _ in range(4)] == ["One.", "Two.", REMINDER, None]
    assert Customer([]).settled


def test_a_customer_answers_text_in_turns_and_calls_are_not_heard(rows_of):
    env = begun("hard", rows_of, lambda row: len(row["wishes"]) == 2)
    assert env.step("Who are you?")[0] == f"My address is {env.case.email}."
    assert ask(env, "find_customer", email=env.case.email)["orders"]
    assert env.step("I will do it. Is that right?")[0] == env.case.lines[1]
    assert env.step("Then so. Is that right?")[0] == env.case.lines[2]


def test_the_same_right_call_counts_only_after_looking_and_listening(rows_of):
    env = begun("normal", rows_of, lambda row: row["outcome"] == "too_late" and len(row["wishes"]) == 1)
    email, order = env.case.email, env.case.wishes[0].order
    look = [("find_customer", {"email": email}), ("get_order", {"order": order})]
    scores = []
    for course in (["listen"], look, [look[0], "listen"], [look[1], "listen"], [*look, "listen"]):
        env.reset(options=env.row)
        for step in course:
            env.step("I cannot. Shall we leave it?") if step == "listen" else ask(env, step[0], **step[1])
        scores.append(decide(env, "refuse", order=order, reason="too_late")[0])
    assert scores == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_a_refusal_for_another_reason_or_of_another_order_is_worth_a_little(rows_of):
    env = begun("easy", rows_of, lambda row: row["outcome"] == "too_late")
    order = env.case.wishes[0].order
    other = next(other for other in env.desk.store.orders if other != order)
    for wrong in ({"order": order, "reason": "not_pending"}, {"order": other, "reason": "too_late"}):
        env.reset(options=env.row)
        ask(env, "get_order", order=order)
        ask(env, "get_order", order=other)
        parts = {"resolved": 0.0, "right_kind": 1.0, "forbidden": 0.0}
        assert decide(env, "refuse", **wrong) == (0.25, parts)


def test_what_the_rules_forbid_is_done_and_costs(rows_of):
    env = begun("easy", rows_of, lambda row: row["outcome"] == "not_pending")
    order = env.case.wishes[0].order
    assert ask(env, "get_order", order=order)["status"] != "pending"
    parts = {"resolved": 0.0, "right_kind": 0.0, "forbidden": 1.0}
    assert decide(env, "cancel_order", order=order) == (-0.25, parts)
    assert env.desk.store.orders[order].status == "cancelled"


def test_what_nobody_asked_for_costs_also_beside_the_right_thing(rows_of):
    env = begun("easy", rows_of, lambda row: row["outcome"] == "act" and not row["wishes"][0]["item"])
    order = env.case.wishes[0].order
    item = ask(env, "get_order", order=order)["items"][0]["item"]
    both = call_message("cancel_order", order=order), call_message("refund_item", order=order, item=item)
    calls = [call for message in both for call in message["tool_calls"]]
    assert not env.step({"role": "assistant", "tool_calls": calls})[2]
    _, _, terminated, _, info = env.step(CLOSING)
    assert (terminated, info["score"]) == (True, -0.25)


def test_the_wish_that_counts_is_the_last_one(rows_of):
    env = begun("normal", rows_of, lambda row: len(row["wishes"]) == 2 and row["outcome"] == "act")
    first, last = env.case.wishes
    for wish, score in ((first, -0.25), (last, 1.0)):
        env.reset(options=env.row)
        ask(env, "find_customer", email=env.case.email)
        ask(env, "get_order", order=wish.order)
        for _ in env.case.lines:
            env.step("Is that right?")
        assert decide(env, wish.wanted, **wish.arguments)[0] == score


def test_saying_it_without_doing_it_is_worth_nothing(rows_of):
    env = begun("easy", rows_of, lambda row: row["outcome"] == "act")
    assert env.step("It is done.")[0] == REMINDER
    observation, _, terminated, _, info = env.step("It is done, as I said.")
    assert (observation, terminated, info["score"]) == ("", True, 0.0)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        (
            "find_customer",
            {"email": "nobody@mail.example"},
            "no customer has the address nobody@mail.example",
        ),
        ("get_order", {"order": "O0"}, "there is no order 'O0'"),
        ("check_stock", {"product": "moon"}, "there is no product 'moon'"),
        ("cancel_order", {"order": ""}, "there is no order ''"),
        ("refuse", {"order": "O0", "reason": "too_late"}, "there is no order 'O0'"),
        ("escalate", {"order": "O0"}, "there is no order 'O0'"),
    ],
)
def test_what_does_not_exist_is_answered_in_words_and_changes_nothing(name, arguments, told, rows_of):
    env = begun("normal", rows_of, lambda row: True)
    assert ask(env, name, **arguments)["error"] == told
    assert env.desk.store == env.case.store()
    assert not env.desk.decisions


def test_what_cannot_be_done_is_answered_in_words_and_changes_nothing(rows_of):
    env = begun("normal", rows_of, lambda row: row["outcome"] == "act")
    order = env.case.wishes[-1].order
    assert "has no item 'I0'" in ask(env, "refund_item", order=order, item="I0")["error"]
    assert "has no item ''" in ask(env, "exchange_item", order=order, item="", size="S")["error"]
    told = ask(env, "change_address", order=order, city="Atlantis")
    assert told["error"] == "nothing is sent to 'Atlantis'"
    assert "Oslo" in told["cities"]
    assert env.desk.store == env.case.store()


def test_an_item_is_refunded_once(rows_of):
    env = begun("easy", rows_of, lambda row: row["outcome"] == "act" and row["wishes"][0]["item"])
    wish = env.case.wishes[0]
    assert env.desk.do(wish)["done"] == "refund_item"
    assert env.desk.get_order(wish.order)["items"][0]["refunded"]
    assert "could be sent back" in env.desk.do(wish)["error"]


def test_a_stored_transcript_scores_again_as_it_did_and_needs_only_its_row(play, rows_of):
    row = json.loads(json.dumps(rows_of("hard")[1]))
    env = TicketsEnv("hard")
    score, _ = play(env, row, env.solve(row))
    completion = json.loads(json.dumps(env.messages[len(row["prompt"]) :]))
    assert TicketsEnv("hard").score_episode(None, None, completion, row=row) == score == 1.0


def test_episodes_do_not_change_the_shop_of_the_next_one(play, rows_of):
    row = next(row for row in rows_of("easy") if row["outcome"] == "act")
    one, other = TicketsEnv(), TicketsEnv()
    other.reset(options=row)
    before = other.case.store()
    assert play(one, row, one.solve(row))[0] == 1.0
    assert other.desk.store == before
    assert play(one, row, one.solve(row))[0] == 1.0


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
        expected = "".join(f"{line}\n" for line in re.findall(r"# prints (.*)", block))
        assert capsys.readouterr().out == expected


def test_the_readme_quotes_the_rules_as_they_are():
    readme = README.read_text(encoding="utf-8").replace("\n>    ", " ").replace("\n> ", "\n")
    assert policy_text("normal") in readme
