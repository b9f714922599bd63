"""The tokenizer of an environment: given, opened by the name of its model, or a stand-in."""

from dataclasses import dataclass
from typing import Any

from grpo_env_sdk.data.rows import Rows, Split, build_rows
from grpo_env_sdk.envs.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.errors import DatasetError, GrpoEnvError, UsageError
from grpo_env_sdk.isolation.author_code.arguments import reads
from grpo_env_sdk.registry.plugins import call_each_by_name
from grpo_env_sdk.types import STAND_IN


@dataclass(frozen=True, slots=True)
class TokenizerOf:
    """The tokenizer of a model, by hub id, folder or run; it is opened only where something reads it."""

    model: str
    optional: bool = False
    """Whether there may be none, as for a model whose plugin opens no tokenizers."""


def opened(tokenizer: Any) -> Any:
    """The tokenizer of a name, from the plugin that opens models; anything else is a tokenizer already, or None."""
    named = TokenizerOf(tokenizer) if isinstance(tokenizer, str) else tokenizer
    if not isinstance(named, TokenizerOf):
        return named
    if named.model == STAND_IN:
        return StandInTokenizer()
    for _, found in call_each_by_name("grpo_env_open_tokenizer", named.model, lambda name: {"name": name}):
        return found
    if named.optional:
        return None
    raise UsageError(
        f"No installed plugin opens the tokenizer of {named.model!r}.",
        "The trainer plugin does: pip install grpo-env-trl",
    )


def rows_with_tokenizer(env: Any, tokenizer: Any, split: Split) -> tuple[Rows, Any]:
    """The rows and the tokenizer that built them: the given one, or a stand-in where None is not enough."""
    try:
        return build_rows(env, tokenizer, split), tokenizer
    except DatasetError as exc:
        if tokenizer is not None or exc.__cause__ is None or not reads(env.build_dataset, 0):
            raise
        stand_in = StandInTokenizer()
        try:
            return build_rows(env, stand_in, split), stand_in
        except GrpoEnvError:
            raise exc from exc.__cause__


def name_of_tokenizer(tokenizer: Any) -> str | None:
    """What manifests call a tokenizer: the hub id or folder that it is from, else its type."""
    return None if tokenizer is None else getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__
