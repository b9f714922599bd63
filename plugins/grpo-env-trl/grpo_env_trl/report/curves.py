"""Every logged metric of a training, grouped into plots."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpo_env_sdk.ext import Plot

LINES = 6
_TELLING = {
    "Reward": ("reward",),
    "Parts of the reward": ("rewards/",),
    "Spread of the rewards": ("reward_std", "frac_reward_zero_std"),
    "How episodes ended": ("stop/", "failed/"),
    "Turns and tool calls per episode": ("episodes/",),
    "Seconds per step": ("step_time", "time/"),
    "The environment's own metrics": ("env/",),
    "Weights of the environments": ("weight/",),
    "Tokens per completion": ("completions/mean_length", "completions/max_length"),
}
_LEFT_OUT = ("step", "epoch", "num_tokens", "rewards/score/mean")


def curves(history: Sequence[Mapping[str, Any]]) -> tuple[list[Plot], list[Plot]]:
    """The main plots, and those of all other logged metrics by name."""
    logged = dict.fromkeys(name for entry in history for name in entry)
    names = [name for name in sorted(logged) if name not in _LEFT_OUT and not name.endswith("/std")]
    telling: list[Plot] = []
    placed: set[str] = set()
    for title, wanted in _TELLING.items():
        found = [
            name for name in names if any(name == one or (one[-1] == "/" and name.startswith(one)) for one in wanted)
        ]
        placed.update(found)
        telling += _plots(title, found, history)
    groups: dict[str, list[str]] = {}
    for name in names:
        if name not in placed:
            groups.setdefault(name.partition("/")[0], []).append(name)
    return telling, [plot for title, found in groups.items() for plot in _plots(title, found, history)]


def _plots(title: str, names: Sequence[str], history: Sequence[Mapping[str, Any]]) -> Iterator[Plot]:
    for start in range(0, len(names), LINES):
        lines = {_short(name): _line(name, history) for name in names[start : start + LINES]}
        yield Plot(title if not start else f"{title} (more)", lines, x="step")


def _line(name: str, history: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [
        (float(entry["step"]), float(entry[name]))
        for entry in history
        if entry.get(name) == entry.get(name) is not None
    ]


def _short(name: str) -> str:
    return name.partition("/")[2].removesuffix("/mean") or name
