"""A scorer of Inspect as a reward of an environment; Inspect is imported when an episode is scored."""

import importlib
import math
from collections.abc import Callable, Mapping
from typing import Any

from grpo_env_sdk.data.messages import answer_text, content_text, tool_calls_of
from grpo_env_sdk.errors import ConfigError, ScoreError
from grpo_env_sdk.isolation.author_code.arguments import reads
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.trl_functions import function_name
from grpo_env_sdk.types import Episode, Message, Range

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What Inspect's letters are: correct, partially correct, incorrect, no answer."""
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MODEL = "none/episode"
"""The name of the model in the state of a scorer, which answered already."""


def from_inspect(
    scorer: Callable[..., Any],
    *,
    target: str = "answer",
    weight: float = 1.0,
    name: str | None = None,
    range: Range = (0.0, 1.0),
    parts: Mapping[str, float] | None = None,
) -> Reward:
    """A reward from a scorer of Inspect, as `match()`; `target` names the column with the right answer.

    ```python
    rewards = [from_inspect(match(numeric=True), target="answer")]
    ```

    `parts` are the weights of the values of a scorer that gives several. A score that is NaN abstains. One that does
    not read its target, as Inspect lets every scorer have one, needs no column.
    """
    if not callable(scorer) or isinstance(scorer, type):
        raise ConfigError(f"{scorer!r:.80} is not a scorer.", "Call it: from_inspect(match()).")
    named = name or _name_of(scorer)

    async def score(episode: Episode, target: Any) -> Any:
        inspect_ai = _Inspect()
        texts = [str(one) for one in target] if isinstance(target, list | tuple) else str(target)
        found = await scorer(inspect_ai.state(episode), inspect_ai.target(texts))
        value = getattr(found, "value", None)  # no score at all abstains
        if isinstance(value, Mapping):
            if parts is None:
                raise ScoreError(f"The scorer {named!r} gave several values.", f"Weigh them: {_example(value)}.")
            return {key: _number(item, named) for key, item in value.items()}
        return _number(value, named)

    async def score_alone(episode: Episode) -> Any:
        return await score(episode, "")

    if not reads(scorer, 1):
        return Reward(score_alone, named, weight, range, parts=parts)
    hint = f"Its target is the column {target!r}; name another one: from_inspect({named}, target=...)."
    return Reward(score, named, weight, range, {"target": target}, parts, hint)


class _Inspect:
    """The classes of Inspect that the state of a scorer is made of."""

    def __init__(self) -> None:
        try:
            self.model, self.solver, self.scorer, self.tool = (
                importlib.import_module(f"inspect_ai.{name}") for name in ("model", "solver", "scorer", "tool")
            )
        except ImportError as exc:
            raise ConfigError(f"from_inspect needs Inspect: {exc}.", "pip install inspect-ai") from exc

    def target(self, texts: Any) -> Any:
        return self.scorer.Target(texts)

    def state(self, episode: Episode) -> Any:
        """What Inspect knows of a sample that was answered."""
        row, messages = episode.row, [self._message(message) for message in episode.messages]
        prompt = row["prompt"]
        own = row.get("metadata")
        output = self.model.ModelOutput.from_content(_MODEL, answer_text(episode.completion))
        return self.solver.TaskState(
            model=self.model.ModelName(_MODEL), sample_id=episode.row_index, epoch=episode.sample + 1,
            input=prompt if isinstance(prompt, str) else messages[: episode.opening], messages=messages,
            choices=row.get("choices"), output=output, completed=True,
            metadata={**row, **(own if isinstance(own, Mapping) else {})},
        )  # fmt: skip

    def _message(self, message: Message) -> Any:
        content = content_text(message.get("content"))
        match message["role"]:
            case "assistant":
                calls = [self._call(call) for call in tool_calls_of(message)]
                return self.model.ChatMessageAssistant(content=content, tool_calls=calls or None)
            case "tool":
                return self.model.ChatMessageTool(content=content, tool_call_id=message.get("tool_call_id"))
            case "system":
                return self.model.ChatMessageSystem(content=content)
            case _:
                return self.model.ChatMessageUser(content=content)

    def _call(self, call: Any) -> Any:
        arguments = call.arguments if isinstance(call.arguments, dict) else {}
        return self.tool.ToolCall(id=call.id, function=call.name, arguments=arguments)


def _example(values: Mapping[str, Any]) -> str:
    weights = ", ".join(f'"{name}": 1.0' for name in values)
    return f"parts={{{weights}}}"


def _name_of(scorer: Any) -> str:
    """The name under which Inspect registered a scorer, without its package."""
    registered = getattr(getattr(scorer, "__registry_info__", None), "name", "")
    return str(registered).rpartition("/")[2] or function_name(scorer)


def _number(value: Any, name: str) -> float | None:
    """A value of a score as a number; NaN is how Inspect writes that there is none."""
    if isinstance(value, str):
        found = _GRADES.get(value, _WORDS.get(value.strip().lower()))
        if found is not None:
            return found
        try:
            value = float(value)
        except ValueError:
            raise ScoreError(f"The scorer {name!r} gave {value!r:.80}.", "Give C, P, I, N, or a number.") from None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value  # type: ignore[no-any-return]  # checked with all values of rewards
