"""`hotel-v1`, its easy rows, by hand for TRL alone, as its guide has people write an `environment_factory`."""

import json
from typing import Any

from grpo_env_hotel.desk import Desk
from grpo_env_hotel.gold import best_hotel
from grpo_env_hotel.requests import Request
from grpo_env_hotel.wording import booked
from grpo_env_hotel.world import Order, make_world


class StockHotel:
    """The tools are its public methods; what the rewards need is kept in `self`."""

    def reset(self, **row: Any) -> None:
        """Open a new desk in the world of the row."""
        self._request = Request.from_row(row)
        self._desk = Desk(make_world(row["world_seed"], row["difficulty"]))
        self._best = best_hotel(self._desk.world, self._request)
        self._calls = 0

    def search_hotels(
        self, city: str, sort_by: Order = "price", min_stars: int | None = None, max_distance: int | None = None
    ) -> str:
        """Find the hotels of a city that have a room left.

        Args:
            city: The city to look in.
            sort_by: What to sort by: the lowest price, the shortest distance or the most stars comes first.
            min_stars: Leave out hotels with fewer stars.
            max_distance: Leave out hotels that are more metres from the station.

        Returns:
            A list of hotels with the price of a night, the best first.
        """
        return self._told(self._desk.search_hotels(city, sort_by, min_stars, max_distance))

    def hotel_details(self, hotel: str) -> str:
        """Tell everything about one hotel: price, stars, metres to the station, rooms left, amenities.

        Args:
            hotel: The id of the hotel.
        """
        return self._told(self._desk.hotel_details(hotel))

    def book_room(self, hotel: str, nights: int) -> str:
        """Book one room.

        Args:
            hotel: The id of the hotel.
            nights: How many nights.
        """
        return self._told(self._desk.book_room(hotel, nights))

    def cancel_booking(self, hotel: str) -> str:
        """Cancel a booking that was made before.

        Args:
            hotel: The id of the hotel in which a room was booked.
        """
        return self._told(self._desk.cancel_booking(hotel))

    def _told(self, result: Any) -> str:
        self._calls += 1
        return json.dumps(result)

    def _score(self, answer: str) -> float:
        """The mean of the five rewards; there is always a hotel that fits, and gold makes two calls."""
        assert self._best is not None
        desk = self._desk
        if len(desk.bookings) != 1 or self._best.city not in desk.searched:
            return 0.0
        kept = desk.bookings[0]
        met = self._request.share_met(kept.hotel) if kept.hotel.city == self._best.city else 0.0
        best = float(kept.hotel == self._best)
        nights = met * (kept.nights == self._request.nights)
        named = met * (answer == booked(kept.hotel.id))
        quick = min(1.0, 2 / self._calls) if min(best, nights, named) == 1.0 else 0.0
        return (met + best + nights + named + quick) / 5


def score(completions: list[list[dict[str, Any]]], environments: list[StockHotel], **given: Any) -> list[float]:
    """The reward function."""
    return [
        one._score(messages[-1].get("content") or "") for one, messages in zip(environments, completions, strict=True)
    ]
