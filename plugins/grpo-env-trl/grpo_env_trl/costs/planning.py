"""From settings to the cost of a training: look at it, rehearse a step where this machine can, compute the rest."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from grpo_env_sdk.ext import Split, UsageError
from grpo_env_trl import ranks
from grpo_env_trl.costs.advice import advice_of
from grpo_env_trl.costs.assumptions import assumptions_of
from grpo_env_trl.costs.cost_plan import CostPlan, MemoryPlan
from grpo_env_trl.costs.episode_costs import EpisodeCosts, of_preflight, of_rehearsal
from grpo_env_trl.costs.placement import Placement, placement_of
from grpo_env_trl.costs.rehearsal import NotMeasuredError, Progress, Rehearsed, rehearsed
from grpo_env_trl.costs.step_seconds import step_seconds
from grpo_env_trl.costs.step_sizes import StepSizes
from grpo_env_trl.launching.starting import gpu_count
from grpo_env_trl.preflight import preflight
from grpo_env_trl.preflight.disk import checkpoints_of
from grpo_env_trl.preflight.memory import GIB, NEAR, device_memory, needs_of, ways_to_save
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.setup.preparing import TrainingSetup, prepare

_ELSEWHERE = ("disk", "hub", "launcher", "memory", "packages", "vllm_server")
"""Checks of the preflight that are about the machines of the training, which may be others."""


def plan_of(settings: TrainSettings, progress: Progress, **given: Any) -> CostPlan:
    """The cost of a training with these settings; `given` are objects that `prepare` takes. Nothing is kept on disk."""
    if ranks.started_together() > 1:
        raise UsageError(
            "--plan looks at one process, and a launcher started several.",
            "Start it without a launcher, with --num-processes.",
        )
    placement = placement_of(settings, gpu_count)
    with TemporaryDirectory(prefix="grpo-env-plan-") as folder:
        setup = prepare(placement.settings, Path(folder) / "run", **given)
        preflight(setup, without=_ELSEWHERE)
        return _Planning(setup, placement, progress).plan()


class _Planning:
    def __init__(self, setup: TrainingSetup, placement: Placement, progress: Progress) -> None:
        self.setup = setup
        self.placement = placement
        self.progress = progress
        if setup.demo:
            setup.make_demo(progress)
        self.sizes = StepSizes.of(setup.args, placement.processes)
        self._set_arguments()
        self.planned = [PlannedTraining(setup, env) for env in setup.envs]

    def plan(self) -> CostPlan:
        why, found = self._not_measurable(), None
        if not why:
            try:
                found = rehearsed(self.setup, self.sizes, self.progress)
            except NotMeasuredError as exc:
                why = exc.message
        longest = self.setup.args.max_completion_length
        episode = of_rehearsal(found, longest) if found else of_preflight(self.planned, longest)
        heldout = 4 * self._heldout_rows()  # before and after, sampled and greedy
        crowd = self.placement.local if found and found.device == "cpu" else 1
        seconds = step_seconds(found, self.sizes, heldout, crowd) if found else None
        memory, count = self._memory(episode, found), checkpoints_of(self.setup.args)
        rows = found.rows if found else self.setup.row_count
        plan = CostPlan(
            self.setup.model_name, self.setup.env_name, self.sizes, self.placement.stage,
            self.sizes.steps(self.setup.args, rows), episode, seconds, why, found.device if found else "", memory,
            found.memory if found else None, heldout, count,
            memory.seen.checkpoint * count + memory.seen.saved if memory else 0.0, (), "",
        )  # fmt: skip
        notes = assumptions_of(episode, found, self.sizes, self.placement, self.setup.args)
        return replace(plan, assumptions=notes, advice=advice_of(plan, ways_to_save(self.planned[0])))

    def _set_arguments(self) -> None:
        """The arguments of one process of the training, with what this machine could not have been given."""
        setup, missing = self.setup, self.placement.missing
        args = copy.copy(setup.args)
        args.generation_batch_size = self.sizes.batch
        args.steps_per_generation = self.sizes.batch // self.sizes.micro
        args.use_vllm = args.use_vllm and not self.placement.served
        model_args = copy.copy(setup.model_args)
        for target, part in ((args, "grpo"), (model_args, "model_config")):
            for name, value in missing.get(part, {}).items():
                setattr(target, name, value)
        setup.args, setup.model_args = args, model_args

    def _not_measurable(self) -> str:
        """Why no step can be rehearsed here, or an empty text."""
        if self.placement.missing:
            return f"{self.placement.missing_flags} needs a GPU, and this machine has none"
        if self.setup.args.use_vllm and find_spec("vllm") is None:
            return "vLLM is not installed here"
        needs = needs_of(self.planned[0])
        if needs is None:
            return ""
        where, total, free = device_memory(self.setup.args)
        if needs.whole <= NEAR * free:
            return ""
        return (
            f"one process with the whole model needs {needs.whole / GIB:.1f} GiB, and {where} has {free / GIB:.1f} GiB "
            f"free of {total / GIB:.1f}"
        )

    def _memory(self, episode: EpisodeCosts, found: Rehearsed | None) -> MemoryPlan | None:
        args, first = self.setup.args, self.planned[0]
        seen = needs_of(first, episode.prompt, min(episode.completion, args.max_completion_length))
        most = needs_of(first, episode.prompt)
        if seen is None or most is None:
            return None
        shared = self.placement.stage, self.placement.processes
        if self.placement.served:  # the KV cache is theirs
            seen, most = (replace(needs, generation=0.0) for needs in (seen, most))
        device, total, free = device_memory(args)
        on_gpu = device != "this machine"
        vllm = args.vllm_gpu_memory_utilization * total if args.use_vllm and on_gpu else 0.0
        base = found.memory.base if found else 0.0
        return MemoryPlan(seen.shared(*shared), most.shared(*shared), device, total, free, base, vllm)

    def _heldout_rows(self) -> int:
        settings = self.setup.settings
        splits: Sequence[int] = [len(env.loaded.rows(cast(Split, settings.eval_split))) for env in self.setup.envs]
        return sum(min(rows, settings.eval_rows) for rows in splits)
