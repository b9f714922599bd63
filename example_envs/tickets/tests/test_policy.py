from dataclasses import replace

import pytest

from grpo_env_tickets.policy import REASONS, Wish, decide, policy_text, why_not
from grpo_env_tickets.store import DIFFICULTIES, Item, Order, Store

COAT = Item("I1", "red coat", "M", 90, final_sale=False)
ORDER = Order("O1", "ada@mail.example", "delivered", 5, "Oslo", (COAT,))
PENDING = replace(ORDER, status="pending", days=None)
REFUND, EXCHANGE = Wish("refund_item", "O1", "I1"), Wish("exchange_item", "O1", "I1", size="L")
CANCEL, MOVE = Wish("cancel_order", "O1"), Wish("change_address", "O1", city="Bergen")


def shop(order):
    return Store({"ada@mail.example": "Ada"}, {"O1": order}, {"red coat": ("L",)})


@pytest.mark.parametrize(
    ("order", "wish", "reason"),
    [
        (PENDING, CANCEL, None),
        (replace(ORDER, status="shipped", days=None), CANCEL, "not_pending"),
        (ORDER, CANCEL, "not_pending"),
        (PENDING, MOVE, None),
        (ORDER, MOVE, "not_pending"),
        (PENDING, replace(MOVE, city="Lyon"), "other_country"),
        (ORDER, REFUND, None),
        (PENDING, REFUND, "not_delivered"),
        (replace(ORDER, days=30), REFUND, None),
        (replace(ORDER, days=31), REFUND, "too_late"),
        (replace(ORDER, items=(replace(COAT, final_sale=True),)), REFUND, "final_sale"),
        (replace(ORDER, days=31, items=(replace(COAT, final_sale=True),)), REFUND, "too_late"),
        (ORDER, EXCHANGE, None),
        (ORDER, replace(EXCHANGE, size="S"), "out_of_stock"),
        (replace(ORDER, days=31), replace(EXCHANGE, size="S"), "too_late"),
        (replace(PENDING, email="bela@mail.example"), REFUND, "not_theirs"),
    ],
)
def test_the_first_rule_that_is_broken_is_the_reason(order, wish, reason):
    assert why_not(shop(order), "ada@mail.example", wish) == reason
    decision = decide(shop(order), "ada@mail.example", wish)
    assert decision.tool == ("refuse" if reason else wish.wanted)
    assert decision.arguments.get("reason") == reason


def test_a_dear_refund_is_escalated_where_it_would_be_allowed_and_refused_where_not():
    dear = replace(ORDER, items=(replace(COAT, price=201),))
    assert decide(shop(dear), dear.email, REFUND).tool == "escalate"
    assert decide(shop(replace(dear, days=31)), dear.email, REFUND).tool == "refuse"
    assert decide(shop(dear), dear.email, EXCHANGE).tool == "exchange_item"
    assert (
        decide(shop(replace(ORDER, items=(replace(COAT, price=200),))), dear.email, REFUND).tool
        == "refund_item"
    )


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_every_rule_is_numbered_and_every_reason_explained(difficulty):
    text = policy_text(difficulty)
    told = [reason for reason in REASONS if f"({reason})" in text]
    assert told == (
        [*REASONS] if difficulty != "easy" else ["not_theirs", "not_pending", "not_delivered", "too_late"]
    )
    assert [line.partition(".")[0] for line in text.splitlines()[1:]] == [
        str(number) for number in range(1, len(text.splitlines()))
    ]
