"""Demonstrations for the warm start of the demo model, played in the environment itself."""

import math
import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from grpo_env_sdk import Episode, Message, Policy, Sampling, Toolbox, ToolCall
from grpo_env_sdk.ext import (
    GoldPolicy,
    LoadedEnv,
    Rollout,
    Rows,
    Schemas,
    ToolOutcome,
    UsageError,
    jobs_for,
    qualified,
    rollouts,
    run_coroutine,
)
from grpo_env_trl.demo.random_demos import RandomDemoPolicy
from grpo_env_trl.demo.slot_values import Values
from grpo_env_trl.independent_copy import independent_copy
from grpo_env_trl.progress import Progress
from grpo_env_trl.tokens.segments import stretches_of

_SOLVED_ROWS = 1000


@dataclass(frozen=True)
class Demonstrations:
    """Episodes by `solve`, episodes with random values, and which words are values."""

    solved: list[list[Message]]
    randomized: list[list[Message]]
    values: Values
    tools: list[Schemas]
    """The tools of each of `solved`."""
    tools_of_randomized: list[Schemas]
    earlier: list[int]
    """How many of the assistant's messages in each of `randomized` are shown, and not to be imitated."""


def demonstrate(loaded: LoadedEnv, rows: Rows, seed: int, progress: Progress, count: int) -> Demonstrations:
    """Play each row as `solve` does, then at least `count` episodes in all with random values."""
    if not loaded.traits.solvable:
        raise UsageError(
            f"{loaded.spec.id} has no solve(row), which the demo model needs for its warm start.",
            "Add a `solve` method, or use a model of your own with --model.",
        )
    beside = independent_copy(loaded)
    chosen = rows[:_SOLVED_ROWS]
    solved = _played(beside, chosen, GoldPolicy(), 1, seed, lambda done, of: progress("solving", done, of))
    solutions = {episode.row_index: _said(episode) for episode in solved}
    values = Values([episode.messages for episode in solved])
    chosen = Rows(rows.dataset, sorted(solutions), rows.offset)
    randomized = _played(
        beside, chosen, RandomDemoPolicy(solutions, values), math.ceil(count / len(chosen)), seed,
        lambda done, of: progress("demonstrating", done, of),
    )  # fmt: skip
    stretches = [(stretch, _tools_of(one, loaded)) for one in randomized for stretch in stretches_of(one)]
    if len(stretches) > (most := max(count, len(randomized))):  # a view gives an episode many
        stretches = [stretches[place] for place in sorted(random.Random(seed).sample(range(len(stretches)), most))]
    return Demonstrations(
        [episode.messages for episode in solved], [stretch.messages for stretch, _ in stretches], values,
        [_tools_of(episode, loaded) for episode in solved], [tools for _, tools in stretches],
        [stretch.earlier for stretch, _ in stretches],
    )  # fmt: skip


def _tools_of(episode: Episode, loaded: LoadedEnv) -> Schemas:
    return loaded.tools if episode.tools is None else episode.tools


def _played(
    loaded: LoadedEnv, rows: Rows, policy: Policy, samples: int, seed: int, progress: Callable[[int, int], None]
) -> list[Episode]:
    """The episodes that did not fail, without a reward, in the order of the rows."""
    jobs = jobs_for(rows, samples)
    rollout = Rollout(policy, Sampling(seed=seed), scores=False)
    episodes = run_coroutine(_gathered(rollouts(loaded, rows, rollout, jobs), len(jobs), progress))
    usable = [one for one in episodes if one.turns and one.error is None]
    if not usable:
        faults = Counter(f"{one.error.type}: {one.error.message}" for one in episodes if one.error)
        why = faults.most_common(1)[0][0] if faults else "it has no rows"
        raise UsageError(
            f"No episode of {loaded.spec.id} can be played: {why.rstrip('.')}.",
            f"`grpo-env test {qualified(loaded.spec)}` shows details.",
        )
    return sorted(usable, key=lambda episode: (episode.row_index, episode.sample))


async def _gathered(
    episodes: AsyncGenerator[Episode, None], of: int, progress: Callable[[int, int], None]
) -> list[Episode]:
    gathered = []
    async with aclosing(episodes) as running:
        async for episode in running:
            gathered.append(episode)
            progress(len(gathered), of)
    return gathered


def _said(episode: Episode) -> list[Message]:
    return [message for message in episode.completion if message["role"] == "assistant"]


_NAMES = 16
"""Of so many tools the replies to wrong calls are shown, where each row has its own."""
_STAND_IN = "7"
"""A placeholder for what a model may write; a number counts as a value, so that pieces of the vocabulary end there."""


def error_messages(loaded: LoadedEnv, tools: Sequence[Schemas]) -> list[list[Message]]:
    """Conversations of one message each: the replies to unknown tools and to wrong arguments for these tools."""
    if loaded.traits.kind != "tools":
        return []
    if loaded.traits.tools_of_rows:
        known = {schema["function"]["name"]: schema for shown in tools for schema in shown}
        box = Toolbox.from_schemas(list(known.values())[:_NAMES], call=lambda name, arguments: "")
    else:
        box = Toolbox.from_schemas(list(map(_as_of_function, loaded.tools)), call=lambda name, arguments: "")
    outcomes = [box.prepare(call) for call in _wrong_calls(box.schemas)]
    return [[outcome.as_message()] for outcome in outcomes if isinstance(outcome, ToolOutcome)]


def _as_of_function(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool, which refuses unknown arguments as a function does."""
    function = schema["function"]
    parameters = {"additionalProperties": False, **(function.get("parameters") or {"type": "object"})}
    return {**schema, "function": {**function, "parameters": parameters}}


def _wrong_calls(tools: list[dict[str, Any]]) -> Iterator[ToolCall]:
    """Calls without a tool, of an unknown one, without JSON; and each argument missing, unknown, or of a wrong type."""
    yield ToolCall("", "", _STAND_IN)
    yield ToolCall("", _STAND_IN, {})
    for tool in tools:
        name, parameters = tool["function"]["name"], tool["function"].get("parameters", {})
        yield ToolCall("", name, _STAND_IN)
        yield ToolCall("", name, {})
        yield ToolCall("", name, {_STAND_IN: 1})
        required = dict.fromkeys(parameters.get("required", ()), _STAND_IN)
        for argument, schema in parameters.get("properties", {}).items():
            yield ToolCall("", name, {key: value for key, value in required.items() if key != argument})
            wrong = int(_STAND_IN) if schema.get("type") == "string" else _STAND_IN
            yield ToolCall("", name, {**required, argument: wrong})
