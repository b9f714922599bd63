"""The demo model: made on the spot from the solutions of one environment."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_trl.demo.demonstrations import demonstrate
from grpo_env_trl.demo.error_examples import told_mistakes
from grpo_env_trl.demo.model import CONTEXT, build_model
from grpo_env_trl.demo.tokenizer import USUAL, build_tokenizer
from grpo_env_trl.demo.warm_start import imitate, lesson_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

_LEEWAY = 3
"""How many times longer than any turn shown a turn may be, so that a model that forgets to stop is found out."""


@dataclass(frozen=True)
class DemoModel:
    """A model that knows the manner of an environment and not yet the choice, ready to be trained by GRPO."""

    model: "Qwen3ForCausalLM"
    tokenizer: "PreTrainedTokenizerFast"
    max_turn_tokens: int


def make_demo_model(
    loaded: LoadedEnv, rows: Rows, *, seed: int = 0, progress: Callable[[str, int, int], None] | None = None
) -> DemoModel:
    """A demo model for an environment that has `solve`; `progress` is told what is done, and how far."""
    told = progress or (lambda what, done, of: None)
    shown = demonstrate(loaded, rows, seed, told)
    said = [*shown.solved, *told_mistakes(loaded) * USUAL]
    tokenizer = build_tokenizer(said, loaded.tools, shown.values)
    model = build_model(tokenizer, seed)
    lesson = lesson_of(shown.aimless, loaded.tools, tokenizer, CONTEXT)
    imitate(model, lesson, seed, partial(told, "imitating"))
    return DemoModel(model, tokenizer, _LEEWAY * lesson.longest_turn)
