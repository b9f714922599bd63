"""The one place that makes an environment, validates it, and says what it is."""

import copy
import hashlib
import inspect
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grpo_env_sdk.blame import describe_error
from grpo_env_sdk.config import check_config
from grpo_env_sdk.dataset import Rows, Split, build_rows
from grpo_env_sdk.deadline import call_within
from grpo_env_sdk.environment import check_contract
from grpo_env_sdk.errors import ContractError, EnvironmentFailedError, GrpoEnvError, GrpoEnvWarning
from grpo_env_sdk.registry import load_class, spec
from grpo_env_sdk.scoring import Scorer
from grpo_env_sdk.traits import Traits, notes_on, toolbox_of, traits_of
from grpo_env_sdk.types import EnvSpec


def make(env: str | EnvSpec, /, *, rewards: Sequence[Any] = (), **config: Any) -> Any:
    """A new instance of an environment, with `config` for its constructor and more rewards if given.

    env = make("hotel-v1", difficulty="easy")
    observation, info = env.reset(seed=1)
    """
    found = _found(env, config)
    return _construct(found, load_class(found), rewards, None)


@dataclass
class LoadedEnv:
    """An environment ready to be used: made, validated and described."""

    spec: EnvSpec
    env: Any
    traits: Traits
    tools: list[dict[str, Any]]
    tokenizer: Any = None
    build_timeout: float | None = None
    _split: Split = "all"

    def rows(self, split: Split = "all") -> Rows:
        """Its rows of one split, with every column that its scorers ask for."""
        self._split = split
        rows = call_within(
            self.build_timeout, f"{self.spec.id}: build_dataset", build_rows, self.env, self.tokenizer, split
        )
        Scorer(self.env).check(rows.columns)
        for note in notes_on(self.env, rows.columns):
            warnings.warn(note, GrpoEnvWarning, stacklevel=2)
        return rows

    def instance(self) -> Any:
        """The instance for one more episode: constructed, copied, or shared, as its traits say."""
        if self.traits.instances == "constructed":
            return self.env.fresh()
        return copy.deepcopy(self.env) if self.traits.instances == "copied" else self.env

    def replace_instance(self) -> None:
        """Make the shared instance anew, with its rows built, as a call that hangs holds the old one."""
        cls = type(self.env)
        if self.traits.instances == "shared":
            rewards = vars(self.env).get("rewards")
            self.env = cls(**self.spec.config)
            if rewards is not None:
                self.env.rewards = rewards
            build_rows(self.env, self.tokenizer, self._split)


def load(
    env: Any,
    config: dict[str, Any] | None = None,
    *,
    rewards: Sequence[Any] = (),
    tokenizer: Any = None,
    build_timeout: float | None = None,
) -> LoadedEnv:
    """An environment by name, spec, class or instance, made and validated; faults are one clear error."""
    if isinstance(env, LoadedEnv):
        return env
    if isinstance(env, str | EnvSpec):
        found = _found(env, config or {})
        cls = load_class(found)
    else:
        cls = env if isinstance(env, type) else type(env)
        path = f"{cls.__module__}:{cls.__qualname__}"
        found = EnvSpec(path, path, config=config or {})
    made = env
    if isinstance(env, str | EnvSpec | type):
        made = _construct(found, cls, rewards, build_timeout)
    else:
        check_contract(cls)
    traits = traits_of(made)
    if traits.instances == "copied" and not _can_be_copied(made):
        traits = replace(traits, instances="shared")
    described = replace(found, kind=traits.kind, source_hash=source_hash(type(made)))
    return LoadedEnv(described, made, traits, toolbox_of(made).schemas, tokenizer, build_timeout)


def source_hash(cls: type) -> str | None:
    """A hash of the source files of the class's package, or of its module where it stands alone."""
    module = sys.modules.get(cls.__module__.split(".")[0])
    filename = getattr(module, "__file__", None) or inspect.getfile(cls) if cls.__module__ != "__main__" else None
    if filename is None:
        return None
    path = Path(filename)
    files = sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(str(file.relative_to(path.parent)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _found(env: str | EnvSpec, config: dict[str, Any]) -> EnvSpec:
    found = spec(env) if isinstance(env, str) else env
    return found.with_config(config) if config else found


def _construct(env: EnvSpec, cls: Any, rewards: Sequence[Any], timeout: float | None) -> Any:
    if not callable(cls):
        raise ContractError(f"{env.entry_point} is {cls!r:.80}, no class.", "Name a class or a function.")
    if isinstance(cls, type):
        check_contract(cls)
    check_config(env.id, cls, env.config)
    try:
        made = call_within(timeout, f"The constructor of {env.id}", cls, **env.config)
    except GrpoEnvError:
        raise
    except (Exception, SystemExit) as exc:
        raise EnvironmentFailedError(
            f"The constructor of {env.id} raised {describe_error(exc)}.",
            "Mend it there, or give other config.",
        ) from exc
    if not isinstance(cls, type):
        check_contract(type(made))
    if rewards:
        made.rewards = [*(getattr(made, "rewards", None) or ()), *rewards]
    Scorer(made)  # two rewards of one name, or a scorer beside rewards, are told now
    return made


def _can_be_copied(env: Any) -> bool:
    try:
        copy.deepcopy(env)
    except Exception:
        return False
    return True
