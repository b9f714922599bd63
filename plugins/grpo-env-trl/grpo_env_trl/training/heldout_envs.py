"""The held-out measurement of every environment of a training."""

from collections.abc import Callable
from functools import cache
from typing import Any

from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.asynchronous.served_model import ServedModel, newest_on_server
from grpo_env_trl.env_weights import env_folder
from grpo_env_trl.progress import Progress
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.setup.trained_env import TrainedEnv
from grpo_env_trl.training.heldout import Heldout, earlier_result
from grpo_env_trl.training.heldout_results import Scores

LATE = "Nothing is known of the {}rows{} before the first step, so they are not evaluated."


class HeldoutEnvs:
    """Measures every environment on its own held-out rows."""

    def __init__(self, setup: TrainingSetup, folder: RunFolder) -> None:
        self._setup = setup
        self.folder = folder
        self._began_at: int | None = None
        """The step with which this part of the training began, where that is known."""

    def measure(self, trainer: Any, name: str, shown: Progress, note: Callable[[str], None]) -> Scores | None:
        """The result of each environment `before` or `after`; None where no environment has rows for it."""
        if name == "before":
            self._began_at = trainer.state.global_step
        found = {}
        served = cache(lambda: newest_on_server(trainer))  # it sends the weights, once for all environments
        for env in self._setup.envs:
            part = self._of(env)
            if part.possible and (result := self._measured(part, env, trainer, served, name, shown, note)):
                found[env.name] = {**result, "trained_on": part.trained_on}
        return found or None

    @property
    def possible(self) -> bool:
        """Whether there is anything to measure."""
        return any(self._of(env).possible for env in self._setup.envs)

    def _of(self, env: TrainedEnv) -> Heldout:
        setup, settings = self._setup, self._setup.settings
        return Heldout(
            env.loaded, env.eval_split, env.measured, settings.limits, setup.sampling_params(), setup.args.seed,
            trained_on=env.trained_on,
        )  # fmt: skip

    def _measured(
        self, part: Heldout, env: TrainedEnv, trainer: Any, served: Callable[[], ServedModel], name: str,
        shown: Progress, note: Callable[[str], None],
    ) -> dict[str, Any] | None:  # fmt: skip
        several = self._setup.several
        of_env = f" of {env.name}" * several
        folder = self.folder.heldout(name, env_folder(env.name) if several else "")
        same_model = name == "before" or trainer.state.global_step == self._began_at
        if same_model and (earlier := ranks.from_first(lambda: earlier_result(folder))) is not None:
            return earlier
        if name == "before" and trainer.state.global_step:  # of a resumed training
            note(LATE.format(part.called, of_env))
            return None
        tokenizer = self._setup.processor or self._setup.tokenizer
        named = (lambda what, done, of: shown(f"{env.name}, {what}", done, of)) if several else shown
        if self._setup.settings.trainer == "async":
            found = part.measure(served(), tokenizer, folder, named)
        elif is_collective():
            with trl_facts.generating_model(trainer) as model:
                found = part.measure(model, tokenizer, folder, named, trainer)
        else:
            found = part.measure(trainer.model, tokenizer, folder, named)
        if found["mean"] is None:
            shown_as = self._setup.folder / folder.relative_to(self.folder.path)
            note(f"No {part.called}row{of_env} was scored. `grpo-env runs show {shown_as}` shows why.")
        return found


def is_collective() -> bool:
    """Whether several processes share one model, so that none can use it by itself."""
    return ranks.several() and ranks.forward_is_collective()
