import re
from random import Random

import pytest

from grpo_env_arithmetic.expressions import LARGEST, combine, draw_expression, number
from grpo_env_arithmetic.shape import OPERATORS, Shape


def drawn(shape, count=200):
    rng = Random(0)
    found = [draw_expression(rng, shape) for _ in range(count)]
    return [expression for expression in found if expression]


@pytest.mark.parametrize("operators", [OPERATORS, ("+",), ("-", "/"), ("*", "/")])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_an_expression_comes_to_what_python_makes_of_its_text(depth, operators):
    found = drawn(Shape(depth, operators, -9, 12))
    assert len(found) > 50
    for expression in found:
        assert eval(expression.text.replace("/", "//")) == expression.value
        assert eval(expression.text) == expression.value, "a division that does not come out whole"
        assert abs(expression.value) <= LARGEST


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_numbers_operators_and_depth_are_as_the_shape_says(depth):
    for expression in drawn(Shape(depth, ("+", "*"), 3, 8), count=50):
        assert set(re.findall(r"[0-9]+", expression.text)) <= set("345678")
        assert set(re.findall(r"[-+*/]", expression.text)) <= set("+*")
        assert depth <= len(re.findall(r"[+*]", expression.text)) < 2**depth


@pytest.mark.parametrize(
    ("operator", "left", "right", "text"),
    [
        ("-", ("-", 1, 2), ("-", 3, 4), "1 - 2 - (3 - 4)"),
        ("*", ("+", 1, 2), ("*", 3, 4), "(1 + 2) * (3 * 4)"),
        ("+", ("*", 1, 2), ("/", 8, 4), "1 * 2 + 8 / 4"),
        ("/", ("*", 6, 2), ("-", 1, -2), "6 * 2 / (1 - (-2))"),
    ],
)
def test_parentheses_stand_where_they_are_needed(operator, left, right, text):
    parts = [combine(op, number(a), number(b)) for op, a, b in (left, right)]
    assert combine(operator, *parts).text == text


@pytest.mark.parametrize(("operator", "same"), [("+", True), ("*", True), ("-", False), ("/", False)])
def test_the_order_of_operands_matters_to_the_key_where_it_matters_to_the_value(operator, same):
    one, other = number(6), number(-6)
    assert (combine(operator, one, other).key == combine(operator, other, one).key) is same


@pytest.mark.parametrize(("operator", "left", "right"), [("/", 7, 2), ("/", 7, 0), ("*", 10**5, 10**5)])
def test_what_is_not_whole_or_too_large_is_nothing(operator, left, right):
    assert combine(operator, number(left), number(right)) is None
