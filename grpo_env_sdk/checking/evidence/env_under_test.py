"""The environment of a subject, made and built: here or where the command was called, with a tokenizer at need."""

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from grpo_env_sdk.checking.evidence.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.config import check_config
from grpo_env_sdk.envs.loading import LoadedEnv, load
from grpo_env_sdk.envs.traits import Traits
from grpo_env_sdk.errors import DatasetError, DeadlineError, GrpoEnvError
from grpo_env_sdk.registry.lookup import load_class
from grpo_env_sdk.types import EnvSpec, Row

T = TypeVar("T")
MAKING, BUILDING = "the constructor", "build_dataset"
Effort = Literal["quick", "default", "thorough"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How thoroughly, on how many rows, and with which chance an environment is checked."""

    effort: Effort = "default"
    rows: int | None = None
    seed: int = 0
    call_seconds: float = 10.0
    build_seconds: float = 50.0
    """How long constructing and building the rows may take; some read a lot, and are sound."""
    origin: str = ""
    """The working directory that the command was called in; checks run in one of their own."""
    model: str | None = None
    """The model whose chat template is checked: a hub id, or a folder."""


class EnvUnderTest:
    """An environment by its spec or class; what is made of it is made once, and kept with what it raises."""

    def __init__(
        self, spec: EnvSpec, settings: Settings, tell: Callable[[str, int | None], None], cls: type | None
    ) -> None:
        self.spec = spec
        self.settings = settings
        self.tokenizer: StandInTokenizer | None = None
        self.needs_folder: GrpoEnvError | None = None
        """What went wrong in a folder that is not the one that the command was called in."""
        self.built_in = 0.0
        """The seconds that the rows took to be built."""
        self._tell = tell
        self._cls = cls
        self._memo: dict[Any, Any] = {}

    def tell(self, stage: str, row: int | None = None) -> None:
        """Note what is about to be done, so that a report can say where it was when it went down."""
        self._tell(stage, row)

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """What `make` gives, made by the first check that asks and shared by the others; so is what it raises."""
        if key not in self._memo:
            try:
                self._memo[key] = (make(), None)
            except Exception as exc:
                self._memo[key] = (None, exc)
        value, error = self._memo[key]
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]  # what `make` returned

    def recall(self, key: Any) -> Any:
        """What `once` made for this key, or None where nobody asked."""
        return self._memo.get(key, (None, None))[0]

    def check_arguments(self) -> Any:
        """The class; raises where it cannot be imported, or takes no such config as somebody gave."""
        self.tell("the import")
        cls = self._anywhere(lambda: self.cls)
        if self.spec.config and callable(cls):
            check_config(self.spec.id, cls, self.spec.config)
        return cls

    @property
    def loaded(self) -> LoadedEnv:
        """The environment, made and described; raises as `load` does."""
        return self.once("loaded", lambda: self._anywhere(self.another))

    @property
    def cls(self) -> Any:
        """The class, or the function that makes instances."""
        return self._cls or load_class(self.spec)

    def another(self) -> LoadedEnv:
        """The same environment, made anew."""
        return self.with_config({})

    def with_config(self, config: dict[str, Any]) -> LoadedEnv:
        """The environment made anew, with config on top of what was given."""
        self.tell(MAKING)
        spec = self.spec.with_config(config)
        target, given = (spec, None) if self._cls is None else (self._cls, spec.config)
        return load(target, given, tokenizer=self.tokenizer, build_timeout=self.settings.build_seconds)

    @property
    def traits(self) -> Traits:
        """What the environment is and says of itself."""
        return self.loaded.traits

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The schemas of its tools."""
        return self.loaded.tools

    @property
    def rows(self) -> Rows:
        """All its rows; raises where they cannot be built."""
        return self.once("rows", self._build_rows)

    def row(self, index: int) -> Row:
        """One row as an episode gets it."""
        return self.rows.row(index)

    def _build_rows(self) -> Rows:
        self.tell(BUILDING)
        loaded, started = self.loaded, time.monotonic()
        try:
            return self._anywhere(lambda: loaded.rows("all"))
        except DatasetError as exc:
            if not isinstance(exc.__cause__, AttributeError | TypeError):
                raise
            self.tokenizer = loaded.tokenizer = StandInTokenizer()
            with contextlib.suppress(GrpoEnvError):
                return loaded.rows("all")
            self.tokenizer = loaded.tokenizer = None
            raise
        finally:
            self.built_in = time.monotonic() - started

    def _anywhere(self, make: Callable[[], T]) -> T:
        """What `make` gives here, or else in the folder that the command was called in, which is then stayed in."""
        here, origin = os.getcwd(), self.settings.origin
        try:
            return make()
        except DeadlineError:
            raise
        except GrpoEnvError as exc:
            if not origin or os.path.samefile(here, origin):
                raise
            os.chdir(origin)
            with contextlib.suppress(GrpoEnvError):
                made = make()
                self.needs_folder = exc
                return made
            os.chdir(here)
            raise
