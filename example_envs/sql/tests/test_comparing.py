import pytest

from grpo_env_sql.comparing import overlap, same
from grpo_env_sql.database import Relation


def relation(*rows, cut=False, columns=("a", "b")):
    return Relation(columns, rows, cut)


@pytest.mark.parametrize(
    ("one", "other", "ordered", "equal"),
    [
        (relation((1, "x"), (2, "y")), relation((2, "y"), (1, "x")), False, True),
        (relation((1, "x"), (2, "y")), relation((2, "y"), (1, "x")), True, False),
        (relation((1,), columns=("n",)), relation((1,), columns=("COUNT(*)",)), False, True),
        (relation((1,)), relation((1.0,)), False, True),
        (relation((0.1 + 0.2,)), relation((0.3,)), False, True),
        (relation((1,)), relation(("1",)), False, False),
        (relation((1,)), relation((1.001,)), False, False),
        (relation((None,)), relation((None,)), False, True),
        (relation((None,)), relation((0,)), False, False),
        (relation((None,)), relation(("",)), False, False),
        (relation((b"x",)), relation(("x",)), False, False),
        (relation((1,), (1,)), relation((1,)), False, False),
        (relation((1,), (1,), (2,)), relation((1,), (2,), (2,)), False, False),
        (relation((1, 2)), relation((2, 1)), False, False),
        (relation((1,)), relation((1, 2)), False, False),
        (relation((1,), cut=True), relation((1,), cut=True), False, False),
        (relation(("a",), (None,), (2,), (b"z",)), relation((2,), (b"z",), ("a",), (None,)), False, True),
    ],
)
def test_results_are_compared_as_relations(one, other, ordered, equal):
    assert same(one, other, ordered) is equal
    assert same(other, one, ordered) is equal


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (relation((1,), (2,)), relation((2,), (1,)), 1.0),
        (relation((1,)), relation((1,), (2,)), 0.5),
        (relation((1,), (1,)), relation((1,)), 0.5),
        (relation((1,)), relation((2,)), 0.0),
        (relation(), relation((2,)), 0.0),
        (relation(), relation(), 1.0),
    ],
)
def test_the_overlap_is_the_share_of_rows_that_both_have(one, other, share):
    assert overlap(one, other) == overlap(other, one) == share
