"""Damage is of every kind and always Python, faults can be planted, what is sound is let be, plain faults are found."""

import ast

import pytest

from tests.mutation.damage import DAMAGES, Mutant
from tests.mutation.planting import BASES, KINDS, Planted, planted, tried_plant
from tests.mutation.results import outcome, table
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
def test_a_sound_hotel_is_let_be_and_seen_to_be_no_other(hotel):
    assert outcome(tried(hotel, Mutant("none", "env.py", 0, 0, ""))) == "no difference seen"


def test_every_fault_can_be_planted_somewhere():
    for kind, faults in KINDS.items():
        for fault in faults:
            assert any(Planted(kind, fault, base).flawed for base in BASES), fault


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["silence_pays", "begun_at_the_rank", "never_ends", "the_row_is_eaten"])
def test_a_plain_planted_fault_is_found(fault):
    first = next(one for one in planted(0) if one.fault.__name__ == fault)
    assert outcome(tried_plant(first, "default")) in ("error", "warning")


def test_the_table_leaves_out_what_played_alike():
    results = [
        {"kind": "state", "fault": "a", "findings": [["S210", "error", "it changes"]]},
        {"kind": "state", "fault": "b", "findings": []},
        {"kind": "state", "fault": "c", "findings": [], "same": True},
    ]
    assert "| state | 3 | 1 | 0 | 1 | 1 | 50% |" in table(results)
