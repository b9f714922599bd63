"""One episode as a state machine without I/O: fed events, it returns what is to be done next, as data.

It knows no thread, socket, clock or model. Whoever drives it does what it asks and feeds back the outcome:

    command = episode.start()
    while not isinstance(command, Done):
        command = episode.feed(carry_out(command))
    command.episode
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from grpo_env_sdk.data.messages import assistant_message, observation_messages, opening_messages, tool_calls_of
from grpo_env_sdk.data.rows import prompt_messages
from grpo_env_sdk.errors import ContractError, EpisodeOverError, ScoreError
from grpo_env_sdk.rewards.rubric import check_score
from grpo_env_sdk.types import (
    Episode,
    Fault,
    Kind,
    Message,
    Row,
    Score,
    StopReason,
    ToolCall,
    ToolOutcome,
    Turn,
    row_seed,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far an episode may go; the first three are counted here, the seconds by whoever drives."""

    turns: int | None = None
    tool_calls: int | None = 100
    tokens: int | None = None
    episode_seconds: float | None = None
    call_seconds: float | None = 60.0
    policy_seconds: float | None = 600.0


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


@dataclass(frozen=True, slots=True)
class RunTools:
    """Run the calls of one message, in order."""

    calls: list[ToolCall]
    messages: list[Message]
    turns: int


@dataclass(frozen=True, slots=True)
class Step:
    """Hand the assistant's message to the environment's `step`."""

    action: Message


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
    """Every call came to an outcome."""

    stage: ClassVar[str] = "tools"
    outcomes: list[ToolOutcome]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Stepped:
    """The environment answered a step."""

    stage: ClassVar[str] = "environment"
    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Scored:
    """The score is known."""

    stage: ClassVar[str] = "score"
    score: Score
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failed:
    """What was asked for could not be done; the episode ends without a score."""

    reason: StopReason
    fault: Fault
    stage: str = "environment"
    seconds: float = 0.0


Command = Reset | Generate | RunTools | Step | ScoreEpisode | Done
Event = Opened | Generated | Exhausted | ToolsRan | Stepped | Scored | Failed


class LiveEpisode:
    """One rollout, from reset to score."""

    def __init__(
        self, env: str, kind: Kind, row: Row, *, tools: Sequence[dict[str, Any]] = (),
        limits: Limits | None = None, version: str | None = None, row_index: int = 0, sample: int = 0,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.tools = tools
        self.limits = limits or Limits()
        self.messages: list[Message] = []
        self.outcomes: list[dict[str, Any]] = []
        self.turns = 0
        self._record = Episode(
            env=env, version=version, row=row, seed=row_seed(row), row_index=row_index, sample=sample,
            messages=self.messages, opening=0, stop_reason="cancelled", tool_calls=self.outcomes,
            timings={"policy": 0.0, "tools": 0.0, "environment": 0.0, "score": 0.0},
        )  # fmt: skip
        self._done = False

    @property
    def row(self) -> Row:
        """The dataset row that it plays."""
        return self._record.row

    def start(self) -> Command:
        """The first thing to do."""
        return Reset(self._record.row, self._record.seed)

    def feed(self, event: Event) -> Command:
        """What to do next, now that this happened."""
        if self._done:
            raise EpisodeOverError(f"{event!r:.80} came after the end of the episode.")
        self._record.timings[event.stage] += event.seconds
        try:
            return self._next(event)
        except (ContractError, ScoreError) as exc:  # a message or an observation that is none
            policy = event.stage == "policy"
            fault = Fault("policy" if policy else "environment", event.stage, type(exc).__name__, str(exc))
            return self._finish(stop_reason="policy_error" if policy else "env_error", error=fault)

    def _next(self, event: Event) -> Command:
        match event:
            case Opened():
                return self._opened(event)
            case Generated():
                return self._generated(event.turn)
            case Exhausted():
                return self._stop("max_tokens")
            case ToolsRan():
                return self._tools_ran(event)
            case Stepped():
                return self._stepped(event)
            case Scored():
                metrics = {**self._record.metrics, **event.score.metrics}
                return self._finish(reward=event.score.value, rewards=event.score.parts, metrics=metrics)
            case Failed():
                return self._finish(stop_reason=event.reason, error=event.fault)

    def _opened(self, event: Opened) -> Command:
        prompt = prompt_messages(self._record.row["prompt"])
        opening = prompt if event.observation is None else opening_messages(prompt, event.observation)
        self.messages += opening
        self._record = replace(self._record, opening=len(opening))
        return self._generate()

    def _generate(self) -> Command:
        return Generate(self.messages, self.tools, self.turns)

    def _generated(self, turn: Turn) -> Command:
        message = assistant_message(turn.message, self.turns)
        self.messages.append(message)
        self.turns += 1
        self._count(turn)
        if turn.finish_reason == "length":
            return self._stop("length")
        if self.kind == "multi-turn":
            return Step(message)
        calls = tool_calls_of(message) if self.kind == "tools" else []
        if not calls:
            return self._stop("terminated")
        allowed = self.limits.tool_calls
        if allowed is not None and len(self.outcomes) + len(calls) > allowed:
            return self._stop("max_tool_calls")
        return RunTools(calls, self.messages, self.turns)

    def _tools_ran(self, event: ToolsRan) -> Command:
        self.outcomes += [outcome.as_json() for outcome in event.outcomes]
        self.messages += [outcome.as_message() for outcome in event.outcomes]
        return self._go_on()

    def _stepped(self, event: Stepped) -> Command:
        self.messages += observation_messages(event.observation)
        self._record.step_rewards.append(event.reward)
        self._record.metrics.update(_checked_metrics(event.info.get("metrics")))
        if event.terminated:
            return self._stop("terminated")
        if event.truncated:
            return self._stop("max_turns" if event.info.get("stop_reason") == "max_turns" else "truncated")
        return self._go_on()

    def _go_on(self) -> Command:
        """The next turn, unless a limit is reached."""
        limits = self.limits
        if limits.turns is not None and self.turns >= limits.turns:
            return self._stop("max_turns")
        if limits.tokens is not None and self._record.usage.get("completion_tokens", 0) >= limits.tokens:
            return self._stop("max_tokens")
        return self._generate()

    def _stop(self, reason: StopReason) -> Command:
        self._record = replace(self._record, stop_reason=reason, turns=self.turns)
        return ScoreEpisode(self._record)

    def _finish(self, **changes: Any) -> Done:
        self._done = True
        return Done(replace(self._record, turns=self.turns, **changes))

    def _count(self, turn: Turn) -> None:
        """Add up the tokens, and keep their ids and logprobs where the policy gave them for every turn."""
        usage = self._record.usage
        for name, count in (
            ("prompt_tokens", turn.prompt_tokens),
            ("completion_tokens", turn.completion_tokens),
        ):
            if count is not None:
                usage[name] = usage.get(name, 0) + count
        record = self._record
        self._record = replace(
            record,
            token_ids=_appended(record.token_ids, turn.token_ids, self.turns),
            logprobs=_appended(record.logprobs, turn.logprobs, self.turns),
        )


def _checked_metrics(metrics: Any) -> dict[str, float]:
    """An environment's own numbers by name; what is none would spoil every mean that it enters."""
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise ContractError(f"info['metrics'] is {metrics!r:.80}.", "Make it a dict of names and numbers.")
    checked = {str(name): check_score(value, f"the metric {name!r}") for name, value in metrics.items()}
    return {name: value for name, value in checked.items() if value is not None}


def _appended(kept: list[list[Any]] | None, values: list[Any] | None, turns: int) -> list[list[Any]] | None:
    """What was kept of the turns before with this one's, or None once a turn had nothing to keep."""
    if values is None or (kept is None and turns > 1):
        return None
    return [*(kept or ()), values]
