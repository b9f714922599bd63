"""Which bridge connects an environment to the trainer, and what each of them cannot do."""

from typing import Any

from grpo_env_sdk.ext import LoadedEnv, Rows, UsageError, did_you_mean
from grpo_env_trl import trl_batching
from grpo_env_trl.bridges.dataset import shows_images
from grpo_env_trl.bridges.trl_tool_loop import LOOPS, check_loop
from grpo_env_trl.settings.flags import BRIDGES
from grpo_env_trl.tokens.tokenizers import text_tokenizer


def bridge_for(bridge: str, args: Any, tokenizer: Any, loaded: LoadedEnv, rows: Rows) -> str:
    """The bridge of a training with these arguments."""
    batching = args.use_transformers_continuous_batching
    served = batching or (args.use_vllm and args.vllm_mode == "server")  # TRL samples the turns of one call together
    template = tokenizer is None or text_tokenizer(tokenizer).chat_template  # that of the demo model comes later
    if bridge == "auto" and served and template and not shows_images(rows):
        bridge = "rollout"
    chosen = choose_bridge(bridge, loaded, rows)
    if batching and chosen != "rollout":
        trl_batching.refuse_bridge(chosen, loaded.spec.id, shows_images(rows))
    return chosen


def choose_bridge(bridge: str, loaded: LoadedEnv, rows: Rows) -> str:
    """The given bridge, or for `auto` the one that fits; an error if it does not support the environment."""
    if bridge not in BRIDGES:
        raise UsageError(f"No bridge named {bridge!r}.", did_you_mean(bridge, BRIDGES) or "Use 'auto'.")
    name, one_turn, images = loaded.spec.id, loaded.traits.kind == "single-turn", shows_images(rows)
    if images and not one_turn:
        raise UsageError(
            f"{name} shows images in an episode of several turns, which cannot be trained on.",
            "TRL takes images from the prompts of one-turn environments alone; eval plays this one.",
        )
    shows_tools = bool(loaded.tools) or loaded.traits.tools_of_rows
    if loaded.traits.tools_of_rows and (images or bridge not in ("auto", "rollout")):
        raise UsageError(
            f"Each row of {name} has tools of its own, which only the rollout bridge shows to the model.",
            "It takes no images: leave them out." if images else "Use bridge='rollout' (--bridge rollout), or 'auto'.",
        )
    if bridge == "auto":
        return "native" if images or (one_turn and not shows_tools and not loaded.traits.has_view) else "rollout"
    if bridge != "rollout" and loaded.traits.has_view:
        raise UsageError(f"{name} has a view, which only the rollout bridge asks what the model reads.", "Use 'auto'.")
    if bridge == "native" and not one_turn:
        raise UsageError(f"{name} has several turns, which the native bridge does not support.", "Use 'auto'.")
    if bridge == "rollout" and images:
        raise UsageError(f"{name} shows images, which only the native bridge supports.", "Use 'auto'.")
    if bridge in LOOPS:
        check_loop(bridge, loaded)
    return bridge


def check_mixing_bridge(bridge: str) -> None:
    """Raise for a bridge that trains on one environment only."""
    if bridge not in ("auto", "rollout"):
        raise UsageError(
            f"The bridge {bridge!r} trains on one environment, and there are several.",
            "Leave it out, or use 'rollout'.",
        )


def check_mixes(loaded: LoadedEnv, rows: Rows) -> None:
    """Raise for an environment that cannot be one of several in a training."""
    if shows_images(rows):
        raise UsageError(
            f"{loaded.spec.id} shows images, which cannot be trained on together with another environment.",
            "Train on it alone.",
        )
