"""A box of two tools, calls of it, and the error that is sent to the model."""

import dataclasses
import datetime
import json
from typing import Any, Literal

import pydantic

from grpo_env_sdk.tools.toolbox import Toolbox
from grpo_env_sdk.types import ToolCall, ToolOutcome


@dataclasses.dataclass
class Guest:
    name: str
    born: datetime.date | None = None


class Room(pydantic.BaseModel):
    beds: int

    @pydantic.field_validator("beds")
    @classmethod
    def even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("odd numbers of beds do not exist here")
        return value


def search_hotels(city: str, stars: int | None = 1, order: Literal["price", "stars"] = "price") -> Any:
    """Find hotels."""
    return {"city": city, "stars": stars, "order": order}


def book_room(guests: list[Guest], nights: int, note: str | None) -> str:
    """Book a room."""
    return f"{', '.join(guest.name for guest in guests)}: {nights} nights, {note}"


BOX = Toolbox([search_hotels, book_room])


def run(box: Toolbox, name: str, arguments: Any = None, /, **given: Any) -> ToolOutcome:
    return box.run(ToolCall("1", name, given if arguments is None else arguments))


def error(outcome: ToolOutcome) -> dict[str, Any]:
    """The error that is sent to the model, checked to be whole."""
    told = json.loads(outcome.content)["error"]
    assert told["type"] == outcome.error
    assert told["message"]
    return {key: value for key, value in told.items() if key != "type"}


def refusal(box: Toolbox, kind: str, name: str, arguments: Any = None, /, **given: Any) -> dict[str, Any]:
    outcome = run(box, name, arguments, **given)
    assert outcome.error == kind, outcome.content
    return error(outcome)


def schema(name: str = "look", **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}
