"""The right answer: from the whole world for scoring, and found only with the tools for `solve`."""

import json
from collections.abc import Generator
from typing import Any

from grpo_env_sdk import Message, call_message

from grpo_env_hotel.desk import Desk
from grpo_env_hotel.requests import Request
from grpo_env_hotel.wording import NOTHING_FITS, booked
from grpo_env_hotel.world import Hotel, World

Play = Generator[Message, list[Message], None]


def best_hotel(world: World, request: Request) -> Hotel | None:
    """The hotel to book, or None if none fits; the other city counts only if the first has none."""
    for city in request.cities:
        for hotel in world.in_city(city, request.wish):
            if hotel.rooms and request.share_met(hotel) == 1.0:
                return hotel
    return None


def play(request: Request) -> Play:
    """The messages of a right solution, each based on the results of the tools so far."""
    for city in request.cities:
        hits = _read((yield _search(request, city)))
        for hit in hits:
            if request.max_price is not None and hit["price"] > request.max_price:
                continue
            if request.amenities:
                details = _read((yield call_message("hotel_details", hotel=hit["hotel"])))
                if not set(request.amenities) <= set(details["amenities"]):
                    continue
            yield call_message("book_room", hotel=hit["hotel"], nights=request.nights)
            yield {"role": "assistant", "content": booked(hit["hotel"])}
            return
    yield {"role": "assistant", "content": NOTHING_FITS}


def calls_needed(world: World, request: Request) -> int:
    """How many tool calls `play` makes, counted by playing it with a separate desk."""
    desk, solution = Desk(world), play(request)
    message, calls = next(solution), 0
    while "tool_calls" in message:
        function = message["tool_calls"][0]["function"]
        result = getattr(desk, function["name"])(**function["arguments"])
        message, calls = solution.send([{"role": "tool", "content": json.dumps(result)}]), calls + 1
    return calls


def _search(request: Request, city: str) -> Message:
    """The search for a city; prices need no filter, because every hit shows its price."""
    filters: dict[str, Any] = {} if request.wish == "price" else {"sort_by": request.wish}
    for name in ("min_stars", "max_distance"):
        if getattr(request, name) is not None:
            filters[name] = getattr(request, name)
    return call_message("search_hotels", city=city, **filters)


def _read(observation: list[Message]) -> Any:
    return json.loads(observation[-1]["content"])
