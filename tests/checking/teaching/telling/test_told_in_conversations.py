"""What users ask for has to be what is scored, and what must not be said is looked for in every message."""

import pytest

from grpo_env_sdk import MultiTurnEnv, ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.said_earlier import what_must_not_be_said_is_looked_for_everywhere
from grpo_env_sdk.checking.teaching.telling.wishes_of_others import what_users_ask_for_is_scored
from tests.checking.trying import found

TRIPS = [
    ("Oslo", "sleeper"),
    ("Turin", "window"),
    ("Porto", "aisle"),
    ("Riga", "quiet"),
    ("Lyon", "table"),
    ("Graz", "any"),
]


class Trips(ToolEnv):
    """The user speaks of the trip of another row."""

    max_turns, shift, echoed, upgrade = 6, 1, False, ""

    def build_dataset(self, tokenizer):
        rules = f"Book the trip that the caller wants. {self.upgrade}"
        return [
            {"prompt": f"{rules} Call {place}: Hello, I need a ticket.", "place": place, "city": city, "seat": seat}
            for place, (city, seat) in enumerate(TRIPS)
        ]

    def setup(self, row):
        self.booked = None

    def user(self, messages):
        if self.booked:
            return None
        city, seat = TRIPS[(self.row["place"] + self.shift) % len(TRIPS)]
        return f"To {city}, please, with a {seat} seat."

    @tool
    def find_friend(self, name: str) -> str:
        """Ask a friend of the caller."""
        return f"It was {self.row['city']}, with {self.row['seat']}." if self.echoed else "No idea."

    @tool
    def book(self, city: str, seat: str) -> str:
        """Book a trip to a city."""
        self.booked = (city, seat)
        return "Booked."

    @reward
    def right(self, city, seat):
        return self.booked == (city, seat)

    def solve(self, row):
        yield "Where to?"
        yield call_message("find_friend", name="Kim")
        yield call_message("book", city=row["city"], seat=row["seat"])
        yield "Good trip."


class OwnTrips(Trips):
    shift = 0


class TripsOfFriends(Trips):
    """The caller is mistaken, and a friend knows it."""

    echoed = True


class TripsByRule(Trips):
    """A rule of the prompt says where everybody goes."""

    upgrade = "The lines to other places are closed; what is left, by call: " + ", ".join(map(" ".join, TRIPS)) + "."


class Taboo(MultiTurnEnv):
    """A word is described in two messages, and must not be said."""

    max_turns, reward_range, rule = 5, (0, 1), "You must not use the word of the card in your texts."

    def build_dataset(self, tokenizer):
        words = ["harbour", "violin", "glacier", "pepper", "lantern", "saddle"]
        return [
            {"prompt": f"Card {number}. Describe it in two messages, then write OVER. {self.rule}", "card": word}
            for number, word in enumerate(words)
        ]

    def setup(self, row):
        self.said = []

    def looked_at(self):
        return self.said[-1:]

    def step(self, action):
        self.said.append(answer_text([action]).lower())
        if "over" not in self.said[-1]:
            return "Go on.", 0.0, False, False, {}
        fine = len(self.said) > 2 and not any(self.row["card"] in text for text in self.looked_at())
        return "Time.", float(fine), True, False, {}

    def solve(self, row):
        return [f"It starts with {row['card'][:2]}.", f"It ends with {row['card'][-2:]}.", "OVER"]


class TabooEverywhere(Taboo):
    def looked_at(self):
        return self.said


class TabooAtTheEnd(Taboo):
    rule = "You must not use the word of the card in your last message."


class TabooOfTrust(Taboo):
    """Nothing looks for the word, which other checks may say."""

    def looked_at(self):
        return []


def test_the_wish_of_another_row_is_found():
    (finding,) = found(what_users_ask_for_is_scored, Trips)
    assert "which nobody tells" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [OwnTrips, TripsOfFriends, TripsByRule])
def test_wishes_that_are_scored_or_overruled_are_not_accused(cls):
    assert not found(what_users_ask_for_is_scored, cls)


def test_a_word_that_may_be_said_before_the_last_message_is_found():
    (finding,) = found(what_must_not_be_said_is_looked_for_everywhere, Taboo)
    assert "in the last message only" in finding.message


@pytest.mark.parametrize("cls", [TabooEverywhere, TabooAtTheEnd, TabooOfTrust])
def test_words_that_are_looked_for_as_promised_are_not_accused(cls):
    assert not found(what_must_not_be_said_is_looked_for_everywhere, cls)
