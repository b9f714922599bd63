"""Damage is of every kind and always Python; a sound hotel is let be, and plain damage is found."""

import ast

import pytest

from tests.mutation.damage import DAMAGES, Mutant
from tests.mutation.trial import drawn, tried, write_hotel

CHOSEN = [
    ("desk.py", "default_factory=list", "default_factory=lambda kept=[]: kept"),
    ("world.py", 'Random(f"world/{difficulty}/{seed}")', "Random()"),
    ("env.py", "return min(1.0, calls", "return max(1.5, calls"),
    ("gold.py", 'hit["price"] > request.max_price', 'hit["price"] >= request.max_price'),
    ("desk.py", 'return {"booked": found.id, "nights": nights}', 'return {"booked": {found.id}, "nights": nights}'),
]


@pytest.fixture
def hotel(tmp_path):
    return write_hotel(tmp_path)


def test_the_first_draws_are_of_every_kind(hotel):
    first = [mutant.kind for _, mutant in zip(range(len(DAMAGES)), drawn(hotel, 0), strict=False)]
    assert sorted(first) == sorted(DAMAGES)


def test_equal_seeds_draw_equally(hotel):
    assert list(drawn(hotel, 1)) == list(drawn(hotel, 1)) != list(drawn(hotel, 2))


def test_every_mutant_is_other_python(hotel):
    for mutant in drawn(hotel, 0):
        source = (hotel / mutant.file).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source)), mutant


@pytest.mark.slow
@pytest.mark.parametrize(("file", "sound", "damaged"), CHOSEN)
def test_plain_damage_is_found(hotel, file, sound, damaged):
    start = (hotel / file).read_text(encoding="utf-8").index(sound)
    result = tried(hotel, Mutant("chosen", file, start, start + len(sound), damaged))
    assert result["findings"]
    assert sound in (hotel / file).read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_sound_hotel_is_let_be(hotel):
    assert tried(hotel, Mutant("none", "env.py", 0, 0, ""))["findings"] == []
