"""What a person may type in `grpo-env play`."""

import json

import pytest

from grpo_env_sdk.cli.play_command import typed_message
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.tools.tool import Tool


def price(tea: str, grams: int = 100) -> int:
    """The price of a tea."""
    return len(tea) * grams


def order(tea: str, grams: int) -> str:
    """Order a tea."""
    return f"{grams} g of {tea}"


def teas(only: list[str] | None = None) -> list[str]:
    """All teas."""
    return only or []


def leave() -> None:
    """Leave the shop."""


TOOLS = [Tool.from_function(one).schema for one in (price, order, teas, leave)]


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("price Sencha", {"tea": "Sencha"}), ("price  Earl Grey ", {"tea": "Earl Grey"}),
        ('price "Earl Grey"', {"tea": "Earl Grey"}), ("price 7", {"tea": "7"}),
        ("price tea=Sencha grams=50", {"tea": "Sencha", "grams": 50}), ('price {"tea": "Sencha"}', {"tea": "Sencha"}),
        ('teas ["Sencha"]', {"only": ["Sencha"]}), ("teas", {}), ("leave", {}),
    ],
)  # fmt: skip
def test_a_line_with_the_name_of_a_tool_is_a_call(line, arguments):
    (call,) = typed_message(line, TOOLS)["tool_calls"]
    given = call["function"]["arguments"]
    assert (json.loads(given) if isinstance(given, str) else given) == arguments
    assert call["function"]["name"] == line.split()[0]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("order Sencha", r"'Sencha' belongs to no argument\. Write: order tea=\.\.\. grams=\.\.\."),
        ("order Sencha grams=5", r"'Sencha' belongs to no argument\. Write: order tea="),
        ("order tea=Earl Grey", r"'Grey' belongs to no argument\. Quote a value with spaces: tea="),
        ("leave now", r"'now' belongs to no argument\. Write: leave$"),
        ("pirce tea=Sencha", r"No tool named 'pirce'\. Did you mean 'price'"),
    ],
)
def test_a_call_that_cannot_be_meant_so_says_what_to_write(line, told):
    with pytest.raises(UsageError, match=told):
        typed_message(line, TOOLS)


@pytest.mark.parametrize("line", ["It costs 5.", "", "pirce Sencha"])
def test_anything_else_is_text(line):
    assert typed_message(line, TOOLS).get("content") == line
