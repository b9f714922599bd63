"""A training from its settings to its report."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvError, UsageError
from grpo_env_sdk.isolation.tracebacks import one_line
from grpo_env_sdk.runs import RunWriter, open_run
from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.bridges.batch import Batch
from grpo_env_trl.bridges.trainer_kwargs import trainer_kwargs
from grpo_env_trl.export.model_card import model_card
from grpo_env_trl.preflight import preflight
from grpo_env_trl.report.page import write_report
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.run_folder import RunFolder, begin, check_goes_on, is_of_writing, take_up
from grpo_env_trl.setup.preparing import Prepared
from grpo_env_trl.training.display import Display
from grpo_env_trl.training.failure_stop import PATIENCE, StopWhereAllFail
from grpo_env_trl.training.heldout import Heldout, measured
from grpo_env_trl.training.recording import Recorder
from grpo_env_trl.training.stopping import StopOnInterrupt
from grpo_env_trl.training.trainable_model import trainable_model

SHARDED = "Held-out rows are not measured where several processes hold one model together (FSDP, ZeRO-3)."


def check_ready(prepared: Prepared) -> None:
    """Raise where this cannot be trained; nothing heavy is done and nothing written."""
    if prepared.settings.resume:
        check_goes_on(open_run(prepared.folder), prepared.manifest())
    preflight(prepared)


def run_training(prepared: Prepared, display: Display, callbacks: Sequence[Any] = ()) -> TrainingRun:
    """Train to the end and report; a training that is interrupted is saved, and can be resumed."""
    if prepared.demo:
        prepared.make_demo(display.progress)
    ranks.wait_for_all()  # nothing is written before every process is ready
    writer, last = _opened(prepared) if ranks.is_first() else (None, None)
    with writer or nullcontext():
        checkpoint = ranks.from_first(lambda: last)
        return Session(prepared, writer, display, checkpoint).run(callbacks)


def _opened(prepared: Prepared) -> tuple[RunWriter, Path | None]:
    """The run's folder, new or taken up again, and the checkpoint to go on from."""
    manifest = prepared.manifest()
    if prepared.settings.resume:
        return take_up(open_run(prepared.folder), manifest)
    return begin(prepared.folder, manifest, prepared.config_text()), None


class Session:
    """The trainer of one run with its held-out rows, callbacks and files; only the first process has a `writer`."""

    def __init__(self, prepared: Prepared, writer: RunWriter | None, display: Display, checkpoint: Path | None) -> None:
        self.prepared = prepared
        self.folder = RunFolder(prepared.folder)
        self.writer = writer
        self.display = display
        self.checkpoint = checkpoint
        settings, args = prepared.settings, prepared.args
        self.recorder = Recorder(writer, settings.sample_every, prepared.loaded.traits.reward_range)
        self.failing = StopWhereAllFail()
        self.heldout = Heldout(
            prepared.loaded, settings.eval_split, settings.eval_rows, settings.limits,
            prepared.manner(), args.seed,
        )  # fmt: skip

    def run(self, callbacks: Sequence[Any]) -> TrainingRun:
        """Measure, train, measure again, and write down what came of it."""
        started = time.perf_counter()
        with StopOnInterrupt() as stopper:
            trainer = self._trainer([*callbacks, self.recorder, self.display.callback(), self.failing, stopper])
            before = self._measure(trainer.model, "before")
            with self._room():
                trainer.train(resume_from_checkpoint=str(self.checkpoint) if self.checkpoint else None)
        steps = int(trainer.state.global_step)
        if self.failing.cause:
            raise self._all_failed(steps, self.failing.cause)
        if stopper.asked and steps < trainer.state.max_steps:
            return self._stopped(steps, started, before)
        with self._room():
            trainer.save_model(str(self.folder.model))
        comparable = before is not None and before["mean"] is not None
        after = self._measure(trainer.model, "after") if comparable else None
        heldout = {"before": before, "after": after} if before and after else None
        made = TrainingRun(self.folder.path, steps, time.perf_counter() - started, self.recorder.history, heldout)
        if self.writer:
            self._conclude(self.writer, made)
        if trainer.args.push_to_hub:
            self._push(trainer)
        return made

    def _conclude(self, writer: RunWriter, made: TrainingRun) -> None:
        """Write the summary, the model card and the report."""
        origin = {"env": self.prepared.loaded.spec.id, "policy": self.prepared.model_name}
        writer.finish(origin | self.recorder.tally.summary() | made.summary)
        self._write_card(self.folder.model)
        write_report(made, self.prepared)

    def _seen(self, batch: Batch) -> None:
        for one in (self.failing, self.recorder, self.display):
            one.seen(batch)

    def _all_failed(self, steps: int, cause: str) -> GrpoEnvError:
        run = self.folder.path
        return EnvironmentFailedError(
            f"Stopped after step {steps}, and saved: all episodes of {PATIENCE} batches failed, most often so: {cause}",
            f"`grpo-env view {run}` shows them. When it works again: grpo-env train --resume {run}",
        )

    def _stopped(self, steps: int, started: float, before: dict[str, Any] | None) -> TrainingRun:
        heldout = {"before": before} if before else None
        seconds = time.perf_counter() - started
        return TrainingRun(self.folder.path, steps, seconds, self.recorder.history, heldout, finished=False)

    def _trainer(self, callbacks: Sequence[Any]) -> Any:
        """TRL's trainer, with the model loaded; what it refuses is one line."""
        from transformers.trainer_callback import PrinterCallback
        from trl import GRPOTrainer

        prepared, settings = self.prepared, self.prepared.settings
        kwargs = trainer_kwargs(
            prepared.loaded, prepared.tokenizer, args=prepared.args, bridge=settings.bridge, callbacks=callbacks,
            limits=settings.limits, max_turn_tokens=prepared.max_turn_tokens, rows=settings.rows,
            eval_rows=settings.eval_rows, seen=self._seen,
        )  # fmt: skip
        self.display.stage("loading the model" if prepared.model is None else "starting the trainer")
        try:
            trainer = GRPOTrainer(**trainable_model(prepared, kwargs["args"]), **kwargs)
        except GrpoEnvError:
            raise
        except (ValueError, ImportError, OSError, NotImplementedError) as exc:
            raise UsageError(f"TRL cannot train this: {one_line(exc)}", "Correct what it names.") from exc
        trainer.remove_callback(PrinterCallback)
        trainer.create_model_card = lambda *args, **kwargs: self._write_card(Path(trainer.args.output_dir))
        return trainer

    def _write_card(self, folder: Path) -> None:
        if not self.writer:
            return
        card = model_card(open_run(self.folder.path), where=self.prepared.args.hub_model_id or "FOLDER")
        (folder / "README.md").write_text(card, encoding="utf-8")

    def _push(self, trainer: Any) -> None:
        """Hand the model to the hub; one that does not answer costs nothing that is on disk."""
        try:
            trainer.push_to_hub()
        except Exception as exc:  # of the hub's client
            raise UsageError(
                f"The model is trained and saved, but the hub did not take it: {one_line(exc)}",
                f"Upload it yourself: hf upload NAME {self.folder.model}",
            ) from exc

    def _measure(self, model: Any, name: str) -> dict[str, Any] | None:
        """The held-out scores of the model as it is; those that a resumed run has already are read."""
        if not self.heldout.possible:
            return None
        if ranks.several() and trl_facts.forward_is_collective():
            self.display.note(SHARDED)
            return None
        return ranks.from_first(lambda: self._measured(model, name))

    def _measured(self, model: Any, name: str) -> dict[str, Any]:
        folder = self.folder.heldout(name)
        if (found := measured(folder)) is not None:
            return found
        found = self.heldout.measure(model, self.prepared.tokenizer, folder, self.display.progress)
        if found["mean"] is None:
            self.display.note(f"No held-out row was scored, so nothing is compared. Why: grpo-env runs show {folder}")
        return found

    @contextmanager
    def _room(self) -> Iterator[None]:
        """A full disk leaves the last whole checkpoint, and is told in one line."""
        try:
            yield
        except Exception as exc:
            if not is_of_writing(exc):
                raise
            self.folder.drop_torn_checkpoints()
            raise UsageError(
                f"Nothing more can be written to {str(self.folder.path)!r}: {one_line(exc)}.",
                f"Make room, then go on: grpo-env train --resume {self.folder.path}",
            ) from exc
