"""`TicketsEnv`: the tools, the customer, the rewards and the gold solution of `tickets-v1`."""

from typing import Any, Literal

from grpo_env_sdk import Message, ToolEnv, reward, tool

from grpo_env_tickets.cases import Case
from grpo_env_tickets.customer import Customer
from grpo_env_tickets.desk import Answer, Desk
from grpo_env_tickets.gold import Play, play
from grpo_env_tickets.policy import Reason, Wish
from grpo_env_tickets.rows import Split, make_rows
from grpo_env_tickets.store import DIFFICULTIES, Difficulty

Size = Literal["S", "M", "L", "XL"]
MAX_TURNS: dict[Difficulty, int] = {"easy": 5, "normal": 16, "hard": 20}


class TicketsEnv(ToolEnv):
    """A customer writes to a shop; the model looks up the case and does what the rules allow, or refuses.

    Args:
        difficulty: `easy` is one message about one order; `normal` has all rules and customers who answer and
            may change their mind; `hard` has customers who hide who they are and put on pressure.
        max_turns: How many messages the model may write; None is slightly more than the difficulty needs.
        seed: Which 1,000 training and 250 held-out cases are drawn.
    """

    reward_range = (-0.25, 1.0)

    def __init__(self, difficulty: Difficulty = "easy", max_turns: int | None = None, seed: int = 0) -> None:
        if difficulty not in DIFFICULTIES:
            raise ValueError(f"difficulty is {difficulty!r}; it can be {', '.join(DIFFICULTIES)}.")
        self.difficulty: Difficulty = difficulty
        self.max_turns = MAX_TURNS[difficulty] if max_turns is None else max_turns
        self.seed = seed

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """The cases, with everything from which an episode creates the shop and the customer."""
        return make_rows(self.difficulty, split, self.seed)

    def setup(self, row: dict[str, Any]) -> None:
        """Create the shop and the customer of the row."""
        self.case = Case.from_row(row)
        self.desk = Desk(self.case)
        self.customer = Customer(list(self.case.lines))

    def user(self, messages: list[Message]) -> str | None:
        """What the customer says to a message without calls; None if they leave, as after a decision."""
        if self.desk.decisions:
            return None
        reply = self.customer.reply()
        self.desk.settled = self.customer.settled
        return reply

    @tool
    def find_customer(self, email: str) -> Answer:
        """Find a customer and the numbers of their orders.

        Args:
            email: The address that the customer gave.
        """
        return self.desk.find_customer(email)

    @tool
    def get_order(self, order: str) -> Answer:
        """Read an order: whose it is, its status, where it goes, its items.

        Args:
            order: The number of the order.
        """
        return self.desk.get_order(order)

    @tool
    def check_stock(self, product: str) -> Answer:
        """Tell which sizes of a product are in stock.

        Args:
            product: The product, such as red coat.
        """
        return self.desk.check_stock(product)

    @tool
    def cancel_order(self, order: str) -> Answer:
        """Cancel an order.

        Args:
            order: The number of the order.
        """
        return self.desk.do(Wish("cancel_order", order))

    @tool
    def change_address(self, order: str, city: str) -> Answer:
        """Send an order to another city.

        Args:
            order: The number of the order.
            city: Where it is to go.
        """
        return self.desk.do(Wish("change_address", order, city=city))

    @tool
    def refund_item(self, order: str, item: str) -> Answer:
        """Give the money back for one item.

        Args:
            order: The number of the order.
            item: The number of the item.
        """
        return self.desk.do(Wish("refund_item", order, item))

    @tool
    def exchange_item(self, order: str, item: str, size: Size) -> Answer:
        """Exchange one item for another size.

        Args:
            order: The number of the order.
            item: The number of the item.
            size: The size that the customer wants.
        """
        return self.desk.do(Wish("exchange_item", order, item, size))

    @tool
    def refuse(self, order: str, reason: Reason) -> Answer:
        """Note that the rules do not allow what the customer wants.

        Args:
            order: The number of the order.
            reason: The first reason that holds.
        """
        return self.desk.refuse(order, reason)

    @tool
    def escalate(self, order: str) -> Answer:
        """Hand a case to a colleague.

        Args:
            order: The number of the order.
        """
        return self.desk.escalate(order)

    @reward(weight=3)
    def resolved(self) -> bool:
        """The shop ends as the rules require, and the agent read the case before deciding."""
        wanted = Desk(self.case)
        wanted.carry_out(self.case.right)
        return not self.desk.hasty and self.desk.store == wanted.store

    @reward
    def right_kind(self) -> bool:
        """The only decision is of the right kind, and the agent read the case before deciding."""
        return not self.desk.hasty and self.desk.decisions == [self.case.right.tool]

    @reward(weight=-1)
    def forbidden(self) -> bool:
        """Something was done that the rules forbid."""
        return self.desk.forbidden

    def solve(self, row: dict[str, Any]) -> Play:
        """The gold solution, which looks up what it needs and asks the customer."""
        return play(Case.from_row(row))
