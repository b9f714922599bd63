"""The metrics of an evaluation, updated episode by episode: what `eval` prints and `summary.json` keeps."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from grpo_env_sdk.data.messages import raw_text
from grpo_env_sdk.evaluation.columns import cluster_in
from grpo_env_sdk.evaluation.stats import ROUNDING, Mean, least_passing, mean_of, pass_all, pass_at, percentile
from grpo_env_sdk.evaluation.written_ranges import read_range
from grpo_env_sdk.isolation.calls.tracebacks import place_in
from grpo_env_sdk.isolation.values.error_text import cut
from grpo_env_sdk.rewards.reward import Range
from grpo_env_sdk.runs.record_shapes import as_label
from grpo_env_sdk.types import Episode, Fault

_ByRow = dict[tuple[str, int], list[float]]
"""Values by row: by environment, of which a training may have several, and index."""
_lists: "partial[defaultdict[Any, list[Any]]]" = partial(defaultdict, list)
"""Not a lambda, which cannot be pickled."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million prompt tokens and of a million completion tokens."""

    prompt: float = 0.0
    completion: float = 0.0


@dataclass
class Metrics:
    """Keeps a few numbers of each episode, and computes means, shares and percentiles from them when asked."""

    reward_range: Range = (0.0, 1.0)
    pass_at: float | None = None
    by: str | None = None
    prices: Prices | None = None
    part_ranges: Mapping[str, Range] = field(default_factory=dict)
    cluster: str | None = None
    episodes: int = 0
    out_of_range: int = 0
    _rows: set[tuple[str, int]] = field(default_factory=set)
    _rewards: _ByRow = field(default_factory=_lists)
    _parts: dict[str, _ByRow] = field(default_factory=partial(defaultdict, _lists))
    _abstained: dict[str, Counter[str]] = field(default_factory=dict)
    _groups: dict[str, _ByRow] = field(default_factory=partial(defaultdict, _lists))
    _metrics: dict[str, _ByRow] = field(default_factory=partial(defaultdict, _lists))
    _cluster_of: dict[tuple[str, int], str] = field(default_factory=dict)
    _stops: Counter[str] = field(default_factory=Counter)
    _errors: Counter[str] = field(default_factory=Counter)
    _examples: dict[str, str] = field(default_factory=dict)
    _usage: Counter[str] = field(default_factory=Counter)
    _turns: int = 0
    _calls: int = 0
    _failed_calls: int = 0
    _characters: int = 0
    _seconds: list[float] = field(default_factory=list)
    _retries: Counter[str] = field(default_factory=lambda: Counter(episodes=0, tries=0))

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> "Metrics":
        """Empty metrics, with the ranges and the options that a run's manifest has."""
        plan, parts = manifest.get("plan", {}), manifest.get("part_ranges", {})
        prices = plan.get("prices")
        return cls(
            read_range(manifest.get("reward_range")), plan.get("pass_at"), plan.get("by"),
            Prices(**prices) if prices else None,
            {name: read_range(ends) for name, ends in parts.items()}, plan.get("cluster"),
        )  # fmt: skip

    def add(self, episode: Episode) -> None:
        """Count one more episode."""
        self.episodes += 1
        self._rows.add((episode.env, episode.row_index))
        self._stops[episode.stop_reason] += 1
        self._turns += episode.turns
        self._calls += len(episode.tool_calls)
        self._failed_calls += sum(call["error"] is not None for call in episode.tool_calls)
        self._characters += len(raw_text(episode.completion))
        self._usage.update(episode.usage)
        self._retries.update(episodes=bool(episode.env_retries), tries=episode.env_retries)
        self._seconds.append(sum(episode.timings.values()))
        for name, value in episode.metrics.items():
            self._metrics[name][episode.env, episode.row_index].append(value)
        for name, given in episode.rewards.items():
            counts = self._abstained.setdefault(name, Counter(episodes=0, of=0))
            counts.update(episodes=given is None, of=1)
        if episode.error:
            cause = as_label(f"{episode.error.whose} {episode.error.stage}: {episode.error.type}")
            self._errors[cause] += 1
            self._examples.setdefault(cause, _example(episode.row_index, episode.error))
        if episode.reward is not None:
            self._add_reward(episode, episode.reward)

    def _add_reward(self, episode: Episode, reward: float) -> None:
        row, (low, high) = (episode.env, episode.row_index), self.reward_range
        self.out_of_range += not low - ROUNDING <= reward <= high + ROUNDING
        self._rewards[row].append(reward)
        for name, value in episode.rewards.items():
            if value is not None:
                self._parts[name][row].append(value)
        if (cluster := cluster_in(episode.row, self.cluster)) is not None:
            self._cluster_of[row] = cluster
        if self.by is not None:
            self._groups[as_label(str(episode.row.get(self.by)))][row].append(reward)

    @property
    def reward(self) -> Mean:
        """The mean reward so far."""
        return self._mean_of(self._rewards, self.reward_range)

    @property
    def scored(self) -> int:
        """How many episodes have a reward."""
        return sum(map(len, self._rewards.values()))

    @property
    def errors(self) -> Mapping[str, int]:
        """Failed episodes by cause, the most frequent first."""
        return dict(self._errors.most_common())

    @property
    def abstained(self) -> dict[str, dict[str, int]]:
        """By named reward, in how many `episodes` it abstained, `of` those that it could have judged."""
        return {name: dict(counts) for name, counts in self._abstained.items()}

    def summary(self) -> dict[str, Any]:
        """All metrics as plain data, with the keys that `eval --json` prints."""
        return {
            "episodes": self.episodes,
            "scored": self.scored,
            "rows": len(self._rows),
            "scored_rows": len(self._rewards),
            "reward": self.reward.as_json(),
            "rewards": {
                name: self._mean_of(rows, self.part_ranges.get(name)).as_json() for name, rows in self._parts.items()
            },
            "abstained": self.abstained,
            **self._passes(),
            "zero_spread_share": self._zero_spread(),
            "out_of_range": self.out_of_range,
            "stop_reasons": dict(self._stops.most_common()),
            "errors": dict(self.errors),
            "error_examples": self._examples,
            "env_retries": dict(self._retries),
            "turns": self._per_episode(self._turns),
            "tool_calls": {
                "mean": self._per_episode(self._calls),
                "failed_share": self._failed_calls / self._calls if self._calls else None,
            },
            "tokens": dict(self._usage),
            "characters": self._per_episode(self._characters),
            "seconds": {f"p{share}": percentile(self._seconds, share / 100) for share in (50, 90, 99)},
            "metrics": {name: _plain_mean(map(_plain_mean, rows.values())) for name, rows in self._metrics.items()},
            **self._optional(),
        }  # fmt: skip

    def _optional(self) -> dict[str, Any]:
        """What the summary has only when it was asked for."""
        found: dict[str, Any] = {}
        if self.by is not None:
            groups = sorted(self._groups.items())
            found["by"] = {
                "column": as_label(self.by),
                "groups": {
                    name: self._mean_of(rows, self.reward_range).as_json() | {"n": len(rows)} for name, rows in groups
                },
            }
        if self.cluster is not None:
            alone = sum(row not in self._cluster_of for row in self._rewards)
            found["cluster"] = {"column": as_label(self.cluster), "n": len({*self._cluster_of.values()}) + alone}
        if self.prices is not None:
            cost = self._usage["prompt_tokens"] * self.prices.prompt
            cost += self._usage["completion_tokens"] * self.prices.completion
            found["cost"] = cost / 1e6 if self._usage else None
        return found

    def _mean_of(self, rows: _ByRow, bounds: Range | None) -> Mean:
        return mean_of(rows, bounds, cluster_of=self._cluster_of)

    def _per_episode(self, total: int) -> float | None:
        return total / self.episodes if self.episodes else None

    def _passes(self) -> dict[str, Any]:
        """pass@k and pass^k for powers of two, and for the most scored samples that a row has.

        Each is over the rows with k scored samples. There is none where no reward is the highest.
        """
        least = least_passing(self.reward_range, self.pass_at)
        found: dict[str, Any] = {"pass_at_k": {}, "pass_all_k": {}, "pass_rows": {}}
        if least is None:
            return found
        counted = [(len(rewards), sum(r >= least for r in rewards)) for rewards in self._rewards.values()]
        most = max((n for n, _ in counted), default=0)
        for k in sorted({k for k in (1, 2, 4, 8, 16, 32, 64, most) if 0 < k <= most}):
            enough = [(n, c) for n, c in counted if n >= k]
            found["pass_at_k"][str(k)] = sum(pass_at(k, n, c) for n, c in enough) / len(enough)
            found["pass_all_k"][str(k)] = sum(pass_all(k, n, c) for n, c in enough) / len(enough)
            found["pass_rows"][str(k)] = len(enough)
        return found

    def _zero_spread(self) -> float | None:
        """The share of groups without spread: all samples of the row have the same reward."""
        groups = [rewards for rewards in self._rewards.values() if len(rewards) > 1]
        return sum(max(g) - min(g) < ROUNDING for g in groups) / len(groups) if groups else None


def _plain_mean(values: Iterable[float]) -> float:
    """The mean of values of which some may be infinite, or no number."""
    found = list(values)
    return sum(found) / len(found)


def _example(row: int, fault: Fault) -> str:
    """`row 3: no such city (hotel.py:31)`, with the place unless the message names it."""
    message, place = cut(" ".join(fault.message.split()), 200), place_in(fault.traceback)
    return f"row {row}: {message}" + (f" ({place})" if place and f"({place})" not in message else "")
