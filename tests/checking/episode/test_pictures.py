"""Observations with pictures: they are no mistake, and what only they show tells states and replies apart."""

import pytest
from PIL import Image

from grpo_env_sdk import MultiTurnEnv, answer_text
from grpo_env_sdk.checking.episode.same_questions import questions_that_are_promised_to_differ_differ
from grpo_env_sdk.checking.episode.transcripts import (
    gymnasium_check_env_passes,
    observations_are_plain_json,
    observations_stay_small,
)
from grpo_env_sdk.checking.teaching.amounts.farming import what_was_undone_does_not_pay_again
from tests.checking.trying import found

COLOURS = ("red", "green", "blue", "gold")


def square(colour):
    return Image.new("RGB", (8, 8), colour)


class Slides(MultiTurnEnv):
    """Name the colours of slides."""

    max_turns = 4
    prompt = "Deck {}: I show you 4 different slides, one after another. Name the colour of each."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.prompt.format(n), "first": n} for n in range(12)]

    def colour(self, turn):
        return COLOURS[(self.row["first"] + turn) % 4]

    def slide(self, turn):
        return square(self.colour(turn))

    def reset(self, *, seed=None, options=None):
        return self.slide(0), {}

    def step(self, action):
        right = answer_text([action]) == self.colour(self.turns - 1)
        return ["Which colour?", self.slide(self.turns)], right / 4, self.turns == 4, False, {}

    def solve(self, row):
        return [self.colour(turn) for turn in range(4)]


class Links(Slides):
    """The pictures are parts in OpenAI's form, each of many characters."""

    def slide(self, turn):
        url = f"data:image/png;base64,{self.colour(turn) * 9000}"
        return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}

    def reset(self, *, seed=None, options=None):
        return [self.slide(0)], {}

    def step(self, action):
        return [self.slide(self.turns)], self.turns / 10, self.turns == 4, False, {}


class Unwritten(Slides):
    def slide(self, turn):
        return {"role": "user", "content": [{"type": "image", "image": square("red"), "width": float("nan")}]}

    reset, step = Links.reset, Links.step


class Deck(Slides):
    """Gold says one word for slides that differ."""

    def step(self, action):
        right = answer_text([action]) == COLOURS[self.row["first"] % 4]
        asked = f"The next one. Which colour is on top of deck {self.row['first']}?"
        return [asked, self.slide(self.turns)], right / 4, self.turns == 4, False, {}

    def solve(self, row):
        return [COLOURS[row["first"] % 4]] * 4


class OneSlide(Deck):
    def colour(self, turn):
        return COLOURS[self.row["first"] % 4]


class Walk(MultiTurnEnv):
    """Walk east to the flag; each step nearer pays, and a step back costs as much."""

    max_turns = 20
    reward_range = (-0.6, 1.5)
    pays_again = False

    def build_dataset(self, tokenizer):
        return [{"prompt": f'Map {n}: walk to the flag. Say "east" or "west".', "far": 3 + n % 2} for n in range(8)]

    def reset(self, *, seed=None, options=None):
        return self.shown(0), {}

    def shown(self, place):
        self.at = (each for each in [place])  # no copy of it, and no look into it
        picture = square("white")
        picture.putpixel((place + 3, 4), (200, 0, 0))
        return ["So.", picture]

    def step(self, action):
        place = next(self.at)
        move = {"east": 1, "west": -1}.get(answer_text([action]), 0)
        goes = max(-3, min(4, place + move))
        paid = 0.1 * (goes - place) if not (self.pays_again and move < 0) else 0.0
        won = goes == self.row["far"]
        return self.shown(goes), 1.0 if won else paid, won, False, {}

    def solve(self, row):
        return ["east"] * row["far"]


class PaidAgain(Walk):
    """A step back is free of charge, so that the same step pays again."""

    pays_again = True


@pytest.mark.parametrize("cls", [Slides, Deck])
def test_observations_may_be_pictures_and_lists_of_texts_and_pictures(cls):
    assert found(observations_are_plain_json, cls) == []
    assert found(gymnasium_check_env_passes, cls, "default") == []


def test_what_is_beside_a_picture_still_has_to_be_json():
    (finding,) = found(observations_are_plain_json, Unwritten)
    assert "cannot be written as JSON" in finding.message


def test_the_link_of_a_picture_is_no_text_of_an_observation():
    assert not [item for item in found(observations_stay_small, Links) if hasattr(item, "message")]


@pytest.mark.parametrize(("cls", "count"), [(Deck, 0), (OneSlide, 1)])
def test_the_same_question_about_another_picture_is_another_question(cls, count):
    assert len(found(questions_that_are_promised_to_differ_differ, cls)) == count


@pytest.mark.parametrize(("cls", "count"), [(Walk, 0), (PaidAgain, 1)])
def test_a_position_that_only_a_picture_shows_is_not_taken_for_another(cls, count):
    assert len(found(what_was_undone_does_not_pay_again, cls)) == count
