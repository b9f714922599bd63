"""What a guest asks for: a city, nights, constraints, and what makes one hotel better than another."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from grpo_env_hotel.world import (
    AMENITIES,
    CITIES,
    DISTANCES,
    ORDERS,
    PRICES,
    STARS,
    Difficulty,
    Hotel,
    Order,
    World,
)

NIGHTS = range(2, 7)
CONSTRAINTS = ("max_price", "min_stars", "max_distance", "amenities")


@dataclass(frozen=True, slots=True)
class Request:
    """One request; a constraint that it does not have is None or empty."""

    city: str
    other_city: str | None
    nights: int
    max_price: int | None
    min_stars: int | None
    max_distance: int | None
    amenities: tuple[str, ...]
    wish: Order

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Request":
        """The request of a dataset row."""
        columns = {field.name: row[field.name] for field in fields(cls)}
        return cls(**{**columns, "amenities": tuple(columns["amenities"])})

    def as_columns(self) -> dict[str, Any]:
        """The request as columns of a dataset row."""
        return {name: getattr(self, name) for name in self.__slots__} | {"amenities": list(self.amenities)}

    @property
    def cities(self) -> tuple[str, ...]:
        """The cities to search, in order."""
        return (self.city,) if self.other_city is None else (self.city, self.other_city)

    def share_met(self, hotel: Hotel) -> float:
        """The share of the constraints that a hotel meets, from 0 to 1."""
        met = [amenity in hotel.amenities for amenity in self.amenities]
        if self.max_price is not None:
            met.append(hotel.price <= self.max_price)
        if self.min_stars is not None:
            met.append(hotel.stars >= self.min_stars)
        if self.max_distance is not None:
            met.append(hotel.distance <= self.max_distance)
        return sum(met) / len(met)


def draw_request(rng: Random, world: World, difficulty: Difficulty) -> Request:
    """A random request, which some hotel of the world may or may not fit."""
    city = rng.choice(CITIES)
    if difficulty == "easy":
        prices = [hotel.price for hotel in world.in_city(city)]
        budget = rng.choice([price for price in PRICES if prices[0] <= price < prices[2]])
        return Request(city, None, rng.choice(NIGHTS), budget, None, None, (), "price")
    made = rng.sample(CONSTRAINTS, rng.randint(1, 2) if difficulty == "normal" else rng.randint(2, 3))
    amenities = rng.sample(AMENITIES, 1 if difficulty == "normal" else rng.randint(1, 2))
    elsewhere = difficulty == "hard" and rng.random() < 0.6
    return Request(
        city=city,
        other_city=rng.choice([other for other in CITIES if other != city]) if elsewhere else None,
        nights=rng.choice(NIGHTS),
        max_price=rng.choice(PRICES[4:24:2]) if "max_price" in made else None,
        min_stars=rng.choice(STARS[1:4]) if "min_stars" in made else None,
        max_distance=rng.choice(DISTANCES[4:20:5]) if "max_distance" in made else None,
        amenities=tuple(sorted(amenities)) if "amenities" in made else (),
        wish=rng.choice(ORDERS),
    )
