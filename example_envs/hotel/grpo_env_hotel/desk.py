"""The booking desk of one episode: what the tools do, and what has been booked so far."""

from dataclasses import dataclass, field
from typing import Any

from grpo_env_hotel.world import CITIES, Hotel, Order, World

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Booking:
    """One room in a hotel for some nights."""

    hotel: Hotel
    nights: int


@dataclass(slots=True)
class Desk:
    """Answers every call with plain data; an `error` says what is possible instead."""

    world: World
    bookings: list[Booking] = field(default_factory=list)
    searched: set[str] = field(default_factory=set)

    def search_hotels(
        self,
        city: str,
        sort_by: Order = "price",
        min_stars: int | None = None,
        max_distance: int | None = None,
    ) -> list[Answer] | Answer:
        """The hotels of a city with a room left that pass the filters, the best first."""
        if city not in CITIES:
            return {"error": f"No hotels in {city!r:.40}.", "cities": list(CITIES)}
        self.searched.add(city)
        return [
            _hit(hotel, sort_by)
            for hotel in self.world.in_city(city, sort_by)
            if self.rooms_left(hotel)
            and (min_stars is None or hotel.stars >= min_stars)
            and (max_distance is None or hotel.distance <= max_distance)
        ]

    def hotel_details(self, hotel: str) -> Answer:
        """Everything about one hotel."""
        found = self.world.hotels.get(hotel)
        if found is None:
            return _unknown(hotel)
        return {
            "hotel": found.id,
            "city": found.city,
            "price": found.price,
            "stars": found.stars,
            "distance": found.distance,
            "rooms_left": self.rooms_left(found),
            "amenities": list(found.amenities),
        }

    def book_room(self, hotel: str, nights: int) -> Answer:
        """Book one room, if one is left."""
        found = self.world.hotels.get(hotel)
        if found is None:
            return _unknown(hotel)
        if nights < 1:
            return {"error": f"A booking takes at least 1 night, not {nights}."}
        if not self.rooms_left(found):
            return {"error": f"{found.id} has no rooms left. Choose another hotel."}
        self.bookings.append(Booking(found, nights))
        return {"booked": found.id, "nights": nights}

    def cancel_booking(self, hotel: str) -> Answer:
        """Cancel the last booking in this hotel."""
        for booking in reversed(self.bookings):
            if booking.hotel.id == hotel:
                self.bookings.remove(booking)
                return {"cancelled": hotel}
        held = [booking.hotel.id for booking in self.bookings]
        return {"error": f"There is no booking in {hotel!r:.40} to cancel.", "bookings": held}

    def rooms_left(self, hotel: Hotel) -> int:
        """How many rooms a hotel has left after the bookings of this episode."""
        return hotel.rooms - sum(booking.hotel is hotel for booking in self.bookings)


def _hit(hotel: Hotel, sort_by: Order) -> Answer:
    """What a search shows of a hotel: its price, and the value by which the list is sorted."""
    return {"hotel": hotel.id, "price": hotel.price, sort_by: getattr(hotel, sort_by)}


def _unknown(hotel: str) -> Answer:
    return {"error": f"There is no hotel {hotel!r:.40}. Search a city to see its hotels."}
