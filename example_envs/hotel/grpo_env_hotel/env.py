"""`HotelEnv`: the tools, the rewards and the gold solution of `hotel-v1`."""

from typing import Any

from grpo_env_sdk import Message, ToolEnv, answer_text, reward, tool

from grpo_env_hotel.desk import Answer, Booking, Desk
from grpo_env_hotel.gold import Play, best_hotel, calls_needed, play
from grpo_env_hotel.requests import Request
from grpo_env_hotel.rows import Split, make_rows
from grpo_env_hotel.wording import NOTHING_FITS, booked
from grpo_env_hotel.world import DIFFICULTIES, Difficulty, Order, make_world

MAX_TURNS: dict[Difficulty, int] = {"easy": 4, "normal": 10, "hard": 24}


class HotelEnv(ToolEnv):
    """A guest asks for a hotel; the model searches, books the one that fits best, and names it.

    Args:
        difficulty: `easy` is one search, one booking, one answer; `normal` adds constraints, amenities and
            requests that no hotel fits; `hard` adds a second city.
        max_turns: How many messages the model may write; None is slightly more than the difficulty needs.
        seed: Which 2,000 training and 500 held-out requests are drawn.
    """

    def __init__(self, difficulty: Difficulty = "easy", max_turns: int | None = None, seed: int = 0) -> None:
        if difficulty not in DIFFICULTIES:
            raise ValueError(f"difficulty is {difficulty!r}; it can be {', '.join(DIFFICULTIES)}.")
        self.difficulty: Difficulty = difficulty
        self.max_turns = MAX_TURNS[difficulty] if max_turns is None else max_turns
        self.seed = seed

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """The requests, with the seed from which an episode creates the hotels of its world."""
        return make_rows(self.difficulty, split, self.seed)

    def setup(self, row: dict[str, Any]) -> None:
        """Create a new desk in the world of the row."""
        self.request = Request.from_row(row)
        self.desk = Desk(make_world(row["world_seed"], row["difficulty"]))
        self.best = best_hotel(self.desk.world, self.request)

    @tool
    def search_hotels(
        self,
        city: str,
        sort_by: Order = "price",
        min_stars: int | None = None,
        max_distance: int | None = None,
    ) -> list[Answer] | Answer:
        """Find the hotels of a city that have a room left.

        Args:
            city: The city to look in.
            sort_by: What to sort by: the lowest price, the shortest distance or the most stars comes first.
            min_stars: Leave out hotels with fewer stars.
            max_distance: Leave out hotels that are more metres from the station.

        Returns:
            A list of hotels with the price of a night, the best first.
        """
        return self.desk.search_hotels(city, sort_by, min_stars, max_distance)

    @tool
    def hotel_details(self, hotel: str) -> Answer:
        """Tell everything about one hotel: price, stars, metres to the station, rooms left, amenities.

        Args:
            hotel: The id of the hotel.
        """
        return self.desk.hotel_details(hotel)

    @tool
    def book_room(self, hotel: str, nights: int) -> Answer:
        """Book one room.

        Args:
            hotel: The id of the hotel.
            nights: How many nights.
        """
        return self.desk.book_room(hotel, nights)

    @tool
    def cancel_booking(self, hotel: str) -> Answer:
        """Cancel a booking that was made before.

        Args:
            hotel: The id of the hotel in which a room was booked.
        """
        return self.desk.cancel_booking(hotel)

    @reward
    def constraints_met(self) -> float:
        """The share of constraints that the booking meets; if none fits, 1 for searching without booking."""
        if self.best is None:
            return float(not self.desk.bookings and self.desk.searched.issuperset(self.request.cities))
        return self.request.share_met(kept.hotel) if (kept := self._kept()) else 0.0

    @reward
    def best_choice(self, messages: list[Message]) -> float:
        """The best of the hotels that fit was booked."""
        if self.best is None:
            return self._declined(messages)
        return float((kept := self._kept()) is not None and kept.hotel == self.best)

    @reward
    def nights_right(self, messages: list[Message]) -> float:
        """The right number of nights was booked; scores as much as the hotel meets the constraints."""
        if self.best is None:
            return self._declined(messages)
        kept = self._kept()
        return self.constraints_met() if kept and kept.nights == self.request.nights else 0.0

    @reward
    def answer_names_booking(self, messages: list[Message]) -> float:
        """The answer names exactly the booked hotel; scores as much as the hotel meets the constraints."""
        if self.best is None:
            return self._declined(messages)
        kept = self._kept()
        return self.constraints_met() if kept and answer_text(messages) == booked(kept.hotel.id) else 0.0

    @reward
    def efficiency(self, messages: list[Message], tool_calls: list[dict[str, Any]]) -> float:
        """If everything else is right: the calls of the gold solution, divided by the calls made."""
        nights, answer = self.nights_right(messages), self.answer_names_booking(messages)
        if min(self.best_choice(messages), nights, answer) < 1.0:
            return 0.0
        return min(1.0, calls_needed(self.desk.world, self.request) / len(tool_calls))

    def solve(self, row: dict[str, Any]) -> Play:
        """The gold solution, which uses the tools to find out what to book."""
        return play(Request.from_row(row))

    def _kept(self) -> Booking | None:
        """The only remaining booking, if it is in the right city and that city was searched."""
        if self.best is None or len(self.desk.bookings) != 1 or self.best.city not in self.desk.searched:
            return None
        return self.desk.bookings[0] if self.desk.bookings[0].hotel.city == self.best.city else None

    def _declined(self, messages: list[Message]) -> float:
        """If no hotel fits: every city was searched, nothing is booked, and the answer says so."""
        return self.constraints_met() * (answer_text(messages) == NOTHING_FITS)
