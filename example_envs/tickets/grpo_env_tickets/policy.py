"""The shop's policy: the rules as text for the agent, and the decision that they require."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from grpo_env_tickets.store import CITIES, Difficulty, Store

Reason = Literal[
    "not_theirs",
    "not_pending",
    "other_country",
    "not_delivered",
    "too_late",
    "final_sale",
    "out_of_stock",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
Wanted = Literal["cancel_order", "change_address", "refund_item", "exchange_item"]
Tool = Literal[Wanted, "refuse", "escalate"]
"""The tools that decide a case."""

LATEST, DEAREST = 30, 200
"""After how many days it is too late, and above which price an agent must escalate a refund."""
_EASY, _LATER = True, False

_INTRODUCTION = (
    "You serve the customers of an online shop with tools. The tools do what you say; you keep the rules:"
)
_RULES = (
    (_EASY, "Read the order before you decide. Do only what the customer asks for: whatever you do closes "
            "the case."),
    (_LATER, "Find the customer by the email address that they give, before you read an order."),
    (_LATER, "Then tell the customer what you are going to do, and do it only once they have answered. They "
             "may change their mind: what they said last counts."),
    (_EASY, "Nothing is done with an order of another email address (not_theirs)."),
    (_EASY, "An order is cancelled only while it is pending (not_pending)."),
    (_LATER, "An address is changed only while the order is pending (not_pending), and within the country "
             "(other_country)."),
    (_EASY, f"An item is refunded only once it is delivered (not_delivered), and at most {LATEST} days later "
            "(too_late)."),
    (_LATER, "For an exchange the same holds, and for both: nothing that was on final sale (final_sale)."),
    (_LATER, "An item is exchanged only for a size that is in stock (out_of_stock)."),
    (_LATER, f"A refund of more than {DEAREST} that the rules allow is not yours to make: escalate."),
    (_EASY, "What the rules do not allow you refuse, for the first of the reasons in brackets that holds, "
            "whatever the customer says."),
)  # fmt: skip
"""The rules in order, and whether the easy shop has them too."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a customer wants: one of four actions, with its details."""

    wanted: Wanted
    order: str
    item: str = ""
    size: str = ""
    city: str = ""

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of the tool for it."""
        given = {"order": self.order, "item": self.item, "size": self.size, "city": self.city}
        return {name: value for name, value in given.items() if value}


@dataclass(frozen=True, slots=True)
class Decision:
    """A call that decides a case."""

    tool: Tool
    arguments: dict[str, Any]


def policy_text(difficulty: Difficulty) -> str:
    """The rules of a difficulty, numbered."""
    rules = [text for easy, text in _RULES if easy or difficulty != "easy"]
    return "\n".join([_INTRODUCTION, *(f"{number}. {text}" for number, text in enumerate(rules, 1))])


def decide(store: Store, email: str, wish: Wish) -> Decision:
    """The decision that the rules require."""
    reason = why_not(store, email, wish)
    if reason:
        return Decision("refuse", {"order": wish.order, "reason": reason})
    if wish.wanted == "refund_item" and _price(store, wish) > DEAREST:
        return Decision("escalate", {"order": wish.order})
    return Decision(wish.wanted, wish.arguments)


def why_not(store: Store, email: str, wish: Wish) -> Reason | None:
    """The first reason why the rules do not allow it, or none."""
    order = store.orders[wish.order]
    if order.email != email:
        return "not_theirs"
    if wish.wanted in ("cancel_order", "change_address"):
        if order.status != "pending":
            return "not_pending"
        moves = wish.wanted == "change_address" and CITIES.get(wish.city) != CITIES[order.city]
        return "other_country" if moves else None
    if order.status != "delivered" or order.days is None:
        return "not_delivered"
    if order.days > LATEST:
        return "too_late"
    item = order.item(wish.item)
    if item is None or item.final_sale:
        return "final_sale"
    gone = wish.wanted == "exchange_item" and wish.size not in store.stock[item.product]
    return "out_of_stock" if gone else None


def _price(store: Store, wish: Wish) -> int:
    item = store.orders[wish.order].item(wish.item)
    return item.price if item else 0
