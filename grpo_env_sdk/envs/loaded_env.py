"""A loaded environment: its description, its rows, and an instance for each episode."""

import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from grpo_env_sdk.data.rows import Rows, Split, build_rows, part_of, splits_itself
from grpo_env_sdk.envs.author_reads import read_within
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.episode_books import construct_again
from grpo_env_sdk.envs.origin import Origin
from grpo_env_sdk.envs.run_resources import RunResources
from grpo_env_sdk.envs.shared_resource import copy_of, lacked_shared, pass_on
from grpo_env_sdk.envs.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.envs.tokenizer import TokenizerOf, name_of_tokenizer, opened, rows_with_tokenizer
from grpo_env_sdk.envs.traits import Traits, notes_on, reward_range_of
from grpo_env_sdk.errors import DatasetError, EnvironmentFailedError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.isolation.author_code.arguments import reads, touches
from grpo_env_sdk.isolation.calls.async_calls import run_coroutine
from grpo_env_sdk.isolation.calls.deadline import by_user, call_within
from grpo_env_sdk.isolation.process_state.global_state import IsolatedGlobalState
from grpo_env_sdk.isolation.processes.env_pool import THREADS, EnvPool
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.rewards.scorer import Scorer, has_own_scorer, reads_model
from grpo_env_sdk.runs.live_rows import LiveRows
from grpo_env_sdk.types import EnvSpec, canonical_json

_STAND_IN_NOTE = (
    "uses a tokenizer, and none is named, so it gets a stand-in (bytes, with a plain chat template). "
    "Name one: --tokenizer MODEL (in Python tokenizer=...)."
)

T = TypeVar("T")


@dataclass
class LoadedEnv:
    """An environment ready to be used: created, validated and described; it gives each episode its instance."""

    description: EnvDescription
    env: Any
    tokenizer: Any = None
    """What builds the rows: a tokenizer, or the name of its model until it is opened."""
    build_timeout: float | None = None
    resources: RunResources = field(default_factory=RunResources, init=False)
    """The event loop of its async code, and what its runs share; a copy of this has its own."""
    _create: Callable[[], Any] | None = None
    _split: Split = "all"
    _whole: Rows | None = None
    _built: bool = False
    user_model: Any = None
    """Who speaks for the user in place of the policy of the class's `ModelUser`: a name, a spec or a policy."""
    origin: Origin | None = None
    """What created it; None for an instance that the caller created."""
    pool: EnvPool = THREADS
    """Where the code of its episodes runs."""
    live_rows: LiveRows | None = None
    """Where threads of this process note which rows they work on; None where no run is written."""

    def __repr__(self) -> str:
        config = f", config {self.spec.config}" if self.spec.config else ""
        tools = f", {counted(len(self.tools), 'tool')}" if self.tools else ""
        return f"<LoadedEnv {self.spec.id}: {self.traits.kind}{tools}{config}>"

    @property
    def split(self) -> Split:
        """Which rows were built last."""
        return self._split

    @property
    def spec(self) -> EnvSpec:
        """Its id, and where it comes from."""
        return self.description.spec

    @property
    def traits(self) -> Traits:
        """How its episodes go, and what its class declares."""
        return self.description.traits

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The schemas of its tools; none where each row has its own."""
        return self.description.tools

    @property
    def splits_itself(self) -> bool:
        """Whether the environment decides which rows are held out; otherwise about a tenth is."""
        return self._read(lambda: splits_itself(self.env))

    @property
    def has_state(self) -> bool:
        """Whether it has a `state_dict()`, which a checkpoint of a training keeps."""
        return self._read(lambda: callable(getattr(self.env, "state_dict", None)))

    @property
    def scores_with_model(self) -> bool:
        """Whether scores use the live model: its class says so, or its code uses that argument."""
        return self.traits.uses_model or reads_model(self.env)

    @property
    def scorer_tokenizer(self) -> Any:
        """What scorers are given where no model is at hand: a stand-in if their code uses one and there is none."""
        self._open_tokenizer()
        scores = has_own_scorer(type(self.env)) and not self.scores_with_model
        if self.tokenizer is None and scores and touches(self.env.score_episode, 1):
            return StandInTokenizer()
        return self.tokenizer

    @property
    def tokenizer_name(self) -> str | None:
        """The name of the tokenizer that rows and scores depend on; None where nothing reads one."""
        return self._read(lambda: name_of_tokenizer(self.scorer_tokenizer if self._reads_tokenizer else None))

    @property
    def _reads_tokenizer(self) -> bool:
        scores = has_own_scorer(type(self.env)) and reads(self.env.score_episode, 1)
        return scores or reads(self.env.build_dataset, 0)

    def _open_tokenizer(self) -> None:
        if isinstance(self.tokenizer, str | TokenizerOf):
            self.tokenizer = opened(self.tokenizer) if self._reads_tokenizer else None

    def rows(self, split: Split = "all") -> Rows:
        """Its rows of one split, with every column that its scorers ask for."""
        self._split = split
        if self.splits_itself:
            return self._build(split)
        if self._whole is None:
            self._whole = self._build("all")
        return part_of(self._whole, split)

    def _build(self, split: Split) -> Rows:
        self._read(self._open_tokenizer)
        given = self.tokenizer
        work = self._read(lambda: self.isolated(rows_with_tokenizer))
        build = partial(call_within, self.build_timeout, f"{self.spec.id}: build_dataset", work, self.env, given, split)
        try:
            rows, self.tokenizer = read_within(None, self.spec.id, build)
        except GrpoEnvError as exc:
            if not lacked_shared(self.env, exc):
                raise self._with_config(exc) from exc.__cause__
            with self.held_open():
                rows, self.tokenizer = read_within(None, self.spec.id, build)
        for note in self._read(lambda: self._notes_on(rows.columns, given)):
            warnings.warn(note, GrpoEnvWarning, stacklevel=3)
        self._built = True
        return rows

    def _with_config(self, exc: GrpoEnvError) -> GrpoEnvError:
        """The error with the config of the environment, where that may be why its rows cannot be built."""
        if isinstance(exc, DatasetError) and self.spec.config:
            exc.message = f"{exc.message.removesuffix('.')}, with the config {canonical_json(self.spec.config)}."
        return exc

    def _notes_on(self, columns: list[str], given: Any) -> list[str]:
        """Notes on what was built, with which the description may have changed: rows may add rewards."""
        scorer = Scorer(self.env)
        scorer.check(columns)
        traits = replace(self.traits, reward_range=reward_range_of(self.env, scorer))
        if traits.instances == "copied" and not can_be_copied(self.env):
            traits = replace(traits, instances="shared")
        self.description = replace(self.description, score_rule=scorer.rule, traits=traits)
        stands_in = given is None and not self._built and self.scorer_tokenizer is not None
        return [*notes_on(self.env, columns), *[f"{self.spec.id} {_STAND_IN_NOTE}"] * stands_in]

    def _read(self, read: Callable[[], T]) -> T:
        """What is found out about the instance and its class, whatever their code does meanwhile."""
        return read_within(self.build_timeout, self.spec.id, read)

    def isolated(self, function: Callable[..., T]) -> Callable[..., T]:
        """A function of the author, with a random state of its own if the class asks for it."""
        return partial(IsolatedGlobalState(0).call, function) if self.traits.isolate_globals else function

    def instance(self) -> Any:
        """The instance for another episode: constructed, copied, or shared, as its traits say."""
        if self.traits.instances == "constructed":
            return construct_again(self.env)
        return copy_of(self.env) if self.traits.instances == "copied" else self.env

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Keep what its runs share open while this lasts: its event loop, and what `open_shared` opens."""
        run_coroutine(self.resources.hold(self.env, self.build_timeout))
        try:
            yield
        finally:
            run_coroutine(self.resources.release())

    def sharing(self, other: "LoadedEnv") -> "LoadedEnv":
        """Let another one use what is held open here, for as long as it is."""
        other.resources = self.resources
        pass_on(self.env, other.env)
        return other

    def with_settings(self, **settings: Any) -> "LoadedEnv":
        """The same environment with another `pool` or `user_model`; this one stays as it is."""
        return self.sharing(replace(self, **settings))

    def replace_instance(self) -> None:
        """Replace the shared instance, rows included: a call that hangs still uses the old one."""
        if self._create is None:
            raise EnvironmentFailedError(
                f"{self.spec.id} hangs, and this instance cannot be created again.", "Load it by its class or name."
            )
        made = self._create()
        pass_on(self.env, made)
        build_rows(made, self.tokenizer, self._split)
        self.env = made


def can_be_copied(env: Any) -> bool:
    """Whether each episode can have a copy of this instance."""
    try:
        copy.deepcopy(env)
    except BaseException as exc:
        if by_user(exc):
            raise
        return False
    return True
