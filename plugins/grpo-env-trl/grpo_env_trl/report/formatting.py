"""Numbers and transcripts of a training for the terminal."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk import Episode, Message
from grpo_env_sdk.ext import call_text, readable_text

_CUT = 300
_BARS = "▁▂▃▄▅▆▇█"


def step_facts(logs: Mapping[str, Any]) -> dict[str, str]:
    """The most important metrics of a step, in the order in which people look for them."""
    logs = numbers(logs)
    reward = f"{logs['reward']:z.3f} (spread {logs.get('reward_std', 0.0):z.3f})" if "reward" in logs else "none"
    facts = {"reward": reward}
    parts = {
        name.removeprefix("rewards/").removesuffix("/mean"): value
        for name, value in logs.items()
        if name.startswith("rewards/") and name.endswith("/mean") and name != "rewards/score/mean"
    }
    if parts:
        facts["parts"] = ", ".join(f"{name} {value:z.2f}" for name, value in parts.items())
    if "kl" in logs:
        facts["kl"] = f"{logs['kl']:.4f}"
    length = logs.get("completions/mean_length", logs.get("sample/trained_tokens_mean"))  # of the asynchronous trainer
    if length is not None:
        facts["tokens"] = f"{length:.0f}"
    if logs.get("frac_reward_zero_std"):
        facts["groups without spread"] = f"{logs['frac_reward_zero_std']:.0%}"
    if logs.get("episodes/failed"):
        facts["failed"] = f"{logs['episodes/failed']:.0%}"
    if "step_time" in logs:
        facts["seconds"] = _split(logs)
    return facts


def numbers(logs: Mapping[str, Any]) -> dict[str, float]:
    """The logged metrics that are finite numbers; a column in which every reward abstained is not one."""
    return {
        name: value
        for name, value in logs.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }


def best_episode_text(episode: Episode, step: int) -> str:
    """The transcript of the best episode of a step in a few lines."""
    return episode_text(f"best episode of step {step}, row {episode.row_index}", episode)


def episode_text(title: str, episode: Episode) -> str:
    """A transcript below its title and reward."""
    lines = [f"--- {title}: {reward_text(episode)} ({episode.stop_reason})"]
    return "\n".join([*lines, *(f"    {line}" for line in message_lines(episode.messages))])


def reward_text(episode: Episode) -> str:
    """The reward of an episode as text."""
    return "no reward" if episode.reward is None else f"reward {episode.reward:z.2f}"


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """A curve in one line of text; each character shows the mean of some values."""
    size = max(1, -(-len(values) // width))
    means = [sum(part) / len(part) for part in (values[at : at + size] for at in range(0, len(values), size))]
    low, high = min(means), max(means)
    return "".join(_BARS[round((mean - low) / (high - low) * (len(_BARS) - 1)) if high > low else 3] for mean in means)


def printable(text: str) -> str:
    """The text of a line without control characters, which could steer a terminal."""
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def message_lines(messages: Sequence[Message]) -> list[str]:
    """A transcript with one line per message; long ones are cut."""
    return [f"{message['role']}: {_said(message)}" for message in messages]


def _split(logs: Mapping[str, Any]) -> str:
    names = {"generation": "model", "environment": "environment", "other processes": "ranks"}
    parts = {name: logs.get(f"time/{metric}", 0.0) for name, metric in names.items()}
    whole = logs["step_time"]
    parts["learning"] = max(0.0, whole - sum(parts.values()))
    return f"{whole:z.2f} ({', '.join(f'{name} {part:z.2f}' for name, part in parts.items() if part >= 0.005)})"


def _said(message: Message) -> str:
    text = readable_text(message.get("content"))
    calls = [f"-> {call_text(call)}" for call in message.get("tool_calls", ())]
    told = " ".join([*text.split(), *calls])
    told = printable(told)
    return told if len(told) <= _CUT else f"{told[:_CUT]}..."
