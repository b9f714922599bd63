"""A training from its settings to its report."""

import errno
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from grpo_env_sdk import GrpoEnvError, open_run
from grpo_env_sdk.ext import (
    EnvironmentFailedError,
    LiveRows,
    RunError,
    RunWriter,
    UnusablePolicyError,
    UsageError,
    command_line,
    one_line,
)
from grpo_env_trl import ranks
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.continuing import command_to_continue, note_other_processes, processes_before
from grpo_env_trl.export.model_card import model_card
from grpo_env_trl.launching.attached import say_run
from grpo_env_trl.preflight import preflight
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.report.page import write_report
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.runs.resuming import check_checkpoint, check_steps_left, damaged_checkpoint
from grpo_env_trl.runs.run_folder import RunFolder, check_resumable, create_folder, is_write_error, resume_folder
from grpo_env_trl.setup.agreement import check_agreement
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.training.after_last_step import AfterLastStep, NothingLeftError
from grpo_env_trl.training.async_trainer import async_trainer
from grpo_env_trl.training.before_first_step import BeforeFirstStep
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.finite_weights import FiniteWeights
from grpo_env_trl.training.grpo_trainer import grpo_trainer, trl_errors
from grpo_env_trl.training.heldout_envs import HeldoutEnvs, is_collective
from grpo_env_trl.training.heldout_results import Scores, compared, of_each, whole
from grpo_env_trl.training.pushing import push_to_hub
from grpo_env_trl.training.quiet import tied_weights_need_no_file
from grpo_env_trl.training.recording import Recorder
from grpo_env_trl.training.resumed_schedule import ResumedSchedule
from grpo_env_trl.training.servers import servers_started
from grpo_env_trl.training.stopping import StopOnInterrupt, StopWhereAllFail
from grpo_env_trl.training.time_spent import TimeSpent
from grpo_env_trl.trl_async import adapter_files
from grpo_env_trl.writers.vllm_servers import RESUME

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
SHARDED = "Held-out rows with images are not evaluated while several processes share one model (FSDP, ZeRO-3)."


def check_ready(setup: TrainingSetup, warn: Callable[[str], None] | None = None) -> list[PlannedTraining]:
    """What the preflight looked at, one for each environment; writes nothing, and raises where this cannot work.

    `warn` gets its warnings; None shows them.
    """
    if setup.settings.resume:
        run = open_run(setup.folder)
        check_resumable(run, setup.manifest(), setup.settings.steps_asked)
        step, checkpoint = RunFolder(run.path).newest_whole()
        if checkpoint:
            check_steps_left(run, step, setup.args.max_steps)
            check_checkpoint(run, checkpoint, trust=setup.settings.trust)
    planned = preflight(setup, warn)
    check_agreement(setup)
    setup.home.go_back(setup.env_name)
    return planned


def run_training(setup: TrainingSetup, display: Display, callbacks: Sequence[Any] = ()) -> TrainingRun:
    """Train to the end and write the report; an interrupted training is saved and can be resumed."""
    if setup.demo:
        resumed = setup.settings.resume and ranks.from_first(RunFolder(setup.folder).newest_whole)[1]
        try:
            setup.make_demo(display.progress, resumed or None)
        except BaseException:
            with suppress(OSError):  # it has a run
                setup.folder.rmdir()
            raise
    ranks.wait_for_all()  # nothing is written before every process is ready
    writer, last, notes = _opened(setup) if ranks.is_first() else (None, None, [])
    if writer:
        say_run(writer.run.path)
    for note in notes:
        display.note(note)
    with writer or nullcontext(), servers_started(setup, display.progress):
        checkpoint = ranks.from_first(lambda: last)
        try:
            return Session(setup, writer, display, checkpoint).run(callbacks)
        except Exception:
            if writer:
                writer.check_there()  # whatever failed then, failed because of that
            raise


def _opened(setup: TrainingSetup) -> tuple[RunWriter, Path | None, list[str]]:
    """The run folder, new or resumed, the checkpoint to continue from, and what there is to say of it."""
    manifest = setup.manifest()
    if not setup.settings.resume:
        return create_folder(setup.folder, manifest, setup.config_text()), None, []
    run = open_run(setup.folder)
    before = processes_before(run)
    writer, checkpoint, notes = resume_folder(run, manifest)
    size = None if "generation_batch_size" in setup.settings.grpo else setup.args.generation_batch_size
    return writer, checkpoint, [*notes, *note_other_processes(before, size)]


class Session:
    """The trainer of one run with its held-out rows, callbacks and files; only the first process has a `writer`."""

    def __init__(
        self, setup: TrainingSetup, writer: RunWriter | None, display: Display, checkpoint: Path | None
    ) -> None:
        self.setup = setup
        self.folder = RunFolder(setup.folder)
        self.writer = writer
        self.display = display
        self.checkpoint = checkpoint
        self.live_rows = writer.live_rows if writer else LiveRows(setup.folder, ranks.rank())
        alone = setup.settings.trainer == "async"  # where the first process plays all episodes
        self.recorder = Recorder(writer, setup.settings.sample_every, alone=alone)
        self.failing = StopWhereAllFail()
        self.finite = FiniteWeights(setup.folder)
        in_order = any(env.loaded.description.scores_in_order for env in setup.envs)
        self.time_spent = TimeSpent(self.recorder.history, display.note, setup.args, in_order)
        self.heldout = HeldoutEnvs(setup, RunFolder(setup.folder.absolute()))  # environment code may go elsewhere
        self.measured: dict[str, Scores | None] = {}
        self.resumed_at = int(checkpoint.name.rpartition("-")[2]) if checkpoint else 0

    def run(self, callbacks: Sequence[Any]) -> TrainingRun:
        """Evaluate, train, evaluate again, and write the results."""
        with ExitStack() as opened:  # one opening serves the training and the evaluations around it
            opened.callback(self.live_rows.close)
            for env in self.setup.envs:
                opened.enter_context(env.loaded.held_open())
                env.loaded.live_rows = self.live_rows
            return self._run(callbacks)

    def _run(self, callbacks: Sequence[Any]) -> TrainingRun:
        started = time.perf_counter()
        with StopOnInterrupt(self.live_rows.close) as stopper:
            ours = [
                self.recorder,
                self.display.callback(),
                self.time_spent,
                self.failing,
                self.finite,
                stopper,
                ResumedSchedule(self.display.note),
            ]
            trainer = self._trainer([*callbacks, *ours])
            beginning = BeforeFirstStep(lambda: self._measure(trainer, "before"), self._begin)
            trainer.add_callback(beginning)  # after TRL's own, which have sent a server the weights
            trainer.add_callback(AfterLastStep(trainer, lambda: self._finish(trainer, stopper)))
            quiet = tied_weights_need_no_file(trainer.model)
            sampling = self.finite.sampling_named(lambda: trainer.state.global_step)
            with beginning, quiet, adapter_files(trainer), self._write_errors(), sampling, suppress(NothingLeftError):
                trainer.train(resume_from_checkpoint=str(self.checkpoint) if self.checkpoint else None)
        before, after = (whole(self.setup.envs, self.measured.get(name)) for name in ("before", "after"))
        self.time_spent.say_at_the_end()
        steps = int(trainer.state.global_step)
        if self.failing.cause:
            raise self._all_failed(steps, self.failing.cause)
        if stopper.asked and steps < trainer.state.max_steps:
            return self._stopped(steps, started, before)
        heldout = {"before": before, "after": after} if before and after else None
        made = TrainingRun(
            self.folder.path, steps, time.perf_counter() - started, self.recorder.history, heldout,
            of_each(self.setup.envs, self.measured), failures=self.failing.told(), resumed_at=self.resumed_at,
            compared=compared(self.setup.envs, self.heldout.folder) if heldout and self.writer else None,
            rows_of=self._rows_of,
        )  # fmt: skip
        if self.writer:
            with self._write_errors():
                self._conclude(self.writer, made, trainer)
        if self.writer and trainer.args.push_to_hub:
            push_to_hub(self.folder.model, trainer)
        return made

    def _begin(self) -> None:
        """From its first step on, a training that was finished is not: what said so stays until then."""
        if self.writer and self.checkpoint:
            self.folder.drop_end()

    def _finish(self, trainer: Any, stopper: StopOnInterrupt) -> None:
        """Save the model of a training that came to its end, and evaluate it again."""
        if self.failing.cause or (stopper.asked and trainer.state.global_step < trainer.state.max_steps):
            return
        trainer.save_model(str(self.folder.model), _internal_call=True)  # else it would push, too
        before = whole(self.setup.envs, self.measured.get("before"))
        if before and before["mean"] is not None:
            self._measure(trainer, "after")

    def _conclude(self, writer: RunWriter, made: TrainingRun, trainer: Any) -> None:
        """Write the model card, the report and last the summary, with which the training is finished."""
        origin = {"env": self.setup.env_name, "policy": self.setup.model_name}
        self._write_card(self.folder.model, trainer, made.summary)
        write_report(made, self.setup)
        writer.finish(origin | self.recorder.tally.summary() | made.summary)

    def _on_batch(self, batch: Batch) -> None:
        self.setup.home.go_back(self.setup.env_name)
        if self.setup.settings.trainer != "async":  # whose groups are no batches: its worker counts what fails
            self.failing.seen(batch)
        for one in (self.recorder, self.display, self.time_spent):
            one.seen(batch)

    def _all_failed(self, steps: int, cause: str) -> GrpoEnvError:
        run = self.folder.path
        return EnvironmentFailedError(
            f"Stopped after step {steps}: {cause.rstrip('.')}.",
            f"`{command_line('view', run)}` shows them. A checkpoint is saved: continue with {self._again}",
        )

    def _stopped(self, steps: int, started: float, before: dict[str, Any] | None) -> TrainingRun:
        heldout = {"before": before} if before else None
        seconds = time.perf_counter() - started
        each = of_each(self.setup.envs, self.measured)
        return TrainingRun(
            self.folder.path, steps, seconds, self.recorder.history, heldout, each, finished=False,
            rows_of=self._rows_of,
        )  # fmt: skip

    @property
    def _rows_of(self) -> dict[str, Any] | None:
        return self.setup.chosen.as_json() if self.setup.chosen else None

    def _trainer(self, callbacks: Sequence[Any]) -> Any:
        """TRL's trainer with the model loaded; its errors become one line."""
        from transformers.trainer_callback import PrinterCallback

        setup, settings = self.setup, self.setup.settings
        self.display.stage("loading the model" if setup.model is None else "starting the trainer")
        with trl_errors():
            create = async_trainer if settings.trainer == "async" else grpo_trainer
            trainer = create(setup, callbacks, self._on_batch)
        trainer.remove_callback(PrinterCallback)
        trainer.create_model_card = lambda *args, **kwargs: self._write_card(Path(trainer.args.output_dir), trainer)
        return trainer

    def _write_card(self, folder: Path, trainer: Any, summary: Mapping[str, Any] | None = None) -> None:
        if not self.writer:
            return
        where = self.setup.args.hub_model_id or "FOLDER"
        adapter = hasattr(trainer.model, "peft_config")
        card = model_card(open_run(self.folder.path), adapter=adapter, where=where, summary=summary)
        (folder / "README.md").write_text(card, encoding="utf-8")

    def _measure(self, trainer: Any, name: str) -> None:
        """Evaluate the held-out rows with the model of now, where that is possible."""
        if not self.heldout.possible:
            return
        if self.setup.processor and is_collective():
            self.display.note(SHARDED)
            return
        try:
            self.measured[name] = self.heldout.measure(trainer, name, self.display.progress, self.display.note)
        finally:
            self.setup.home.go_back(self.setup.env_name)

    def _next(self) -> str:
        """How to go on after a failure: a new run in which nothing ended does not stay."""
        if self.writer and not self.writer.stays:
            return "begin again"
        return f"continue: {self._again}"

    @property
    def _again(self) -> str:
        return command_to_continue(self.folder.path, self.setup.settings)

    @contextmanager
    def _write_errors(self) -> Iterator[None]:
        """Report a full disk, and a process that does not come, in one line; keep the last complete checkpoint."""
        try:
            with ranks.late_processes_named(f"Continue: {self._again}"):
                yield
        except UnusablePolicyError as exc:
            if exc.hint == RESUME:
                exc.hint = f"Start it again, then {self._next()}"
            raise
        except UnpicklingError as exc:  # torch refuses what is no data
            raise damaged_checkpoint(self.checkpoint, exc) from exc
        except Exception as exc:
            if not is_write_error(exc):
                raise
            self.folder.drop_torn_checkpoints()
            cause = exc.__cause__ if isinstance(exc, RunError) and exc.__cause__ else exc
            elsewhere = isinstance(cause, OSError) and cause.errno not in _FULL
            raise UsageError(
                f"{str(self.folder.path)!r} cannot be written any more: {one_line(cause)}.",
                f"{'Correct that' if elsewhere else 'Free some space'}, then {self._next()}",
            ) from exc
