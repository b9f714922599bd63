"""`GymnasiumEnv`: one Gymnasium environment, played in text."""

import json
from collections.abc import Callable
from functools import cached_property
from random import Random
from typing import Any, Literal

from gymnasium import Space

from grpo_env_gymnasium.actions import MARK, NotAnActionError, as_action, example_of, find_action, read_action
from grpo_env_gymnasium.calling import TOOL, called_with, tool_of
from grpo_env_gymnasium.facts import facts_of, returns_of
from grpo_env_gymnasium.game import Game
from grpo_env_gymnasium.gold import finder_of
from grpo_env_gymnasium.manual import manual_of
from grpo_env_gymnasium.screen import plain
from grpo_env_gymnasium.spoken import choices, plain_of, told
from grpo_env_sdk import Message, MultiTurnEnv, Row, answer_text, call_message, metric, reward
from grpo_env_sdk.ext import ConfigError, DatasetError, ToolOutcome, tool_calls_of

PATIENCE = 5
"""After so many answers in a row without an action, the episode ends."""
_TRIES_A_ROW = 20


class GymnasiumEnv(MultiTurnEnv):
    """A registered Gymnasium environment, played in text: one turn is one step.

    Override `show` to change what the model sees, and `read`, `write` and `manner` to change how actions are written.

    Args:
        id: Gymnasium's id, or "my_module:Maze-v0" if a module has to be imported first.
        action: `text` reads the action from the model's text; `tool` gives the model a tool to call.
        rules: Include the rules in the prompt, from the docstring of the environment.
        screen: Show the text that the environment renders, if it does; else the values of the observation.
        reward_range: The return that scores 0 and the return that scores 1; None uses the known range.
        max_turns: How many turns an episode has; None is the environment's own limit, at most 200.
        rows: How many rows; each is an episode with its own seed.
        seed: The seed from which the rows' seeds are drawn.
        inner: Config of the environment itself.
    """

    reward_range = (0.0, 1.0)

    def __init__(
        self,
        id: str,
        *,
        action: Literal["text", "tool"] = "text",
        rules: bool = True,
        screen: bool = True,
        reward_range: list[float] | None = None,
        max_turns: int | None = None,
        rows: int = 200,
        seed: int = 0,
        **inner: Any,
    ) -> None:
        for name, value in (("max_turns", max_turns), ("rows", rows)):
            if value is not None and value < 1:
                raise ConfigError(f"{name} is {value}.", "Give a whole number from 1.")
        self.game = Game(id, inner, max_turns)
        self.max_turns = self.game.turns
        self.action, self.rows, self.seed = action, rows, seed
        self.rules, self.on_screen = rules, self.game.drawn and screen
        self.manual = manual_of(self.game.cls, with_observations=not self.on_screen)
        actions = self.manual.actions
        space = self._space
        self.names = actions if getattr(space, "n", None) == len(actions) else ()
        self.returns = returns_of(self.game.spec, self.max_turns, reward_range)
        self._find = None if reward_range else finder_of(self.game)

    def build_dataset(self, tokenizer: Any) -> list[Row]:
        """A row for each seed; if a gold solution is known, its return is the row's `best`."""
        rng = Random(f"rows/{self.seed}")
        prompt = [{"role": "user", "content": self.prompt()}]
        found: list[Row] = []
        for _ in range(self.rows * _TRIES_A_ROW):
            if len(found) == self.rows:
                break
            row: Row = {"prompt": prompt, "seed": rng.getrandbits(31)}
            if self._find:
                row["best"] = self._find(self.game, row["seed"]).returned
            if self._find is None or row["best"] > self.returns[0]:  # else every answer scores the same
                found.append(row)
        if not found:
            raise DatasetError(f"Nothing can be won in {self.game.spec.id}.", "Give reward_range=[lowest, highest].")
        return found

    def prompt(self) -> str:
        """The rules from the docstring, the actions, and how to answer."""
        facts = facts_of(self.game.spec)
        parts = [
            f"You play {self.game.spec.id}.",
            self.manual.rules if self.rules else "",
            facts.legend if facts and self.on_screen else "",
            f"The actions:\n{choices(self._space, self.names)}",
            f"There are {self.max_turns} turns. {self.manner()}",
        ]
        return "\n\n".join(filter(None, parts))

    def manner(self) -> str:
        """How to answer, for the prompt and for every correction."""
        if self.action == "tool":
            return f"Call the tool {TOOL} with one action a turn."
        if self.names:
            return f"End every answer with {MARK!r} and the number of one action."
        return f"End every answer with {MARK!r} and one action, such as {json.dumps(example_of(self._space))}."

    def show(self, observation: Any) -> str:
        """The observation as text for the model."""
        if self.on_screen:
            return plain(self.game.screen())
        return told(observation, self.game.env.observation_space, self.manual.observations)

    def read(self, text: str) -> Any:
        """The action in an answer; the message of a `ValueError` is sent to the model."""
        return read_action(find_action(text), self._space, self.names)

    def write(self, action: Any) -> str:
        """The answer for an action, as the gold solution writes it."""
        value = plain_of(action, self._space)
        return f"{MARK} {value if isinstance(value, str) else json.dumps(value)}"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the episode of the row's seed."""
        self.returned, self.steps, self.mistakes, self.misses_in_a_row, self.over = 0.0, 0, 0, 0, False
        observation = self.game.reset(int(self.row.get("seed", seed or 0)))
        return self.show(observation), {}

    def step(self, action: Message) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take the action in the message; without one, the turn is lost and the model gets the reason."""
        try:
            chosen = self._chosen(action)
        except ValueError as exc:
            self.mistakes, self.misses_in_a_row = self.mistakes + 1, self.misses_in_a_row + 1
            return self._answered(action, f"{exc} {self.manner()}"), 0.0, False, self.misses_in_a_row == PATIENCE, {}
        observation, gained, terminated, truncated = self.game.step(chosen)
        self.misses_in_a_row = 0
        self.steps, self.returned = self.steps + 1, self.returned + gained
        self.over = terminated or truncated
        return self._answered(action, f"{self.show(observation)}\nreward {gained:g}"), 0.0, terminated, truncated, {}

    @reward
    def share_of_best(self, row: Row) -> float:
        """The return on a scale from the lowest (0) to the best (1); a turn not played counts as the lowest."""
        low, high = self.returns[0], row.get("best", self.returns[1])
        unplayed = self.mistakes if self.over else self.max_turns - self.steps
        counted = self.returned + unplayed * low / self.max_turns
        return float(min(1.0, max(0.0, (counted - low) / (high - low))))

    @metric
    def episode_return(self) -> float:
        """The sum of the environment's own rewards."""
        return self.returned

    @metric
    def turns_without_action(self) -> float:
        """How many answers named no action."""
        return float(self.mistakes)

    @property
    def solve(self) -> Callable[[Row], list[str | Message]] | None:
        """The function that returns the gold solution of a row, or None if none is known."""
        rewritten = type(self).read is not GymnasiumEnv.read and type(self).write is GymnasiumEnv.write
        return None if self._find is None or rewritten else self._solved

    def get_tools(self) -> list[dict[str, Any]]:
        """The tool `act`, if the model acts with a tool."""
        return [self._tool] if self.action == "tool" else []

    def close(self) -> None:
        """Close the environment."""
        self.game.close()

    @property
    def _space(self) -> Space[Any]:
        return self.game.env.action_space

    @cached_property
    def _tool(self) -> dict[str, Any]:
        return tool_of(self._space, self.names, self.game.spec.id)

    def _chosen(self, message: Message) -> Any:
        if self.action == "text":
            chosen = self.read(answer_text([message]))
        else:
            chosen = as_action(called_with(message, self._tool), self._space, self.names)
        if not self._space.contains(chosen):
            raise NotAnActionError(f"{chosen!r:.60} is no action.")
        return chosen

    def _answered(self, message: Message, text: str) -> list[Message] | str:
        """The text for the model: the result of each of its calls, if it made calls."""
        calls = tool_calls_of(message) if self.action == "tool" else []
        return [ToolOutcome(call, text).as_message() for call in calls] or text

    def _solved(self, row: Row) -> list[str | Message]:
        assert self._find is not None  # `solve` has checked this
        actions = self._find(self.game.another(), row["seed"]).actions
        if self.action == "text":
            return [self.write(action) for action in actions]
        return [call_message(TOOL, action=plain_of(action, self._space, self.names)) for action in actions]
