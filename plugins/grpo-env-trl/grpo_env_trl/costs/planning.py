"""From settings to the cost of a training: look at it, rehearse a step where this machine can, compute the rest."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grpo_env_sdk.ext import UsageError
from grpo_env_trl import ranks
from grpo_env_trl.bridges.mixture_draws import steps_of
from grpo_env_trl.checks.episode_tokens import rendered_prompt
from grpo_env_trl.costs.advice import advice_of
from grpo_env_trl.costs.assumptions import assumptions_of
from grpo_env_trl.costs.async_steps import AsyncSteps, Prompts
from grpo_env_trl.costs.cost_plan import CostPlan, MemoryPlan
from grpo_env_trl.costs.episode_costs import EpisodeCosts, of_preflight, of_rehearsal
from grpo_env_trl.costs.placement import Placement, placement_of
from grpo_env_trl.costs.rehearsal import NotMeasuredError, Rehearsed, rehearsed
from grpo_env_trl.costs.served_playing import ServedPlaying, served_playing
from grpo_env_trl.costs.step_seconds import StepSeconds, at_server, overlapping, step_seconds
from grpo_env_trl.costs.step_sizes import StepSizes
from grpo_env_trl.launching.starting import gpu_count
from grpo_env_trl.preflight import preflight
from grpo_env_trl.preflight.asynchronous import ZERO_3
from grpo_env_trl.preflight.disk import checkpoints_of
from grpo_env_trl.preflight.memory import GIB, NEAR, Needs, device_memory, needs_of, ways_to_save
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.progress import Progress
from grpo_env_trl.settings import TrainSettings
from grpo_env_trl.settings.servers import base_url
from grpo_env_trl.setup.async_arguments import async_config
from grpo_env_trl.setup.preparing import TrainingSetup, prepare
from grpo_env_trl.writers.vllm_servers import Served, look_at

_ELSEWHERE = ("disk", "hub", "launcher", "memory", "packages", "vllm_server")
"""Checks of the preflight that are about the machines of the training, which may be others."""
_PROMPTS = 32
"""Prompts of each environment that are compared."""


def plan_of(settings: TrainSettings, progress: Progress, **given: Any) -> CostPlan:
    """The cost of a training with these settings; `given` are objects that `prepare` takes. Nothing is kept on disk."""
    if ranks.started_together() > 1:
        raise UsageError(
            "--plan looks at one process, and a launcher started several.",
            "Start it without a launcher, with --num-processes.",
        )
    placement = placement_of(settings, gpu_count)
    if settings.trainer == "async" and placement.zero_3:
        raise UsageError(*ZERO_3)
    with TemporaryDirectory(prefix="grpo-env-plan-") as folder:
        setup = prepare(placement.settings, Path(folder) / "run", **given)
        preflight(setup, without=_ELSEWHERE)
        if settings.trainer == "async":
            args = async_config(settings, setup.demo, Path(folder))
            return _AsyncPlanning(setup, placement, progress, args).plan()
        return _Planning(setup, placement, progress).plan()


class _Planning:
    def __init__(self, setup: TrainingSetup, placement: Placement, progress: Progress) -> None:
        self.setup = setup
        self.placement = placement
        self.progress = progress
        if setup.demo:
            setup.make_demo(progress)
        self.sizes = self._sizes()
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
        sizes = self._sizes_of(episode)
        seconds = self._seconds(found, sizes, heldout, episode) if found else None
        memory, count = self._memory(episode, found), checkpoints_of(self.setup.args)
        plan = CostPlan(
            self.setup.model_name, self.setup.env_name, sizes, self.placement.stage,
            self._steps(sizes, self.setup.row_count), episode, seconds, why, found.device if found else "", memory,
            found.memory if found else None, heldout, count,
            memory.seen.checkpoint * count + memory.seen.saved if memory else 0.0, (), "",
            self.setup.chosen, self._packed(sizes, episode),
        )  # fmt: skip
        generated = found is not None and not (seconds and seconds.served)
        notes = assumptions_of(episode, found, sizes, self.placement, self.setup.args, generated)
        uses_vllm = bool(self.setup.settings.grpo.get("use_vllm"))
        advice = advice_of(plan, ways_to_save(self.planned[0]), uses_vllm)
        chosen = [str(self.setup.chosen)] if self.setup.chosen else []
        return replace(plan, assumptions=[*chosen, *notes, *self._notes()], advice=advice)

    def _sizes(self) -> StepSizes:
        """What is rehearsed."""
        return StepSizes.of(self.setup.args, self.placement.processes)

    def _sizes_of(self, episode: EpisodeCosts) -> StepSizes:
        """The sizes of a step, whose episodes are like these."""
        return self.sizes

    def _steps(self, sizes: StepSizes, rows: int) -> int:
        if self.setup.several:
            return steps_of(self.setup.args, rows, sizes.processes)
        return sizes.steps(self.setup.args, rows)

    def _seconds(self, found: Rehearsed, sizes: StepSizes, heldout: int, episode: EpisodeCosts) -> StepSeconds:
        return step_seconds(found, sizes, heldout, self._crowd(found))

    def _crowd(self, found: Rehearsed) -> int:
        """How many processes share what one was measured on."""
        return self.placement.local if found.device == "cpu" else 1

    def _packed(self, sizes: StepSizes, episode: EpisodeCosts) -> float | None:
        """The tokens that a step reads where that is not what its episodes have."""
        return None

    def _notes(self) -> Sequence[str]:
        return ()

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
        args = self.setup.args
        seen, most = self._needs(episode)
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

    def _needs(self, episode: EpisodeCosts) -> tuple[Needs | None, Needs | None]:
        """The memory of one process with the whole model: as it is expected, and at most."""
        first, most = self.planned[0], self.setup.args.max_completion_length
        return needs_of(first, episode.prompt, min(episode.completion, most)), needs_of(first, episode.prompt)

    def _heldout_rows(self) -> int:
        return sum(len(env.measured) for env in self.setup.envs)


class _AsyncPlanning(_Planning):
    """A training with `--trainer async`: the same episodes and passes, in steps of its own, one beside the other."""

    def __init__(self, setup: TrainingSetup, placement: Placement, progress: Progress, args: Any) -> None:
        self.asked = args
        super().__init__(setup, placement, progress)
        self.url = base_url(self.setup.args.vllm_server_base_url or self.asked.vllm_server_base_url)
        self.served = self._served()
        self.budget, self.where = self._budget()
        self.playing: ServedPlaying | None = None
        self.of_steps = AsyncSteps(args, placement.processes, self.budget, self._prompts())

    def _sizes(self) -> StepSizes:
        return StepSizes.of(self.setup.args, 1)

    def _sizes_of(self, episode: EpisodeCosts) -> StepSizes:
        return self.of_steps.sizes(episode)

    def _steps(self, sizes: StepSizes, rows: int) -> int:
        return self.of_steps.count(sizes, rows)

    def _seconds(self, found: Rehearsed, sizes: StepSizes, heldout: int, episode: EpisodeCosts) -> StepSeconds:
        whole = super()._seconds(found, sizes, heldout, episode)
        row, _ = self.of_steps.row_tokens(episode, sizes)
        passes = sizes.accumulated * row / (found.micro * episode.read.value)
        seconds = overlapping(whole, found, passes, self.placement.processes, self._crowd(found))
        if self.served:
            processes = self.placement.processes
            self.playing = served_playing(self.setup, self.asked, self.url, processes, self.progress)
        return at_server(seconds, self.playing, sizes, heldout) if self.playing else seconds

    def _packed(self, sizes: StepSizes, episode: EpisodeCosts) -> float | None:
        row, _ = self.of_steps.row_tokens(episode, sizes)
        return row * sizes.accumulated * sizes.processes

    def _prompts(self) -> Prompts:
        """What the prompts have in common, from some of each environment."""
        seen = []
        for planned in self.planned if self.planned[0].has_text_tokenizer else ():
            rows = planned.rows
            for row, renderer in planned.renderers(rows.indices[:: -(-len(rows) // _PROMPTS)]):
                ids = rendered_prompt(renderer, rows.row(row)["prompt"])
                seen += [] if isinstance(ids, Exception) else [ids]
        return Prompts.of(seen)

    def _needs(self, episode: EpisodeCosts) -> tuple[Needs | None, Needs | None]:
        planned = replace(self.planned[0], setup=copy.copy(self.setup))
        planned.setup.args = copy.copy(self.setup.args)
        planned.setup.args.per_device_train_batch_size, planned.setup.args.beta = 1, 0.0
        tokens = self.of_steps.row_tokens(episode, self._sizes_of(episode))
        expected, most = (needs_of(planned, 0, round(number)) for number in tokens)
        return expected and replace(expected, logits=0.0), most and replace(most, logits=0.0)  # it keeps no logits

    def _notes(self) -> Sequence[str]:
        row = f"A row has at most {self.budget:,} tokens ({self.where}). " if self.budget else ""
        found = self.playing
        where = f"Playing was measured at {found.url}, with the weights that it has: " if found else ""
        played = [f"{where}{found.episodes} episodes."] if found else []
        return [
            *played,
            f"{row}Episodes go on while the model trains; the time in which weights are sent is not in it, and "
            "attention over a packed row is taken to cost what it costs for its episodes.",
        ]

    def _budget(self) -> tuple[int, str]:
        """The tokens of a row, and who says so: the flag, else the server, else the context of the model."""
        if self.asked.token_budget is not None:
            return max(0, self.asked.token_budget), "--token-budget"
        if self.served:
            return self.served.context, f"the --max-model-len of {self.url}"
        config = self.planned[0].config.get_text_config()
        return int(config.max_position_embeddings), f"the context of the model, as nobody answers at {self.url}"

    def _served(self) -> Served | None:
        """What the server says of itself; None where none answers yet."""
        try:
            return look_at(self.url)
        except UsageError:
            return None
