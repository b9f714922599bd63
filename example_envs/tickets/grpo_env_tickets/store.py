"""The shop of one episode: its customers, orders and stock, and the decision."""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Literal, get_args

Difficulty = Literal["easy", "normal", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
Status = Literal["pending", "shipped", "delivered", "cancelled"]

SIZES = ("S", "M", "L", "XL")
PRODUCTS = tuple(
    f"{colour} {thing}"
    for colour in ("black", "blue", "green", "red", "white")
    for thing in ("coat", "dress", "jacket", "jumper", "shirt", "skirt")
)
CITIES = {
    "Bergen": "Norway", "Oslo": "Norway", "Lyon": "France", "Nantes": "France", "Porto": "Portugal",
    "Faro": "Portugal", "Turin": "Italy", "Parma": "Italy",
}  # fmt: skip
NAMES = tuple(
    f"{first} {last}"
    for first in ("Ada", "Bela", "Carla", "Dario", "Elif", "Farid", "Greta", "Hugo")
    for last in ("Adler", "Berg", "Costa", "Duval", "Fontana", "Grant")
)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in an order."""

    id: str
    product: str
    size: str
    price: int
    final_sale: bool
    refunded: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """One order; `days` is the number of days since it was delivered, if it was."""

    id: str
    email: str
    status: Status
    days: int | None
    city: str
    items: tuple[Item, ...]

    def item(self, item: str) -> Item | None:
        """The item with that id."""
        return next((one for one in self.items if one.id == item), None)

    def with_item(self, item: Item) -> "Order":
        """The order with this item instead of the one with the same id."""
        return replace(self, items=tuple(item if one.id == item.id else one for one in self.items))


@dataclass(slots=True)
class Store:
    """Everything that the tools read and change; two stores are equal if all of it is equal."""

    customers: dict[str, str]
    """The name of the customer of each email address."""
    orders: dict[str, Order]
    stock: dict[str, tuple[str, ...]]
    """The sizes of each product that are in stock."""
    closed: list[tuple[str, str, str]] = field(default_factory=list)
    """What was refused or escalated: which of the two, the order, the reason."""

    def orders_of(self, email: str) -> list[Order]:
        """The orders of one customer, the oldest first."""
        return [order for order in self.orders.values() if order.email == email]


def make_store(seed: int, difficulty: Difficulty) -> Store:
    """The store of a seed at the start, the same in every process."""
    drawn = _drawn(seed, difficulty)
    return Store(dict(drawn.customers), dict(drawn.orders), dict(drawn.stock))


@lru_cache(maxsize=64)
def _drawn(seed: int, difficulty: Difficulty) -> Store:
    rng = Random(f"store/{difficulty}/{seed}")
    names = rng.sample(NAMES, 3)
    customers = {f"{name.lower().replace(' ', '.')}@mail.example": name for name in names}
    order_ids = iter(rng.sample([f"O{number}" for number in range(10, 60)], 9))
    item_ids = iter(rng.sample([f"I{number}" for number in range(60, 100)], 27))
    orders: dict[str, Order] = {}
    for email in customers:
        products = iter(rng.sample(PRODUCTS, 9))
        for _ in range(rng.randint(1, 2) if difficulty == "easy" else rng.randint(2, 3)):
            items = tuple(
                _draw_item(rng, next(item_ids), next(products), difficulty)
                for _ in range(1 if difficulty == "easy" else rng.randint(1, 3))
            )
            order = _draw_order(rng, next(order_ids), email, items)
            orders[order.id] = order
    stock = {product: tuple(size for size in SIZES if rng.random() < 0.6) for product in PRODUCTS}
    return Store(customers, orders, stock)


def _draw_item(rng: Random, id_: str, product: str, difficulty: Difficulty) -> Item:
    easy = difficulty == "easy"
    price = rng.randrange(15, 200 if easy or rng.random() < 0.75 else 400)
    return Item(id_, product, rng.choice(SIZES), price, final_sale=not easy and rng.random() < 0.2)


def _draw_order(rng: Random, id_: str, email: str, items: tuple[Item, ...]) -> Order:
    status: Status = rng.choice(("pending", "pending", "shipped", "delivered", "delivered", "delivered"))
    days = rng.randint(1, 60) if status == "delivered" else None
    return Order(id_, email, status, days, rng.choice([*CITIES]), items)
