"""The environment under test, created and built once: here, or else in the folder of the command."""

import contextlib
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from grpo_env_sdk.checking.evidence.playing.failures import OutOfTimeError
from grpo_env_sdk.checking.evidence.playing.machine_load import Stopwatch
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.config import check_config
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.envs.shared_resource import METHOD
from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.errors import DeadlineError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.tracebacks import name_of
from grpo_env_sdk.policies.make import user_spec
from grpo_env_sdk.policies.stand_in_user import StandInUser, stand_in_answer
from grpo_env_sdk.registry.lookup import load_class
from grpo_env_sdk.types import EnvSpec, Message, Row

T = TypeVar("T")
OnStage = Callable[[str, int | None], None]
MAKING, BUILDING, OPENING = "the constructor", "build_dataset", "opening the model"


class EnvUnderTest:
    """An environment by its spec or class; each thing is created once, and kept together with what it raised."""

    def __init__(self, spec: EnvSpec, settings: Settings, on_stage: OnStage, create: Callable[..., Any] | None) -> None:
        self.spec = spec
        self.settings = settings
        self.needs_folder: GrpoEnvError | None = None
        """What failed in a folder other than the one in which the command was called."""
        self.build_took = self.quiet_build_took = 0.0
        """The seconds that building the rows took, and those that it would have taken on a quiet machine."""
        self._on_stage = on_stage
        self._create = create
        self._memo: dict[Any, Any] = {}

    def note_stage(self, stage: str, row: int | None = None) -> None:
        """Note what comes next, so that the report can say where a crash happened."""
        self._on_stage(stage, row)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """The result or error of `make`, computed for the first check that asks and shared by the others."""
        if key not in self._memo:
            try:
                self._memo[key] = (make(), None)
            except OutOfTimeError:
                raise  # the next check has time of its own
            except Exception as exc:
                self._memo[key] = (None, exc)
        value, error = self._memo[key]
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]  # what `make` returned

    def recall(self, key: Any) -> Any:
        """What `once` has for this key, or None if no check asked."""
        return self._memo.get(key, (None, None))[0]

    def check_arguments(self) -> Any:
        """The class; raises if it cannot be imported, or does not take the config."""
        self.note_stage("the import")
        cls = self._anywhere(lambda: self.cls)
        if self.spec.config and callable(cls):
            check_config(self.spec.id, cls, self.spec.config)
        return cls

    @property
    def loaded(self) -> LoadedEnv:
        """The environment, created and described; raises as `load` does."""
        return self.once("loaded", lambda: self._anywhere(self.another))

    @property
    def cls(self) -> Any:
        """The class, or the function that creates instances."""
        return self._create or load_class(self.spec)

    def another(self) -> LoadedEnv:
        """The same environment, created again."""
        return self.with_config({})

    def with_config(self, config: dict[str, Any], seconds: float | None = None) -> LoadedEnv:
        """The environment, created again with more config; `seconds` are for the constructor, and for its rows."""
        self.note_stage(MAKING)
        spec, create = self.spec.with_config(config), self._create
        target, given = (spec, None) if create is None else (create, spec.config)
        if create is not None and not isinstance(create, type):
            target, given = create(), None
        seconds = self.settings.build_seconds if seconds is None else seconds
        loaded = load(target, given, tokenizer=self.settings.model, build_timeout=seconds)
        loaded.resources.warns = False  # E313 reports it
        if loaded.traits.user == "model":
            named = user_spec(self.settings.user_model, self.settings.user_base_url)
            loaded.user_model = named or StandInUser()
            loaded.env._grpo.user = _answer_to  # where a check steps it by hand
        return loaded

    @property
    def traits(self) -> Traits:
        """What kind of environment it is, and what its class declares."""
        return self.loaded.traits

    @property
    def rows(self) -> Rows:
        """All its rows; raises if they cannot be built, or what its runs share cannot be opened."""
        rows = self.once("rows", self._build_rows)
        self.hold_open()
        return rows

    def hold_open(self) -> None:
        """Open what its runs share, for all checks of this process; raises if that fails."""
        loaded = self.loaded
        self.once("held", lambda: run_coroutine(loaded.resources.hold(loaded.env, loaded.build_timeout)) or loaded)

    def let_go(self) -> None:
        """Close what `hold_open` has opened."""
        if (loaded := self.recall("held")) is not None:
            run_coroutine(loaded.resources.release())

    @property
    def failed_to_leave(self) -> str | None:
        """How it failed to close what its runs share, once `let_go` was called."""
        loaded = self.recall("held")
        return loaded.resources.not_closed.get(f"{name_of(loaded.env)}.{METHOD}") if loaded else None

    def row(self, index: int) -> Row:
        """One row as an episode gets it."""
        return self.rows.row(index)

    def _build_rows(self) -> Rows:
        self.note_stage(BUILDING)
        loaded, watch = self.loaded, Stopwatch()
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".* stand-in", GrpoEnvWarning)  # C132 reports it
                return self._anywhere(lambda: loaded.rows("all"))
        finally:
            spent = watch.stop()
            self.build_took, self.quiet_build_took = spent.seconds, spent.seconds * spent.quiet_part

    def _anywhere(self, make: Callable[[], T]) -> T:
        """The result of `make` in this folder, or else in the folder of the command, which it then stays in."""
        here, origin = os.getcwd(), self.settings.origin
        try:
            return make()
        except DeadlineError:
            raise
        except GrpoEnvError as exc:
            if not os.path.isdir(origin) or os.path.samefile(here, origin):  # a sandbox may not have it
                raise
            os.chdir(origin)
            with contextlib.suppress(GrpoEnvError):
                result = make()
                self.needs_folder = exc
                return result
            os.chdir(here)
            raise


def _answer_to(messages: Sequence[Message]) -> str | None:
    return stand_in_answer(messages[-1])
