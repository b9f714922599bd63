import json

import pytest
from grpo_env_sdk import call_message

from grpo_env_hotel import HotelEnv


@pytest.fixture
def env(rows_of):
    made = HotelEnv("normal", max_turns=100)
    made.reset(options=rows_of("normal")[0])
    return made


def ask(env, name, **arguments):
    observation, _, terminated, _, _ = env.step(call_message(name, **arguments))
    assert not terminated
    return json.loads(observation[-1]["content"])


def hotel(env, rooms):
    return next(hotel for hotel in env.desk.world.hotels.values() if hotel.rooms == rooms)


@pytest.mark.parametrize("sort_by", ["price", "distance", "stars"])
def test_a_search_shows_the_hotels_with_a_room_left_the_best_first(env, sort_by):
    hits = ask(env, "search_hotels", city=env.row["city"], sort_by=sort_by)
    there = {hotel.id: hotel for hotel in env.desk.world.in_city(env.row["city"]) if hotel.rooms}
    assert {hit["hotel"] for hit in hits} == set(there)
    values = [hit[sort_by] for hit in hits]
    assert values == sorted(values, reverse=sort_by == "stars")
    assert all(hit["price"] == there[hit["hotel"]].price for hit in hits)


def test_a_search_leaves_out_what_its_filters_exclude(env):
    hits = ask(env, "search_hotels", city=env.row["city"], min_stars=3, max_distance=2000)
    details = [ask(env, "hotel_details", hotel=hit["hotel"]) for hit in hits]
    assert all(found["stars"] >= 3 and found["distance"] <= 2000 for found in details)
    assert len(hits) < len(ask(env, "search_hotels", city=env.row["city"]))


def test_a_room_that_is_booked_is_gone_until_it_is_cancelled(env):
    last = hotel(env, rooms=1)
    assert ask(env, "book_room", hotel=last.id, nights=2) == {"booked": last.id, "nights": 2}
    assert ask(env, "hotel_details", hotel=last.id)["rooms_left"] == 0
    assert last.id not in [hit["hotel"] for hit in ask(env, "search_hotels", city=last.city)]
    assert "no rooms left" in ask(env, "book_room", hotel=last.id, nights=2)["error"]
    assert ask(env, "cancel_booking", hotel=last.id) == {"cancelled": last.id}
    assert ask(env, "hotel_details", hotel=last.id)["rooms_left"] == 1


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_hotels", {"city": "Atlantis"}, "No hotels in 'Atlantis'"),
        ("hotel_details", {"hotel": "H999"}, "no hotel 'H999'. Search a city"),
        ("book_room", {"hotel": "H999", "nights": 2}, "no hotel 'H999'"),
        ("book_room", {"hotel": "", "nights": 2}, "no hotel ''"),
        ("cancel_booking", {"hotel": "H10"}, "no booking in 'H10' to cancel"),
    ],
)
def test_what_cannot_be_done_is_answered_with_what_can(env, name, arguments, told):
    assert told in ask(env, name, **arguments)["error"]
    assert not env.desk.bookings


@pytest.mark.parametrize("nights", [0, -3])
def test_a_booking_of_no_nights_is_answered_and_not_made(env, nights):
    error = ask(env, "book_room", hotel=hotel(env, rooms=2).id, nights=nights)["error"]
    assert error == f"A booking takes at least 1 night, not {nights}."
    assert not env.desk.bookings


def test_a_sold_out_hotel_is_not_booked(env):
    full = hotel(env, rooms=0)
    assert ask(env, "book_room", hotel=full.id, nights=2)["error"].startswith(f"{full.id} has no rooms left")
    assert not env.desk.bookings


def test_arguments_of_the_wrong_type_are_answered_by_path(env):
    error = ask(env, "book_room", hotel=hotel(env, rooms=2).id, nights="two")["error"]
    assert (error["type"], error["path"]) == ("invalid_arguments", "nights")
    error = ask(env, "search_hotels", city=env.row["city"], sort_by="beauty")["error"]
    assert (error["type"], error["path"]) == ("invalid_arguments", "sort_by")
