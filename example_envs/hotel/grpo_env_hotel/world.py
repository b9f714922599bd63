"""The hotels of a world: drawn from a seed, so that a row of the dataset has only a number and no hotels."""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal, NamedTuple, get_args

Difficulty = Literal["easy", "normal", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)

Order = Literal["price", "distance", "stars"]
"""What hotels can be sorted by, and what a request can want the best of."""
ORDERS: tuple[Order, ...] = get_args(Order)

CITIES = ("Athens", "Bergen", "Ghent", "Leipzig", "Lyon", "Malaga", "Porto", "Riga", "Turin", "York")
AMENITIES = ("breakfast", "gym", "parking", "pool", "wifi")
PRICES = range(40, 205, 5)
DISTANCES = range(100, 3100, 100)
STARS = (1, 2, 3, 4, 5)

HOTELS_A_CITY: dict[Difficulty, tuple[int, int]] = {"easy": (3, 4), "normal": (4, 6), "hard": (5, 8)}
ROOMS: dict[Difficulty, tuple[int, ...]] = {
    "easy": (1, 2, 3),
    "normal": (0, 1, 2, 3),
    "hard": (0, 0, 1, 2, 3),
}


class Hotel(NamedTuple):
    """One hotel: the price of a night, metres to the station, rooms left at the start, and so on."""

    id: str
    city: str
    price: int
    stars: int
    distance: int
    rooms: int
    amenities: tuple[str, ...]

    def rank(self, order: Order) -> tuple[int, int]:
        """Sorts the best first; prices differ within a city, so there are no ties."""
        return (-self.stars if order == "stars" else getattr(self, order), self.price)


@dataclass(frozen=True, slots=True)
class World:
    """All hotels that exist in one episode, by id."""

    hotels: dict[str, Hotel]

    def in_city(self, city: str, order: Order = "price") -> list[Hotel]:
        """The hotels of a city, sold out or not, the best first."""
        found = [hotel for hotel in self.hotels.values() if hotel.city == city]
        return sorted(found, key=lambda hotel: hotel.rank(order))


@lru_cache(maxsize=4096)
def make_world(seed: int, difficulty: Difficulty) -> World:
    """The world of a seed, the same in every process; kept for all rows, which are played many times."""
    rng = Random(f"world/{difficulty}/{seed}")
    fewest, most = HOTELS_A_CITY[difficulty]
    ids = [f"H{number}" for number in range(10, 10 + most * len(CITIES))]
    rng.shuffle(ids)
    made: dict[str, Hotel] = {}
    for city in CITIES:
        made |= {hotel.id: hotel for hotel in _in_city(rng, city, rng.randint(fewest, most), ids, difficulty)}
    return World(made)


def _in_city(rng: Random, city: str, count: int, ids: list[str], difficulty: Difficulty) -> list[Hotel]:
    prices = rng.sample(PRICES, count)
    distances = rng.sample(DISTANCES, count)
    return [
        Hotel(
            ids.pop(),
            city,
            price,
            rng.choice(STARS),
            distance,
            rng.choice(ROOMS[difficulty]),
            tuple([amenity for amenity in AMENITIES if rng.random() < 0.6]),
        )
        for price, distance in zip(prices, distances, strict=True)
    ]
