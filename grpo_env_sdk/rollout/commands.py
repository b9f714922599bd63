"""What an episode asks for and what it is answered: commands and events, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.model_user import UserPrompt
from grpo_env_sdk.envs.own_limits import OwnLimits
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.rewards.score_rule import ScoreRule
from grpo_env_sdk.types import Episode, Fault, Message, Row, Schemas, StopReason, ToolCall, ToolOutcome, Turn


class Usual(float):
    """The value of a limit that no user has set: those of the environment's class and of its `setup` come before it."""


USUAL_CALL = Usual(60.0)


def call_seconds_with(own: OwnLimits | None, asked: float | None, otherwise: float | None) -> float | None:
    """The deadline of the calls of an episode that has begun: its own, where the run was `asked` for no other."""
    return (own.call_seconds if own is not None and isinstance(asked, Usual) else None) or otherwise


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an episode may go.

    The state machine counts the first three, the host keeps `call_seconds`, and the driver the other seconds.
    """

    turns: int | None = None
    tool_calls: int | None = 100
    tokens: int | None = None
    episode_seconds: float | None = None
    call_seconds: float | None = USUAL_CALL
    policy_seconds: float | None = 600.0
    env_retries: int = 0
    """How often a failed reset or step is played again, on another instance."""

    def __post_init__(self) -> None:
        tries = self.env_retries
        if not isinstance(tries, int) or isinstance(tries, bool) or tries < 0:
            raise UsageError(f"env_retries must be a whole number from 0, got {tries!r:.80}.", "0 plays nothing again.")
        for limit in fields(self):
            value = getattr(self, limit.name)
            if limit.name == "env_retries":
                continue
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value > 0):
                hint = f"None sets no limit: Limits({limit.name}=None)."
                raise UsageError(f"{limit.name} must be a number above 0, got {value!r:.80}.", hint)

    def of(self, env: EnvDescription) -> "Limits":
        """These limits, with those of the environment's class where nobody has set one."""
        traits, call, episode = env.traits, self.call_seconds, self.episode_seconds
        if isinstance(call, Usual) and traits.call_seconds is not None:
            call = Usual(traits.call_seconds)
        if isinstance(episode, Usual | None) and traits.episode_seconds is not None:
            episode = Usual(traits.episode_seconds)
        return replace(self, call_seconds=call, episode_seconds=episode)

    @property
    def usual(self) -> list[str]:
        """The limits with a value that no user has set."""
        return [limit.name for limit in fields(self) if isinstance(getattr(self, limit.name), Usual)]


@dataclass(frozen=True, slots=True)
class Reset:
    """Begin the episode of a row."""

    row: Row
    seed: int


@dataclass(frozen=True, slots=True)
class Generate:
    """Ask the policy for one message."""

    messages: list[Message]
    tools: Sequence[dict[str, Any]]
    turn: int
    transcript: list[Message] | None = None
    """The whole transcript, where `messages` is a view of it."""


@dataclass(frozen=True, slots=True)
class View:
    """Ask a class that has a `view` what the model reads at this turn."""

    messages: list[Message]
    turn: int


@dataclass(frozen=True, slots=True)
class RunTools:
    """Run the calls of one message, in order."""

    calls: list[ToolCall]
    messages: list[Message]
    turns: int


@dataclass(frozen=True, slots=True)
class AskUser:
    """Ask the user for an answer to the assistant's message; the host does, or the driver where it is a model."""

    messages: list[Message]
    turns: int
    asked: int = 0
    """How often the user was asked before."""
    prompt: UserPrompt | None = None
    """What the model that speaks for the user is to be; None where the environment's own method answers."""


@dataclass(frozen=True, slots=True)
class Step:
    """Hand the assistant's message to the environment's `step`."""

    action: Message


@dataclass(frozen=True, slots=True)
class Solve:
    """Ask the environment's `solve` for the next message of the gold solution; the gold policy does, no episode."""

    messages: list[Message]
    turn: int


@dataclass(frozen=True, slots=True)
class ScoreEpisode:
    """Score what happened; the record is whole but for its reward."""

    episode: Episode


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing is left to do; this is the record."""

    episode: Episode


@dataclass(frozen=True, slots=True)
class Opened:
    """The environment was reset; None is an environment that shows nothing beyond the prompt."""

    stage: ClassVar[str] = "environment"
    observation: Any = None
    seconds: float = 0.0
    user: UserPrompt | None = None
    """What the model that speaks for the user is to be in this episode, where there is one."""
    tools: Schemas | None = None
    """The schemas of this episode's tools, which stay as they are; None for those of the description."""
    limits: OwnLimits | None = None
    """The limits that the environment sets for this episode; None for those of its class."""


@dataclass(frozen=True, slots=True)
class Viewed:
    """What the model reads at this turn."""

    stage: ClassVar[str] = "environment"
    messages: list[Message]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Generated:
    """The policy answered."""

    stage: ClassVar[str] = "policy"
    turn: Turn
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Exhausted:
    """No further turn fits into what the policy may read or write."""

    stage: ClassVar[str] = "policy"
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolsRan:
    """Every call has an outcome."""

    stage: ClassVar[str] = "tools"
    outcomes: list[ToolOutcome]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class UserSaid:
    """The user answered; without a text, or where it `ended`, the episode is over."""

    stage: ClassVar[str] = "user"
    text: str | None
    ended: bool = False
    usage: dict[str, int] = field(default_factory=dict)
    """The tokens of the model that spoke."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Stepped:
    """The environment answered a step."""

    stage: ClassVar[str] = "environment"
    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    metrics: dict[str, float] = field(default_factory=dict)
    stop_reason: StopReason | None = None
    """Why the environment ended the episode, where it says more than `truncated`."""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    """The calls that the step ran, as the record keeps them."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Solved:
    """The next message of the gold solution: a text, or an assistant's message."""

    message: Any
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The value of each reward, or the one of `score_episode`; None abstains. The driver makes the score of them."""

    stage: ClassVar[str] = "score"
    values: list[float | None]
    metrics: dict[str, float] = field(default_factory=dict)
    rule: ScoreRule | None = None
    """The rule of this episode's instance, where its rewards are not those of the description."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failed:
    """What was asked for could not be done; the episode ends without a score."""

    reason: StopReason
    fault: Fault
    stage: str = "environment"
    seconds: float = 0.0
    usage: dict[str, int] = field(default_factory=dict)
    """The tokens of an answer that is an error."""


HostCommand = Reset | View | RunTools | AskUser | Step | Solve | ScoreEpisode
"""What a host carries out."""
ANSWERS: dict[type, type] = {
    Reset: Opened, View: Viewed, RunTools: ToolsRan, AskUser: UserSaid, Step: Stepped, Solve: Solved,
    ScoreEpisode: Scored,
}  # fmt: skip
"""The event that answers each command of a host; `Failed` may answer any."""
Command = Reset | View | Generate | RunTools | AskUser | Step | ScoreEpisode | Done
"""What an episode asks for."""
HostEvent = Opened | Viewed | ToolsRan | UserSaid | Stepped | Solved | Scored | Failed
"""What a host answers."""
Event = Opened | Viewed | Generated | Exhausted | ToolsRan | UserSaid | Stepped | Scored | Failed
"""What an episode is fed."""
