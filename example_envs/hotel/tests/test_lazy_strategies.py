"""What can be had without doing the task: every strategy is measured, bounded, and told in the README."""

import json
from pathlib import Path
from random import Random

import pytest
from grpo_env_sdk import call_message

from grpo_env_hotel import HotelEnv
from grpo_env_hotel.gold import play as gold
from grpo_env_hotel.requests import Request
from grpo_env_hotel.wording import NOTHING_FITS, booked
from grpo_env_hotel.world import DIFFICULTIES

README = Path(__file__).parent.parent / "README.md"
EVERY_ID = [f"H{number}" for number in range(10, 90)]


def text(content):
    return {"role": "assistant", "content": content}


def search(city):
    """The ids that a search finds, every id where it finds none."""
    observation = yield call_message("search_hotels", city=city)
    return [hit["hotel"] for hit in json.loads(observation[-1]["content"])] or EVERY_ID


def do_nothing(row, rng):
    yield text("")


def refuse(row, rng):
    yield text("I cannot help with that.")


def say_that_nothing_fits(row, rng):
    yield text(NOTHING_FITS)


def name_one_hotel(row, rng):
    yield text(booked("H12"))


def name_every_hotel(row, rng):
    yield text(" ".join(map(booked, EVERY_ID)))


def book_any_id_unseen(row, rng):
    hotel = rng.choice(EVERY_ID)
    yield call_message("book_room", hotel=hotel, nights=rng.randint(2, 6))
    yield text(booked(hotel))


def book_at_random(row, rng):
    hotel = rng.choice((yield from search(row["city"])))
    yield call_message("book_room", hotel=hotel, nights=rng.randint(2, 6))
    yield text(booked(hotel))


def book_any_hit_for_the_right_nights(row, rng):
    hotel = rng.choice((yield from search(row["city"])))
    yield call_message("book_room", hotel=hotel, nights=row["nights"])
    yield text(booked(hotel))


def book_any_hit_and_name_all(row, rng):
    hits = yield from search(row["city"])
    yield call_message("book_room", hotel=rng.choice(hits), nights=row["nights"])
    yield text(" ".join(map(booked, hits)))


def book_everything(row, rng):
    hits = yield from search(row["city"])
    made = [call_message("book_room", hotel=hotel, nights=row["nights"]) for hotel in hits]
    yield {"role": "assistant", "tool_calls": [call for message in made for call in message["tool_calls"]]}
    yield text(booked(hits[0]))


def book_and_cancel(row, rng):
    hits = yield from search(row["city"])
    yield call_message("book_room", hotel=hits[0], nights=row["nights"])
    yield call_message("cancel_booking", hotel=hits[0])
    yield text(booked(hits[0]))


def search_and_decline(row, rng):
    for city in Request.from_row(row).cities:
        yield from search(city)
    yield text(NOTHING_FITS)


def book_the_best_and_name_it_in_markup(row, rng):
    yield from right_until_the_answer(row, lambda answer: f"{answer}</tool_call>")


def book_the_best_and_name_another_too(row, rng):
    yield from right_until_the_answer(row, lambda answer: f"{answer} Booked H10.")


def right_until_the_answer(row, spoil):
    solution = gold(Request.from_row(row))
    message = next(solution)
    while message.get("tool_calls"):
        message = solution.send((yield message))
    yield text(spoil(message["content"]))


# What the README calls it, its most on easy, normal and hard.
BOUNDS = {
    do_nothing: ("doing nothing", 0.0, 0.0, 0.0),
    refuse: ("", 0.0, 0.0, 0.0),
    say_that_nothing_fits: ("", 0.0, 0.0, 0.0),
    name_one_hotel: ("the best fixed text", 0.0, 0.0, 0.0),
    name_every_hotel: ("naming every hotel", 0.0, 0.0, 0.0),
    book_any_id_unseen: ("booking any id unseen", 0.02, 0.02, 0.02),
    book_everything: ("booking everything a search finds", 0.0, 0.05, 0.05),
    book_and_cancel: ("booking and cancelling", 0.0, 0.05, 0.05),
    search_and_decline: ("searching, then saying that nothing fits", 0.0, 0.22, 0.22),
    book_at_random: ("booking at random after a search", 0.3, 0.3, 0.2),
    book_any_hit_and_name_all: ("the same for the right nights, naming all", 0.3, 0.3, 0.2),
    book_any_hit_for_the_right_nights: ("the same for the right nights, naming it", 0.42, 0.4, 0.3),
    book_the_best_and_name_it_in_markup: ("", 0.6, 0.6, 0.6),
    book_the_best_and_name_another_too: ("", 0.6, 0.6, 0.6),
}


@pytest.mark.parametrize("strategy", BOUNDS, ids=lambda strategy: strategy.__name__)
def test_a_lazy_strategy_scores_low_and_what_the_readme_says(strategy, play, rows_of):
    (told, *bounds), means = BOUNDS[strategy], []
    for difficulty, most in zip(DIFFICULTIES, bounds, strict=True):
        env, rng = HotelEnv(difficulty), Random(0)
        scores = [play(env, row, strategy(row, rng))[0] for row in rows_of(difficulty)[:200]]
        means.append(sum(scores) / len(scores))
        assert means[-1] <= most
    shown = " | ".join(f"{mean:.2f}" for mean in means)
    assert not told or f"| {told} | {shown} |" in README.read_text(encoding="utf-8")


def test_doing_more_of_it_right_never_scores_less(rows_of):
    row = next(
        row for row in rows_of("hard") if row["kind"] == "fits" and row["max_price"] and row["amenities"]
    )
    env = HotelEnv("hard")
    env.reset(options=row)
    met = {env.request.share_met(hotel): hotel.id for hotel in env.desk.world.in_city(row["city"])}
    best, looked = env.best.id, call_message("search_hotels", city=row["city"])
    partly = [met[share] for share in sorted(met) if share < 1]
    wasteful = [looked] * 9
    ladder = [
        [text(NOTHING_FITS)],
        *([looked, call_message("book_room", hotel=hotel, nights=1), text("")] for hotel in partly),
        [looked, call_message("book_room", hotel=best, nights=1), text("")],
        [looked, call_message("book_room", hotel=best, nights=1), text(booked(best))],
        [*wasteful, call_message("book_room", hotel=best, nights=row["nights"]), text(booked(best))],
        [looked, call_message("book_room", hotel=best, nights=row["nights"]), text(booked(best))],
    ]
    scores = []
    for messages in ladder:
        env.reset(options=row)
        scores.append([env.step(message) for message in messages][-1][4]["score"])
    assert scores == sorted(scores)
    assert len(set(scores[-4:])) == 4
    assert (scores[0], scores[-1]) == (0.0, 1.0)
