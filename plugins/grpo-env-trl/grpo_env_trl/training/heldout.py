"""The evaluation of held-out rows before and after training: sampled as in training, and greedy."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from grpo_env_sdk import Episode, Limits, Sampling, open_run
from grpo_env_sdk.ext import (
    EvalPlan,
    Evaluator,
    LiveModel,
    LoadedEnv,
    Metrics,
    PolicySpec,
    Rows,
    Split,
    create_run,
    run_coroutine,
)
from grpo_env_trl import ranks
from grpo_env_trl.asynchronous.served_model import ServedModel
from grpo_env_trl.inference.borrow_model import lent, sharded_for
from grpo_env_trl.inference.local_policy import LocalPolicy
from grpo_env_trl.inference.policy import TransformersPolicy
from grpo_env_trl.inference.sampling_params import SamplingParams
from grpo_env_trl.live_episodes import at_once
from grpo_env_trl.progress import Progress
from grpo_env_trl.training.heldout_lockstep import LockstepAnswers

Seen = Callable[[Episode, Metrics], None]
GREEDY = "-greedy"


@dataclass(frozen=True)
class Heldout:
    """Which rows are evaluated, with the limits and the sampling of the training."""

    loaded: LoadedEnv
    split: Split
    rows: Rows
    limits: Limits
    sampling: SamplingParams
    seed: int
    samples: int = 1
    """Sampled completions per row."""
    trained_on: int = 0
    """How many of the rows are trained on."""

    @property
    def possible(self) -> bool:
        """Whether there are rows."""
        return len(self.rows) > 0

    @property
    def called(self) -> str:
        """What the rows are called: no row that is trained on is held out."""
        return "" if self.trained_on else "held-out "

    def measure(self, model: Any, tokenizer: Any, folder: Path, shown: Progress, trainer: Any = None) -> dict[str, Any]:
        """The mean reward, sampled with its interval and greedy; `folder` keeps the runs.

        `model` may be one on a server. `trainer` is given where a forward pass of the model needs every process.
        """
        sampled = self._evaluate(model, tokenizer, folder, self.sampling.temperature, shown, trainer)
        return result_of(sampled, self._evaluate(model, tokenizer, greedy_beside(folder), 0.0, shown, trainer))

    def sample(self, model: Any, tokenizer: Any, folder: Path, shown: Progress) -> None:
        """Sample answers to these rows; `folder` keeps the run."""
        self._evaluate(model, tokenizer, folder, self.sampling.temperature, shown, None)

    def gold(self, model: Any, tokenizer: Any) -> list[Episode]:
        """The episodes of the environment's own solutions on these rows; their scorer has the model."""
        plan = EvalPlan(split=self.split, rows=len(self.rows), limits=self.limits, samples=self.samples)
        live = TransformersPolicy(model, tokenizer).live_model
        episodes: list[Episode] = []
        work = Evaluator(self.loaded, plan, live_model=live, rows=self.rows)
        run_coroutine(work.run(None, lambda episode, tally: episodes.append(episode)))
        return episodes

    def _evaluate(
        self, model: Any, tokenizer: Any, folder: Path, temperature: float, shown: Progress, trainer: Any
    ) -> dict[str, Any]:
        rounds = LockstepAnswers(trainer) if trainer else None
        policy = self._policy(model, tokenizer, f"model {folder.name}", rounds, trainer)
        plan = EvalPlan(
            policy=PolicySpec(policy.name), split=self.split, rows=len(self.rows), limits=self.limits,
            samples=self.samples if temperature else 1, sampling=Sampling(temperature=temperature, seed=self.seed),
            concurrency=at_once(self.loaded, EvalPlan.concurrency),
        )  # fmt: skip
        live = LiveModel(sharded_for(self.loaded), tokenizer) if rounds else None
        work = Evaluator(self.loaded, plan, policy, live, rounds.writer.when_quiet if rounds else None, self.rows)
        what = f"{self.called}rows {folder.name.removesuffix(GREEDY)}, {'sampled' if temperature else 'greedy'}"
        of, done, count_one = len(work.jobs), 0, ranks.counter_of_all(str(folder))
        shown(what, 0, of)

        def seen(episode: Episode, tally: Metrics) -> None:
            nonlocal done
            done = count_one()
            shown(what, done, of)

        with nullcontext() if isinstance(model, ServedModel) else lent(model):
            if ranks.started_together() == 1:
                return _written(work, folder, (), seen)
            whole = Evaluator(self.loaded, plan, policy, live, rows=self.rows)
            episodes = _shared(work, seen, rounds.play if rounds else _play)
            if done < of:
                shown(what, of, of)
            return ranks.from_first(partial(_written, whole, folder, episodes))

    def _policy(
        self, model: Any, tokenizer: Any, name: str, rounds: LockstepAnswers | None, trainer: Any
    ) -> LocalPolicy:
        if isinstance(model, ServedModel):
            return model.policy(tokenizer, name, self.sampling)
        return TransformersPolicy(
            model, tokenizer, name=name, usual=self.sampling, notes=False,
            answered_by=rounds.of if rounds else None, device=trainer.accelerator.device if trainer else None,
        )  # fmt: skip


def _shared(work: Evaluator, seen: Seen, play: Callable[[Evaluator, Seen], None]) -> list[Episode]:
    """The episodes of all rows in their order, in every process; each has played its share of them."""
    work.jobs = work.jobs[ranks.rank() :: ranks.started_together()]
    mine: list[Episode] = []

    def keep(episode: Episode, tally: Metrics) -> None:
        mine.append(episode)
        seen(episode, tally)

    play(work, keep)
    return sorted(chain(*ranks.of_all(mine)), key=lambda episode: (episode.row_index, episode.sample))


def _play(work: Evaluator, seen: Seen) -> None:
    """Play the episodes of this process, which waits for no other."""
    run_coroutine(work.run(None, seen))


def _written(work: Evaluator, folder: Path, played: Iterable[Episode], seen: Seen | None = None) -> dict[str, Any]:
    """The summary of a run in `folder` with the episodes that were played, and those that are missing played now."""
    shutil.rmtree(folder, ignore_errors=True)  # left by a training that was stopped during the evaluation
    with create_run(folder, work.manifest()) as writer:
        for episode in played:
            writer.append(episode)
        return run_coroutine(work.run(writer, seen)).summary


def result_of(sampled: Mapping[str, Any], greedy: Mapping[str, Any]) -> dict[str, Any]:
    """The mean rewards of two summaries, how many of their rows have one, and why the others have none."""
    causes = sum((Counter(one.get("errors", {})) for one in (sampled, greedy)), Counter[str]())
    return {
        **sampled["reward"], "greedy": greedy["reward"]["mean"],
        "rows": sampled["episodes"], "scored": sampled["scored"], "greedy_scored": greedy["scored"],
        "errors": dict(causes.most_common()),
        "error_examples": {**greedy.get("error_examples", {}), **sampled.get("error_examples", {})},
    }  # fmt: skip


def earlier_result(folder: Path) -> dict[str, Any] | None:
    """The result of an earlier `measure`, or None where it did not finish."""
    paths = folder, greedy_beside(folder)
    if not all((path / "summary.json").exists() for path in paths):
        return None
    sampled, greedy = (open_run(path).summary() or {} for path in paths)
    if not all({"reward", "episodes", "scored"} <= found.keys() for found in (sampled, greedy)):
        return None
    return result_of(sampled, greedy)


def greedy_beside(folder: Path) -> Path:
    """The folder of the greedy answers to the rows that the run in `folder` has as sampled."""
    return folder.with_name(folder.name + GREEDY)
