"""Create an environment, validate it, and describe it: the one place that does."""

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from grpo_env_sdk.data.rows import Rows, Split, build_rows, part_of, splits_itself
from grpo_env_sdk.envs.config import check_config, check_config_type
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.episode_books import books_of, construct_again
from grpo_env_sdk.envs.origin import Origin
from grpo_env_sdk.envs.protocol import AnyEnvironment, check_contract
from grpo_env_sdk.envs.run_resources import RunResources
from grpo_env_sdk.envs.shared_resource import copy_of, lacked_shared, pass_on
from grpo_env_sdk.envs.source_hash import source_hash
from grpo_env_sdk.envs.stand_in_tokenizer import StandInTokenizer
from grpo_env_sdk.envs.tokenizer import TokenizerOf, name_of_tokenizer, opened, rows_with_tokenizer
from grpo_env_sdk.envs.traits import Traits, notes_on, reward_range_of, toolbox_of, traits_of
from grpo_env_sdk.errors import (
    ConfigError,
    ContractError,
    EnvironmentFailedError,
    GrpoEnvError,
    GrpoEnvWarning,
    UsageError,
)
from grpo_env_sdk.isolation.arguments import reads, touches
from grpo_env_sdk.isolation.async_calls import run_coroutine
from grpo_env_sdk.isolation.deadline import call_within
from grpo_env_sdk.isolation.env_pool import THREADS, EnvPool
from grpo_env_sdk.isolation.env_values import resolved
from grpo_env_sdk.isolation.global_state import IsolatedGlobalState
from grpo_env_sdk.isolation.tracebacks import describe_error, name_of
from grpo_env_sdk.registry.lookup import load_class, spec
from grpo_env_sdk.rewards.scorer import Scorer, has_own_scorer
from grpo_env_sdk.runs.live_rows import LiveRows
from grpo_env_sdk.types import EnvSpec

_STAND_IN_NOTE = (
    "uses a tokenizer, and none is named, so it gets a stand-in (bytes, with a plain chat template). "
    "Name one: --tokenizer MODEL (in Python tokenizer=...)."
)

T = TypeVar("T")


def make(env: str | EnvSpec, /, *, rewards: Sequence[Any] = (), tokenizer: Any = None, **config: Any) -> AnyEnvironment:
    """Create an environment, with `config` for its constructor; `rewards` are added to its own.

    `tokenizer`, or the name of its model, builds the rows that `reset` draws from.

    ```python
    env = make("hotel-v1", difficulty="easy")
    observation, info = env.reset(seed=1)
    ```
    """
    found = _found(env, config)
    made: AnyEnvironment = _construct(found, load_class(found), rewards, None)
    if tokenizer is not None and (books := books_of(made)):
        books.tokenizer = opened(tokenizer)
    return made


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
        """Whether the environment decides which rows are held out; otherwise a tenth is."""
        return splits_itself(self.env)

    @property
    def has_state(self) -> bool:
        """Whether it has a `state_dict()`, which a checkpoint of a training keeps."""
        return callable(getattr(self.env, "state_dict", None))

    @property
    def scores_with_model(self) -> bool:
        """Whether scores use the live model: its class says so, or its code uses that argument."""
        return self.traits.uses_model or Scorer(self.env).reads_model

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
        return name_of_tokenizer(self.scorer_tokenizer if self._reads_tokenizer else None)

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
        self._open_tokenizer()
        given = self.tokenizer
        work = self.isolated(rows_with_tokenizer)
        build = partial(call_within, self.build_timeout, f"{self.spec.id}: build_dataset", work, self.env, given, split)
        try:
            rows, self.tokenizer = build()
        except GrpoEnvError as exc:
            if not lacked_shared(self.env, exc):
                raise
            with self.held_open():
                rows, self.tokenizer = build()
        scorer = Scorer(self.env)
        scorer.check(rows.columns)
        traits = replace(self.traits, reward_range=reward_range_of(self.env, scorer))
        self.description = replace(self.description, score_rule=scorer.rule, traits=traits)  # rows may add rewards
        if self.traits.instances == "copied" and not _can_be_copied(self.env):
            self.description = replace(self.description, traits=replace(self.traits, instances="shared"))
        for note in notes_on(self.env, rows.columns):
            warnings.warn(note, GrpoEnvWarning, stacklevel=3)
        if given is None and self.scorer_tokenizer is not None and not self._built:
            warnings.warn(f"{self.spec.id} {_STAND_IN_NOTE}", GrpoEnvWarning, stacklevel=3)
        self._built = True
        return rows

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


def load(
    env: Any,
    config: dict[str, Any] | None = None,
    *,
    rewards: Sequence[Any] = (),
    tokenizer: Any = None,
    build_timeout: float | None = None,
    user: Any = None,
) -> LoadedEnv:
    """Load an environment by name, spec, class or instance, and validate it."""
    check_config_type(config)
    if not isinstance(env, str | EnvSpec | type):
        return _with_user(_adopt(env, config, rewards, tokenizer, build_timeout), user)
    found = _found(_spec_of(env) if isinstance(env, type) else env, config or {})
    cls = env if isinstance(env, type) else load_class(found)
    create = partial(_construct, found, cls, rewards, build_timeout)
    loaded = _described(found, create(), tokenizer, build_timeout, create)
    loaded.origin = Origin(cls, rewards)
    return _with_user(loaded, user)


def _with_user(loaded: LoadedEnv, user: Any) -> LoadedEnv:
    """The environment with another model as its user, where one is named."""
    if user is not None:
        if loaded.traits.user != "model":
            raise UsageError(
                f"{loaded.spec.id} has no ModelUser, so there is no user for --user-model.", "Leave it out."
            )
        loaded.user_model = user
    return loaded


def _adopt(env: Any, config: Any, rewards: Sequence[Any], tokenizer: Any, build_timeout: float | None) -> LoadedEnv:
    """An instance that the caller created; config and rewards cannot be added to it."""
    if config or rewards:
        raise ConfigError(
            f"{name_of(env.env if isinstance(env, LoadedEnv) else env)} is created already, "
            f"so it takes no {'config' if config else 'rewards'}.",
            "Give the class or its name instead.",
        )
    if isinstance(env, LoadedEnv):
        if env.tokenizer is None and not env._built:
            env.tokenizer = tokenizer
        return env
    check_contract(type(env))
    return _described(_spec_of(type(env)), env, tokenizer, build_timeout)


def _described(
    found: EnvSpec, made: Any, tokenizer: Any, build_timeout: float | None, create: Callable[[], Any] | None = None
) -> LoadedEnv:
    traits = traits_of(made)
    if traits.instances == "copied" and not _can_be_copied(made):
        traits = replace(traits, instances="shared")
    described = replace(found, kind=traits.kind, source_hash=source_hash(type(made)))
    tools = [] if traits.tools_of_rows else toolbox_of(made).schemas
    description = EnvDescription(described, traits, tools, Scorer(made).rule, name_of(made))
    return LoadedEnv(description, made, tokenizer, build_timeout, create)


def _spec_of(cls: type) -> EnvSpec:
    return EnvSpec(name_of(cls), name_of(cls))


def _found(env: str | EnvSpec, config: dict[str, Any]) -> EnvSpec:
    found = spec(env) if isinstance(env, str) else env
    return found.with_config(config) if config else found


def _construct(env: EnvSpec, cls: Any, rewards: Sequence[Any], timeout: float | None) -> Any:
    if not callable(cls):
        raise ContractError(f"{env.entry_point} is {cls!r:.80}, not a class.", "Name a class or a function.")
    if isinstance(cls, type):
        check_contract(cls)
    config = resolved(env.config)
    check_config(env.id, cls, config)
    try:
        made = call_within(timeout, f"The constructor of {env.id}", cls, **config)
    except GrpoEnvError:
        raise
    except (Exception, SystemExit) as exc:
        raise EnvironmentFailedError(
            f"The constructor of {env.id} raised {describe_error(exc)}.",
            "Fix it there, or pass another config.",
        ) from exc
    if made is None:
        raise ContractError(f"{env.entry_point} returned nothing.", "Return the environment.")
    if not isinstance(cls, type):
        check_contract(type(made))
    if rewards:
        made.rewards = [*(getattr(made, "rewards", None) or ()), *rewards]
    Scorer(made)  # two rewards of one name, or a scorer beside rewards, are reported now
    return made


def _can_be_copied(env: Any) -> bool:
    try:
        copy.deepcopy(env)
    except Exception:
        return False
    return True
