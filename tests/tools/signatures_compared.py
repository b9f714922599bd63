"""Signatures that transformers describes as it should, and ways to make more of them."""

import enum
import functools
import json
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional, Union

from grpo_env_sdk.tools.function_schema import function_schema
from grpo_env_sdk.tools.schema_faults import schema_faults
from grpo_env_sdk.tools.validation import validator_of

SAME: list[Callable[..., Any]] = []


def same(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a signature that transformers describes as it should."""
    SAME.append(function)
    return function


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Mixed(enum.Enum):
    NUMBER = 1
    TEXT = "one"
    NOTHING = None


class Hotel:
    @same
    def book_as_method(self, nights: int):
        """Book a room.

        Args:
            nights: How many nights
        """

    @classmethod
    def cancel(cls, code: str) -> bool:
        """Cancel a booking.

        Args:
            code: The booking code
        """

    @staticmethod
    @same
    def rate_as_static(stars: float):
        """Rate the stay.

        Args:
            stars: From one to five
        """


SAME += [Hotel().book_as_method, Hotel.cancel, Hotel().cancel]


@same
def takes_nothing():
    """Ring the bell."""


@same
def returns_none() -> None:
    """Ring the bell."""


@same
def one_string(city: str):
    """Look a city up.

    Args:
        city: The name of the city
    """


@same
def one_integer(n: int):
    """Square it.

    Args:
        n: The number
    """


@same
def one_float(x: float):
    """Halve it.

    Args:
        x: The number
    """


@same
def one_boolean(flag: bool):
    """Switch it.

    Args:
        flag: On or off
    """


@same
def one_of_anything(x: Any):
    """Echo it.

    Args:
        x: Whatever you like
    """


@same
def null_alone(x: None):
    """Take nothing.

    Args:
        x: Always null
    """


@same
def four_scalars(a: int, b: float, c: str, d: bool) -> str:
    """Take four.

    Args:
        a: First
        b: Second
        c: Third
        d: Fourth
    """


@same
def with_a_default(city: str, nights: int = 1):
    """Book a room.

    Args:
        city: Where
        nights: How many nights
    """


@same
def with_all_defaults(city: str = "Bern", nights: int = 1, rate: float = 1.5, late: bool = False):
    """Book a room.

    Args:
        city: Where
        nights: How many nights
        rate: The most to pay
        late: Whether you arrive late
    """


@same
def with_none_as_default(city: str = None):  # noqa: RUF013 (people write it)
    """Book a room.

    Args:
        city: Where
    """


@same
def keyword_only(*, city: str, nights: int = 2):
    """Book a room.

    Args:
        city: Where
        nights: How many nights
    """


@same
def bare_list(xs: list):
    """Sum them.

    Args:
        xs: The numbers
    """


@same
def list_of_integers(xs: list[int]):
    """Sum them.

    Args:
        xs: The numbers
    """


@same
def list_of_lists(rows: list[list[float]]):
    """Sum them.

    Args:
        rows: The matrix
    """


@same
def list_of_anything(xs: list[Any]):
    """Count them.

    Args:
        xs: The things
    """


@same
def list_of_unions(xs: list[int | str]):
    """Count them.

    Args:
        xs: The things
    """


@same
def list_with_a_default(xs: list[str] = ()):
    """Count them.

    Args:
        xs: The things
    """


@same
def typing_list(xs: typing.List[int]):  # noqa: UP006
    """Sum them.

    Args:
        xs: The numbers
    """


@same
def bare_typing_list(xs: typing.List):  # noqa: UP006
    """Sum them.

    Args:
        xs: The numbers
    """


@same
def bare_dict(d: dict):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def dict_of_strings(d: dict[str, str]):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def dict_of_anything(d: dict[str, Any]):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def dict_of_lists(d: dict[str, list[int]]):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def dict_with_integer_keys(d: dict[int, float]):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def dict_of_dicts(d: dict[str, dict[str, bool]]):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def typing_dict(d: typing.Dict[str, int]):  # noqa: UP006
    """Merge it.

    Args:
        d: The mapping
    """


@same
def bare_tuple(pair: tuple):
    """Swap it.

    Args:
        pair: Two things
    """


@same
def tuple_of_two(pair: tuple[int, str]):
    """Swap it.

    Args:
        pair: A number and a name
    """


@same
def tuple_of_three(triple: tuple[float, float, list[int]]):
    """Swap it.

    Args:
        triple: Three things
    """


@same
def typing_tuple(pair: typing.Tuple[int, int]):  # noqa: UP006
    """Swap it.

    Args:
        pair: Two numbers
    """


@same
def union_of_scalars(x: int | str):
    """Show it.

    Args:
        x: A number or a text
    """


@same
def typing_union(x: Union[str, float, bool]):  # noqa: UP007
    """Show it.

    Args:
        x: A number, a text or a flag
    """


@same
def union_of_numbers(x: int | float):
    """Show it.

    Args:
        x: A number
    """


@same
def union_with_a_list(x: int | list[int]):
    """Show it.

    Args:
        x: One number or more
    """


@same
def union_of_lists(x: list[int] | list[str]):
    """Show it.

    Args:
        x: Numbers or texts
    """


@same
def union_with_a_bare_list(x: str | list):
    """Show it.

    Args:
        x: A text or things
    """


@same
def union_that_is_one_type_in_json(x: list | tuple):
    """Show it.

    Args:
        x: Things
    """


@same
def union_with_anything(x: int | Any):
    """Show it.

    Args:
        x: Whatever you like
    """


@same
def union_with_a_literal(x: int | Literal["all"]):
    """Show it.

    Args:
        x: A number, or all
    """


@same
def union_of_dicts(x: dict[str, int] | dict[str, str]):
    """Show it.

    Args:
        x: Numbers or texts by name
    """


@same
def literal_of_strings(unit: Literal["celsius", "fahrenheit"]):
    """Read the thermometer.

    Args:
        unit: The unit
    """


@same
def literal_of_one(unit: Literal["kelvin"]):
    """Read the thermometer.

    Args:
        unit: The unit
    """


@same
def literal_of_integers(stars: Literal[1, 2, 3] = 3):
    """Rate the stay.

    Args:
        stars: How many
    """


@same
def literal_of_mixed_types(x: Literal[1, "one", True, None]):
    """Show it.

    Args:
        x: One of these
    """


@same
def list_of_literals(xs: list[Literal["a", "b"]]):
    """Show them.

    Args:
        xs: Some of these
    """


@same
def an_enum(colour: Colour):
    """Paint it.

    Args:
        colour: The colour
    """


@same
def an_int_enum(size: Size = Size.SMALL):
    """Order it.

    Args:
        size: The size
    """


@same
def an_enum_of_mixed_types(x: Mixed):
    """Order it.

    Args:
        x: One of these
    """


@same
def dict_of_enums(d: dict[str, Colour]):
    """Paint them.

    Args:
        d: A colour for each
    """


@same
def annotated_with_a_docstring(x: Annotated[int, "ignored, as the docstring says more"]):
    """Show it.

    Args:
        x: A number
    """


@same
def choices_of_strings(drink: str):
    """Order a drink.

    Args:
        drink: The drink (choices: ["tea", "coffee"])
    """


@same
def choices_of_integers(cups: int):
    """Order drinks.

    Args:
        cups: How many (choices: [1, 2, 3])
    """


@same
def choices_that_need_stripping(drink: str):
    """Order a drink.

    Args:
        drink: The drink (Choices: [" tea ", "coffee (black)"])
    """


@same
def choices_alone(drink: str):
    """Order a drink.

    Args:
        drink: (choices: ["tea"])
    """


@same
def choices_of_anything(x: Any):
    """Order something.

    Args:
        x: The thing (choices: ["tea", 2, true, null])
    """


@same
def choices_over_lines(drink: str):
    """Order a drink.

    Args:
        drink: The drink,
            which may be hot
            (choices: ["tea",
                "coffee"])
    """


@same
def choices_of_whole_lists(xs: list[str]):
    """Order drinks.

    Args:
        xs: The drinks (choices: [["tea"], ["tea", "coffee"]])
    """


@same
def brackets_that_are_no_choices(drink: str):
    """Order a drink.

    Args:
        drink: The drink (choices: see the menu), please
    """


@same
def returns_with_a_docstring(a: int) -> int:
    """Square it.

    Args:
        a: The number

    Returns:
        The square
    """


@same
def returns_over_lines(a: int) -> list[str]:
    """Split it.

    Args:
        a: The number

    Returns:
        list: The parts,
            one for each digit.

        Empty where there are none.
    """


@same
def returns_a_structure(a: int) -> dict[str, list[int]]:
    """Factor it.

    Args:
        a: The number
    """


@same
def returns_in_the_docstring_alone(a: int):
    """Square it.

    Args:
        a: The number

    Returns:
        The square
    """


@same
def returns_anything(a: int) -> Any:
    """Square it.

    Args:
        a: The number

    Returns:
        The square
    """


@same
def returns_what_json_cannot_carry(a: int) -> bytes:
    """Pack it.

    Args:
        a: The number

    Returns:
        The bytes
    """


@same
def returns_and_raises(a: int) -> int:
    """Square it.

    Args:
        a: The number

    Returns:
        The square

    Raises:
        ValueError: when it is odd
    """


@same
def raises_alone(a: int) -> int:
    """Square it.

    Args:
        a: The number

    Raises:
        ValueError: when it is odd
    """


@same
def description_over_paragraphs(a: int):
    """Square it.

    This is done by multiplying it with itself,
        as a school would:

      - once
      - and only once

    Args:
        a: The number
    """


@same
def description_on_the_second_line(a: int):
    """
    Square it.

    Args:
        a: The number
    """


@same
def no_blank_line_before_args(a: int):
    """Square it.
    Args:
        a: The number
    """


@same
def arguments_over_lines(a: int, b: str):
    """Repeat it.

    Args:
        a: How often,
            at the least

            and at the most
        b: The text: as it
            stands: verbatim
    """


@same
def arguments_with_the_text_below(a: int, b: str):
    """Repeat it.

    Args:
        a:
            How often
        b:
            The text
    """


@same
def blank_lines_between_arguments(a: int, b: str):
    """Repeat it.

    Args:

        a: How often

        b: The text

    """


@same
def continuation_that_is_not_indented(a: int, b: str):
    """Repeat it.

    Args:
        a: How often
        at the most
        b: The text
    """


@same
def arguments_that_are_not_indented(a: int, b: str):
    """Repeat it.

    Args:
    a: How often
    b: The text
    """


@same
def arguments_in_another_order(a: int, b: str):
    """Repeat it.

    Args:
        b: The text
        a: How often
        c: No parameter at all
    """


@same
def an_example_after_the_arguments(a: int):
    """Square it.

    Args:
        a: The number

    Example:
        square(2)
    """


@same
def an_example_before_the_arguments(a: int):
    """Square it.

    Example:
        square(2)

    Args:
        a: The number
    """


@same
def unicode_everywhere(größe: int):
    """Miss es… genau.

    Args:
        größe: Die Größe „in cm“
    """


@same
def string_annotations(a: "int", b: "list[str]", c: "Colour") -> "bool":
    """Show it.

    Args:
        a: A number
        b: Texts
        c: A colour
    """


@same
def everything_at_once(
    a: list[dict[str, tuple[int, str]]],
    b: Literal["x", "y"] = "x",
    *,
    c: dict[str, list[int | bool]],
    d: str | list[Literal[1, 2]] = "z",
) -> dict[str, Any]:
    """Do a lot.

    Args:
        a: Rows
        b: A letter (choices: ["x"])
        c: Columns
        d: Something else

    Returns:
        Whatever came of it.
    """


@same
async def asynchronous(a: int) -> str:
    """Wait for it.

    Args:
        a: How long
    """


@same
@functools.wraps(one_integer)
def wrapped_by_a_decorator(*args: Any, **kwargs: Any) -> Any:
    return one_integer(*args, **kwargs)


@same
def optional_string(city: str | None):
    """Look a city up.

    Args:
        city: The name of the city, or null
    """


@same
def typing_optional(nights: Optional[int] = None):  # noqa: UP045
    """Book a room.

    Args:
        nights: How many nights
    """


@same
def optional_among_others(city: str, nights: int | None, late: bool | None = None) -> str | None:
    """Book a room.

    Args:
        city: Where
        nights: How many nights
        late: Whether you arrive late

    Returns:
        The booking code, or null
    """


@same
def optional_union(x: int | str | None):
    """Show it.

    Args:
        x: A number, a text or null
    """


@same
def optional_union_with_a_list(x: int | list[int] | None = None):
    """Show it.

    Args:
        x: One number or more
    """


@same
def optional_list(xs: list[int] | None = None):
    """Sum them.

    Args:
        xs: The numbers
    """


@same
def list_of_optionals(xs: list[int | None]):
    """Sum them.

    Args:
        xs: The numbers
    """


@same
def optional_dict(d: dict[str, int] | None):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def dict_of_optionals(d: dict[str, str | None]):
    """Merge it.

    Args:
        d: The mapping
    """


@same
def tuple_of_optionals(pair: tuple[int | None, str | None] | None):
    """Swap it.

    Args:
        pair: A number and a name
    """


@same
def optional_literal(unit: Literal["celsius", "fahrenheit"] | None = None):
    """Read the thermometer.

    Args:
        unit: The unit
    """


@same
def optional_literal_with_none(unit: Optional[Literal["kelvin", None]]):  # noqa: UP045
    """Read the thermometer.

    Args:
        unit: The unit
    """


@same
def optional_enum(colour: Colour | None = None):
    """Paint it.

    Args:
        colour: The colour
    """


@same
def optional_of_anything(x: Optional[Any]):  # noqa: UP045
    """Echo it.

    Args:
        x: Whatever you like
    """


@same
def optional_with_choices(drink: str | None = None):
    """Order a drink.

    Args:
        drink: The drink (choices: ["tea", "coffee"])
    """


@same
def optional_in_a_string(nights: "int | None") -> "list[str] | None":
    """Book a room.

    Args:
        nights: How many nights
    """


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The checked `parameters` of a function's schema."""
    schema = function_schema(function)
    parameters: dict[str, Any] = schema["function"]["parameters"]
    assert schema_faults(schema) == []
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    return parameters


def schema_of(hint: Any) -> dict[str, Any]:
    """The checked schema of one annotation."""
    return parameters_of(with_hints({"x": hint}))["properties"]["x"]


def with_hints(hints: dict[str, Any], doc: str = "Do it.") -> Callable[..., Any]:
    """A function of those parameters, as an author would write it."""
    namespace: dict[str, Any] = {}
    exec(f"def tool({', '.join(hints)}): pass", namespace)
    namespace["tool"].__annotations__ = hints
    namespace["tool"].__doc__ = doc
    function: Callable[..., Any] = namespace["tool"]
    return function


def accepts(function: Callable[..., Any], **arguments: Any) -> bool:
    """Whether a call with these arguments passes."""
    return validator_of(parameters_of(function)).is_valid(arguments)
