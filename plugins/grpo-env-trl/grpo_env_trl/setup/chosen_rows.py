"""The rows to train on where an evaluation says which: those whose pass rate is in a range."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from grpo_env_sdk import GrpoEnvWarning, Run, open_run
from grpo_env_sdk.ext import RowRates, Rows, UsageError, command_line, differences, row_rates
from grpo_env_trl import ranks
from grpo_env_trl.bridges.dataset import training_split
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.settings.config_words import config_words
from grpo_env_trl.setup.trained_env import TrainedEnv

KEY = "rows_of"
"""Where manifests and JSON have them."""
_FEW = 4
"""With fewer samples of a row, its pass rate says little."""
_NUMBERS = ("low", "high", "kept", "of", "below", "above", "unscored", "unplayed")
_TEXTS = ("run", "policy", "rate")


@dataclass(frozen=True)
class ChosenRows:
    """How many rows were kept by their rates in a run, and why the others were not."""

    run: str
    policy: str
    """Whose rates they are."""
    rate: str
    """`pass rate`, or `mean reward` where no reward is a pass."""
    low: float
    high: float
    kept: int
    of: int
    """How many rows there are to train on without the choice."""
    below: int
    above: int
    unscored: int
    unplayed: int

    def __str__(self) -> str:
        left_out = {
            "below": self.below, "above": self.above, "without a reward": self.unscored, "not played": self.unplayed,
        }  # fmt: skip
        told = ", ".join(f"{count} {why}" for why, count in left_out.items() if count)
        return (
            f"{self.kept} of {self.of} rows have a {self.rate} from {self.low:g} to {self.high:g} in {self.run} "
            f"({self.policy}){': ' * bool(told)}{told}."
        )

    def as_json(self) -> dict[str, Any]:
        """As manifests and JSON have them."""
        return asdict(self)

    @classmethod
    def of_run(cls, run: Run) -> "ChosenRows | None":
        """Those that a training keeps in its manifest; None where there are none."""
        kept = run.manifest["training"].get(KEY)
        sound = (
            isinstance(kept, dict)
            and kept.keys() == {*_NUMBERS, *_TEXTS}
            and all(isinstance(kept[name], int | float) for name in _NUMBERS)
            and all(isinstance(kept[name], str) for name in _TEXTS)
        )
        return cls(**kept) if sound else None


@dataclass(frozen=True)
class RowChoice:
    """The rates that choose rows, and the range that keeps one."""

    rates: RowRates
    low: float
    high: float
    again: str
    """The command that evaluates the rows to train on."""

    def among(self, trained: Rows) -> tuple[tuple[int, ...], ChosenRows]:
        """Those of the rows to train on that are in the range, in their order, and how many they are."""
        run, rates = self.rates.run, self.rates
        rates.check_contents(trained)
        known = {index: rates.by_row[index] for index in trained.indices if index in rates.by_row}
        if not known:
            split = run.manifest.get("split")
            what = f"{run.path} (split {split}) has none of the {len(trained)} rows to train on."
            raise UsageError(what, f"Evaluate those: {self.again}")
        within = {*rates.within(self.low, self.high)}
        indices = tuple(index for index in known if index in within)
        others = [rate for index, rate in known.items() if index not in within]
        unscored, below = len(rates.unscored & {*trained.indices}), sum(rate < self.low for rate in others)
        found = ChosenRows(
            str(run.path), str(run.manifest.get("policy")), rates.name, self.low, self.high, len(indices),
            len(trained), below, len(others) - below, unscored, len(trained) - len(known) - unscored,
        )  # fmt: skip
        if not indices:
            raise UsageError(f"--rows-of leaves no row to train on: {found}", self._ways_to_more)
        if rates.are_pass_rates and rates.samples < _FEW:
            warnings.warn(self._few_samples, GrpoEnvWarning, stacklevel=4)
        return indices, found

    @property
    def _ways_to_more(self) -> str:
        if self.rates.are_pass_rates and self.rates.samples == 1:
            return f"With one sample a pass rate is 0 or 1. Take more: {self.again}"
        return "Give a wider --pass-rate."

    @property
    def _few_samples(self) -> str:
        samples = self.rates.samples
        return (
            f"{self.rates.run.path} has {samples} sample{'s' * (samples != 1)} of a row: one that is solved half of "
            f"the time looks always or never solved in {2.0 ** (1 - samples):.0%} of cases. Take more: {self.again}"
        )


def row_choice_of(settings: TrainSettings, envs: Sequence[TrainedEnv]) -> RowChoice | None:
    """How rows are to be chosen, checked before a model is opened; None where they are not, or by another process."""
    if not _is_to_choose(settings) or settings.rows_of is None or settings.pass_rate is None or not ranks.is_first():
        return None
    if len(envs) > 1:
        what = f"--rows-of chooses rows of one environment, and {len(envs)} are trained on."
        raise UsageError(what, "Train on one of them.")
    env, (low, high) = envs[0], settings.pass_rate
    played = ("--model", settings.model or "M", "--split", training_split(env.loaded, settings.eval_rows), "-k", 8)
    again = command_line("eval", env.typed_name, *config_words(env.loaded.spec), *played)
    choice = RowChoice(row_rates(settings.rows_of), low, high, again)
    _check_run(choice, env)
    if choice.rates.are_pass_rates and (low < 0 or high > 1):
        raise UsageError(f"--pass-rate is {low:g},{high:g}, and a pass rate is from 0 to 1.", "Like 0.1,0.9.")
    return choice


def with_chosen_rows(
    settings: TrainSettings, env: TrainedEnv, choice: RowChoice | None
) -> tuple[TrainSettings, ChosenRows | None]:
    """The settings with the rows that the first process chooses, which `env` keeps; of a run that goes on its own."""
    if settings.resume:
        return settings, ChosenRows.of_run(open_run(settings.resume))
    if not _is_to_choose(settings):
        return settings, None

    def choose() -> tuple[tuple[int, ...], ChosenRows] | None:
        return choice.among(env.rows) if choice else None

    if made := ranks.from_first(choose) if ranks.started_together() > 1 else choose():
        indices, found = made
        env.keep(indices)
        sources = {**settings.sources, "rows": f"rows_of, {found.kept} of {found.of}"}
        return replace(settings, rows=indices, sources=sources), found
    return settings, None


def _is_to_choose(settings: TrainSettings) -> bool:
    """Whether rows are still to be chosen: a config keeps the list, and a run that goes on reads no other run."""
    return settings.rows_of is not None and settings.rows is None and not settings.resume


def _check_run(choice: RowChoice, env: TrainedEnv) -> None:
    """Raise where the run is of another environment or config, and warn where its code was another one."""
    run, spec = choice.rates.run, env.loaded.spec
    if run.manifest["env"] != spec.id:
        what = f"{run.path} is a run of {run.manifest['env']!r:.100}, not of {spec.id}."
        raise UsageError(what, f"Evaluate {spec.id}: {choice.again}")
    today = json.loads(json.dumps({"config": spec.config}, default=repr))
    if changed := differences({"config": run.manifest.get("config")}, today):
        what = f"{run.path} was played with another config: {'; '.join(changed)}."
        raise UsageError(what, f"Evaluate this one: {choice.again}")
    code = {"env_version": spec.version, "source_hash": spec.source_hash}
    if changed := differences({key: run.manifest.get(key) for key in code}, code):
        again = command_line("rescore", run.path)
        what = f"{run.path} was scored by other code: {'; '.join(changed)}. With the scores of today: {again}"
        warnings.warn(what, GrpoEnvWarning, stacklevel=4)
