"""One episode as a state machine without I/O: fed events, it returns what is to be done next, as data.

It knows no thread, socket, clock or model. Its driver carries out each command and feeds back the event:

    command = episode.start()
    while not isinstance(command, Done):
        command = episode.feed(carry_out(command))
    command.episode
"""

from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.data.messages import MAX_CALLS, assistant_message, calls_of, observation_messages, same
from grpo_env_sdk.data.opening import row_messages, row_opening
from grpo_env_sdk.data.viewed import view_entry
from grpo_env_sdk.envs.description import EnvDescription
from grpo_env_sdk.envs.model_user import UserPrompt, someone_spoke
from grpo_env_sdk.errors import ContractError, EpisodeOverError, ScoreError
from grpo_env_sdk.isolation.values.error_text import MOST_CHARS, cut
from grpo_env_sdk.rewards.rubric import check_score
from grpo_env_sdk.rollout.commands import (
    AskUser,
    Command,
    Done,
    Event,
    Exhausted,
    Failed,
    Generate,
    Generated,
    Limits,
    Opened,
    Reset,
    RunTools,
    Scored,
    ScoreEpisode,
    Step,
    Stepped,
    ToolsRan,
    UserSaid,
    View,
    Viewed,
)
from grpo_env_sdk.types import Episode, Fault, Message, Row, Schemas, StopReason, Turn, row_seed


class LiveEpisode:
    """One rollout, from reset to score."""

    def __init__(
        self, env: EnvDescription, row: Row, *, limits: Limits | None = None, row_index: int = 0, sample: int = 0,
        training: bool = False, scores: bool = True,
    ) -> None:  # fmt: skip
        self.env = env
        self.training = training
        self.scores = scores
        self.limits = limits or Limits()
        self.messages: list[Message] = []
        self.outcomes: list[dict[str, Any]] = []
        self.turns = 0
        self._user: UserPrompt | None = None
        self._asked = 0
        self.tools = env.tools
        self.row = row
        """The dataset row that it plays."""
        self._seed, self._row_index, self._sample = row_seed(row), row_index, sample
        self._tools_of_row: Schemas | None = None
        self._opening = 0
        self._step_rewards: list[float] = []
        self._metrics: dict[str, float] = {}
        self._usage: dict[str, int] = {}
        self._token_ids: list[list[int]] | None = None
        self._logprobs: list[list[float]] | None = None
        self._timings = {"policy": 0.0, "tools": 0.0, "environment": 0.0, "score": 0.0}
        if env.traits.user != "none":
            self._timings["user"] = 0.0
        self._stopped: StopReason = "cancelled"
        self._done = False
        self._read: list[Message] = []
        self._views: list[list[Any]] = []
        self._is_viewed = False

    def start(self) -> Command:
        """The first thing to do."""
        return Reset(self.row, self._seed)

    def feed(self, event: Event) -> Command:
        """What to do next, now that this happened."""
        if self._done:
            raise EpisodeOverError(f"{event!r:.80} came after the end of the episode.")
        self._timings[event.stage if event.stage in self._timings else "environment"] += event.seconds
        try:
            return self._next(event)
        except (ContractError, ScoreError) as exc:  # an invalid message or observation
            policy = event.stage == "policy"
            said = cut(str(exc), MOST_CHARS)
            fault = Fault("policy" if policy else "environment", event.stage, type(exc).__name__, said)
            return self._finish("policy_error" if policy else "env_error", error=fault)

    def _next(self, event: Event) -> Command:
        match event:
            case Opened():
                return self._opened(event)
            case Viewed():
                return self._viewed(event.messages)
            case Generated():
                return self._generated(event.turn)
            case Exhausted():
                return self._stop("max_tokens")
            case ToolsRan():
                return self._tools_ran(event)
            case UserSaid():
                return self._user_said(event)
            case Stepped():
                return self._stepped(event)
            case Scored():
                return self._scored(event)
            case Failed():
                _add_up(self._usage, event.usage)
                return self._finish(event.reason, error=event.fault)

    def _opened(self, event: Opened) -> Command:
        opening = row_messages(self.row) if event.observation is None else row_opening(self.row, event.observation)
        self.messages += opening
        self.tools = self.env.tools if event.tools is None else event.tools
        self._opening, self._tools_of_row = len(opening), event.tools
        self._user = event.user
        if self.env.traits.user != "none" and not someone_spoke(opening):
            return self._ask_user()
        return self._generate()

    def _generate(self) -> Command:
        if self.env.traits.has_view:
            return View(self.messages, self.turns)
        return Generate(self.messages, self.tools, self.turns)

    def _viewed(self, messages: list[Message]) -> Command:
        self._views.append(view_entry(self._read, self.messages, messages))
        self._read = messages
        self._is_viewed = self._is_viewed or not same(messages, self.messages)
        return Generate(messages, self.tools, self.turns, self.messages)

    def _generated(self, turn: Turn) -> Command:
        allowed = self.limits.tool_calls
        most = max(int(allowed or 0), MAX_CALLS)
        message = assistant_message(turn.message, self.turns, most)
        self.messages.append(message)
        self.turns += 1
        self._count(turn)
        if turn.finish_reason == "length":
            return self._stop("length")
        calls = calls_of(message.get("tool_calls", ()))
        if len(calls) > most:
            return self._stop("max_tool_calls")
        if self.env.traits.kind == "multi-turn":
            return Step(message)
        calls = calls if self.env.traits.kind == "tools" else []
        if not calls:
            return self._stop("terminated") if self.env.traits.user == "none" else self._ask_user()
        if allowed is not None and len(self.outcomes) + len(calls) > allowed:
            return self._stop("max_tool_calls")
        return RunTools(calls, self.messages, self.turns)

    def _tools_ran(self, event: ToolsRan) -> Command:
        self.outcomes += [outcome.as_json() for outcome in event.outcomes]
        self.messages += [outcome.as_message() for outcome in event.outcomes]
        return self._go_on()

    def _ask_user(self) -> Command:
        self._asked += 1
        return AskUser(self.messages, self.turns, self._asked - 1, self._user)

    def _user_said(self, event: UserSaid) -> Command:
        _add_up(self._usage, event.usage)
        if event.text is not None:
            self.messages.append({"role": "user", "content": event.text})
        if not self.turns:  # the first words are part of what the model is first shown
            self._opening = len(self.messages)
            return self._generate()
        return self._stop("terminated") if event.text is None or event.ended else self._go_on()

    def _stepped(self, event: Stepped) -> Command:
        self.messages += observation_messages(event.observation)
        self.outcomes += event.tool_calls
        self._step_rewards.append(event.reward)
        self._metrics.update(event.metrics)
        if event.terminated:
            return self._stop("terminated")
        return self._stop(event.stop_reason or "truncated") if event.truncated else self._go_on()

    def _scored(self, event: Scored) -> Command:
        rule = event.rule or self.env.score_rule
        values = [check_score(value, f"the host of {self.env.spec.id}") for value in event.values]
        if len(values) != (wanted := 1 if rule.by_method else len(rule.parts)):
            raise ScoreError(f"The host of {self.env.spec.id} gave {len(values)} values, not {wanted}.")
        score = rule.score(values, self._step_rewards, self.training)
        self._metrics = {**self._metrics, **event.metrics}
        return self._finish(reward=score.value, rewards=score.parts)

    def _go_on(self) -> Command:
        """The next turn, unless a limit is reached."""
        limits = self.limits
        if limits.turns is not None and self.turns >= limits.turns:
            return self._stop("max_turns")
        if limits.tokens is not None and self._usage.get("completion_tokens", 0) >= limits.tokens:
            return self._stop("max_tokens")
        return self._generate()

    def _stop(self, reason: StopReason) -> Command:
        self._stopped = reason
        return ScoreEpisode(self._record()) if self.scores else self._finish()

    def _finish(self, reason: StopReason | None = None, **changes: Any) -> Done:
        self._done = True
        self._stopped = reason or self._stopped
        return Done(self._record(**changes))

    def _record(self, **changes: Any) -> Episode:
        """What is known by now, and what changes it."""
        return Episode(
            env=self.env.spec.id, version=self.env.spec.version, row_index=self._row_index, sample=self._sample,
            row=self.row, seed=self._seed, messages=self.messages, opening=self._opening, stop_reason=self._stopped,
            step_rewards=self._step_rewards, turns=self.turns, tool_calls=self.outcomes, timings=self._timings,
            usage=self._usage, token_ids=self._token_ids, logprobs=self._logprobs, metrics=self._metrics,
            tools=self._tools_of_row, views=self._views if self._is_viewed else None, **changes,
        )  # fmt: skip

    def _count(self, turn: Turn) -> None:
        """Add up the tokens, and keep their ids and logprobs where the policy gave them for every turn."""
        _add_up(self._usage, {"prompt_tokens": turn.prompt_tokens, "completion_tokens": turn.completion_tokens})
        self._token_ids = _appended(self._token_ids, turn.token_ids, self.turns)
        self._logprobs = _appended(self._logprobs, turn.logprobs, self.turns)


def _add_up(usage: dict[str, int], counts: Mapping[str, int | None]) -> None:
    for name, count in counts.items():
        if count is not None:
            usage[name] = usage.get(name, 0) + count


def _appended(kept: list[list[Any]] | None, values: list[Any] | None, turns: int) -> list[list[Any]] | None:
    """What was kept of the turns before with this one's, or None once a turn had nothing to keep."""
    if values is None or (kept is None and turns > 1):
        return None
    return [*(kept or ()), values]
