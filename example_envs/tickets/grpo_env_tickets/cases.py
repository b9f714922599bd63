"""The case of a row: who writes, what they want in the end, and what they say before."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, get_args

from grpo_env_tickets.policy import REASONS, Decision, Wanted, Wish, decide
from grpo_env_tickets.store import CITIES, SIZES, Difficulty, Item, Order, Store, make_store
from grpo_env_tickets.wording import address, agreement, change_of_mind, opening

WANTED: dict[Difficulty, tuple[Wanted, ...]] = {
    "easy": ("cancel_order", "refund_item"),
    "normal": get_args(Wanted),
    "hard": get_args(Wanted),
}
EASY_REASONS = ("not_theirs", "not_pending", "not_delivered", "too_late")
CHANGES: dict[Difficulty, float] = {"easy": 0.0, "normal": 0.35, "hard": 0.5}
"""How often customers change their mind."""
_TRIES = 10
"""How many wishes are tried in one shop."""
_OTHER: dict[Wanted, Wanted] = {
    "cancel_order": "change_address",
    "change_address": "cancel_order",
    "refund_item": "exchange_item",
    "exchange_item": "refund_item",
}


@dataclass(frozen=True, slots=True)
class Case:
    """The subject of an episode; only the last wish counts."""

    difficulty: Difficulty
    store_seed: int
    email: str
    wishes: tuple[Wish, ...]
    opening: str
    lines: tuple[str, ...]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Case":
        """The case of a dataset row."""
        wishes = tuple(Wish(**wish) for wish in row["wishes"])
        said = row["prompt"][-1]["content"]
        return cls(row["difficulty"], row["store_seed"], row["email"], wishes, said, tuple(row["lines"]))

    def as_columns(self) -> dict[str, Any]:
        """The case as columns of a dataset row."""
        columns = asdict(self)
        del columns["opening"]  # is in the prompt
        return {**columns, "wishes": list(columns["wishes"]), "lines": list(columns["lines"])}

    def store(self) -> Store:
        """The store at the start of the episode."""
        return make_store(self.store_seed, self.difficulty)

    @property
    def right(self) -> Decision:
        """The decision that the rules require."""
        return decide(self.store(), self.email, self.wishes[-1])


def draw_case(rng: Random, difficulty: Difficulty, outcome: str, held_out: bool) -> Case:
    """A random case whose right decision is `act`, `escalate`, or to refuse for the reason `outcome`."""
    while True:
        seed = 2 * rng.getrandbits(30) + held_out  # no shop is in both splits
        store = make_store(seed, difficulty)
        for _ in range(_TRIES):
            email = rng.choice([*store.customers])
            wishes = _draw_wishes(rng, store, email, difficulty, theirs=outcome != "not_theirs")
            if _outcome(decide(store, email, wishes[-1])) == outcome:
                said = opening(rng, store, email, wishes[0], difficulty)
                lines = _lines(rng, difficulty, email, wishes)
                return Case(difficulty, seed, email, tuple(wishes), said, lines)


def outcomes(difficulty: Difficulty) -> list[str]:
    """The outcomes of a difficulty, each as often as it should be drawn."""
    reasons = EASY_REASONS if difficulty == "easy" else REASONS
    act = ["act"] * len(reasons)
    return [*act, *reasons, *([] if difficulty == "easy" else ["escalate"] * 2)]


def _outcome(decision: Decision) -> str:
    if decision.tool == "refuse":
        return str(decision.arguments["reason"])
    return "escalate" if decision.tool == "escalate" else "act"


def _lines(rng: Random, difficulty: Difficulty, email: str, wishes: list[Wish]) -> tuple[str, ...]:
    if difficulty == "easy":
        return ()
    told = [address(email)] if difficulty == "hard" else []
    return (*told, *(change_of_mind(rng, wish) for wish in wishes[1:]), agreement(rng))


def _draw_wishes(rng: Random, store: Store, email: str, difficulty: Difficulty, theirs: bool) -> list[Wish]:
    """What a customer wants with an order, theirs or not, and what they want if they change their mind."""
    order = rng.choice([order for order in store.orders.values() if (order.email == email) is theirs])
    item, wanted = rng.choice(order.items), rng.choice(WANTED[difficulty])
    both = (wanted, _OTHER[wanted]) if rng.random() < CHANGES[difficulty] else (wanted,)
    return [_draw_wish(rng, order, item, one) for one in both]


def _draw_wish(rng: Random, order: Order, item: Item, wanted: Wanted) -> Wish:
    match wanted:
        case "cancel_order":
            return Wish(wanted, order.id)
        case "change_address":
            return Wish(wanted, order.id, city=rng.choice([city for city in CITIES if city != order.city]))
        case "refund_item":
            return Wish(wanted, order.id, item.id)
        case "exchange_item":
            return Wish(wanted, order.id, item.id, rng.choice([size for size in SIZES if size != item.size]))
