"""The desk of one agent: what the tools return and change, and what the agent has read."""

from dataclasses import replace
from typing import Any

from grpo_env_tickets.cases import Case
from grpo_env_tickets.policy import Decision, Reason, Wish
from grpo_env_tickets.store import CITIES, Item

Answer = dict[str, Any]


class Desk:
    """Carries out every decision, also a forbidden one, and remembers whether it was forbidden."""

    def __init__(self, case: Case) -> None:
        self.store = case.store()
        self.settled = not case.lines
        """Whether the customer has said all their lines."""
        self.decisions: list[str] = []
        """The tools that made a decision, in order."""
        self.hasty = self.forbidden = False
        self._right = case.right
        self._to_find = set() if case.difficulty == "easy" else {case.email}
        self._read: set[str] = set()

    def find_customer(self, email: str) -> Answer:
        """The name and the orders of a customer."""
        if email not in self.store.customers:
            return {"error": f"no customer has the address {email:.60}"}
        self._to_find.discard(email)
        orders = [order.id for order in self.store.orders_of(email)]
        return {"name": self.store.customers[email], "orders": orders}

    def get_order(self, order: str) -> Answer:
        """Everything about an order."""
        there = self.store.orders.get(order)
        if there is None:
            return _unknown(order)
        self._read.add(order)
        delivered = {} if there.days is None else {"days_since_delivery": there.days}
        return {
            "order": there.id,
            "email": there.email,
            "status": there.status,
            **delivered,
            "city": there.city,
            "country": CITIES[there.city],
            "items": [_shown(item) for item in there.items],
        }

    def check_stock(self, product: str) -> Answer:
        """The sizes of a product that are in stock."""
        if product not in self.store.stock:
            return {"error": f"there is no product {product!r:.40}"}
        return {"product": product, "sizes": list(self.store.stock[product])}

    def do(self, wish: Wish) -> Answer:
        """Carry out what a customer wants, if there is such an order, item and city."""
        order = self.store.orders.get(wish.order)
        if order is None:
            return _unknown(wish.order)
        match wish.wanted:
            case "cancel_order":
                changed = replace(order, status="cancelled")
            case "change_address":
                if wish.city not in CITIES:
                    return {"error": f"nothing is sent to {wish.city!r:.40}", "cities": list(CITIES)}
                changed = replace(order, city=wish.city)
            case "refund_item" | "exchange_item":
                item = order.item(wish.item)
                if item is None or item.refunded:
                    return {"error": f"{order.id} has no item {wish.item!r:.20} that could be sent back"}
                new = replace(item, size=wish.size) if wish.size else replace(item, refunded=True)
                changed = order.with_item(new)
        self._note(wish.wanted, order.id)
        self.forbidden |= Decision(wish.wanted, wish.arguments) != self._right
        self.store.orders[order.id] = changed
        return {"done": wish.wanted, **wish.arguments}

    def refuse(self, order: str, reason: Reason) -> Answer:
        """Record a refusal and its reason."""
        return self._close("refuse", order, reason)

    def escalate(self, order: str) -> Answer:
        """Hand the case to a colleague."""
        return self._close("escalate", order, "")

    def carry_out(self, decision: Decision) -> None:
        """Carry out a decision."""
        match decision.tool:
            case "refuse":
                self.refuse(**decision.arguments)
            case "escalate":
                self.escalate(**decision.arguments)
            case wanted:
                self.do(Wish(wanted, **decision.arguments))

    def _note(self, decision: str, order: str) -> None:
        """Record a decision, and whether the agent skipped a step before it."""
        self.decisions.append(decision)
        self.hasty |= not self.settled or bool(self._to_find) or order not in self._read

    def _close(self, how: str, order: str, reason: str) -> Answer:
        if order not in self.store.orders:
            return _unknown(order)
        self._note(how, order)
        self.store.closed.append((how, order, reason))
        return {"done": how, "order": order, **({"reason": reason} if reason else {})}


def _unknown(order: str) -> Answer:
    return {"error": f"there is no order {order!r:.20}"}


def _shown(item: Item) -> Answer:
    shown: Answer = {"item": item.id, "product": item.product, "size": item.size, "price": item.price}
    marks = {"final_sale": item.final_sale, "refunded": item.refunded}
    return shown | {name: True for name, holds in marks.items() if holds}
