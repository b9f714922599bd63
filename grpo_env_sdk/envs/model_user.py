"""`ModelUser`: a model that speaks for the user. Data only: the driver asks the model, never the environment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.data.plain_data import plain_data
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.types import Message, Row

END = "###STOP###"


@dataclass(frozen=True, slots=True)
class UserPrompt:
    """What the model that speaks for the user is to be in one episode, and what it says to end it."""

    text: str
    end: str = END
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True)
class ModelUser:
    """A model that speaks for the user of a `ToolEnv`, as its class attribute `user`.

    ```python
    class Shop(ToolEnv):
        user = ModelUser("openai:gpt-4o-mini", "You are {name}. You want {wish}. Say ###STOP### when it is done.")
    ```

    Args:
        policy: A name as after `--model`, a function, or an object with a name and an async `respond`; or
            `--user-model` names it.
        prompt: The model's system message: a text with columns of the row in braces, or a function of the row.
        end: What the model says to end the episode.
        base_url: The server of an `openai:` policy.
        temperature: How it samples; None leaves that to the policy.
        max_tokens: The most tokens of an answer.
    """

    policy: Any = None
    prompt: str | Callable[[Row], str] = ""
    end: str = END
    base_url: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.prompt, str) or callable(self.prompt)):
            raise ContractError(
                f"ModelUser got {short_repr(self.prompt)} as its prompt.", "Give a text, or a function of the row."
            )
        if not isinstance(self.end, str) or not self.end.strip():
            raise ContractError(f"ModelUser got {short_repr(self.end)} as its end.", f"Give a mark such as {END!r}.")

    def prompt_for(self, row: Row) -> UserPrompt:
        """What the model is to be in the episode of a row."""
        text = self.prompt(row) if callable(self.prompt) else self._filled(self.prompt, row)
        if not isinstance(text, str) or not text.strip():
            raise ContractError(
                f"The prompt of the ModelUser is {short_repr(text)}.", "Write one: ModelUser(policy, prompt)."
            )
        return UserPrompt(*plain_data((text, self.end, self.temperature, self.max_tokens)))

    def _filled(self, text: str, row: Row) -> str:
        try:
            return text.format_map(row)
        except (KeyError, ValueError, IndexError, AttributeError, TypeError) as exc:
            raise ContractError(
                f"The prompt of the ModelUser names {exc}, and the row has {', '.join(row)}.",
                "Name columns in braces, write other braces twice, or give a function of the row.",
            ) from exc


def someone_spoke(opening: Sequence[Message]) -> bool:
    """Whether an opening has more than rules for the assistant, so that the user need not speak first."""
    return any(message["role"] not in ("system", "developer") for message in opening)
