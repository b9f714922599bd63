"""How an environment is checked; imports nothing heavy, as every process of the checks reads it."""

from dataclasses import dataclass
from typing import Literal

Effort = Literal["quick", "default", "thorough"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How thoroughly, on how many rows, and with which seed an environment is checked."""

    effort: Effort = "default"
    rows: int | None = None
    seed: int = 0
    call_seconds: float = 10.0
    build_seconds: float = 50.0
    """The limit for the constructor and for building the rows; some sound environments read a lot."""
    origin: str = ""
    """The working directory of the command; checks run in one of their own."""
    user_model: str | None = None
    """Who speaks for a `ModelUser`; None asks nobody: a stand-in answers."""
    user_base_url: str | None = None
    model: str | None = None
    """The model whose chat template is checked, whose tokenizer builds rows, and which scorers may use."""
