"""The columns that scorers name in their signatures: what they may compare an answer with."""

import inspect
import json
from collections.abc import Mapping

from grpo_env_sdk.checking.evidence.playing.env_under_test import EnvUnderTest
from grpo_env_sdk.rewards.reward import RESERVED, Reward
from grpo_env_sdk.rewards.rubric import Rubric

_BETWEEN = (", ", "\n", " ", "; ")
"""What may stand between the items of a list in an answer."""

_WITH_PROMPTS = ("prompt", "row", "messages", "episode", "state")
"""What a scorer may ask for that has the prompt in it."""


def columns_read(subject: EnvUnderTest) -> set[str]:
    """The columns of the rows that the scorer or a reward asks for by name."""
    env = subject.loaded.env
    names = set(inspect.signature(env.score_episode).parameters) if hasattr(env, "score_episode") else set()
    named = names.intersection(subject.rows.columns) - set(RESERVED)
    return named.union(*(columns_of(item, subject) for item in Rubric.of(env).rewards if isinstance(item, Reward)))


def may_read(subject: EnvUnderTest, column: str) -> bool:
    """Whether a scorer asks for a column, or for whole rows."""
    taken = _parameters(subject)
    return not taken or any(_asks_for(one, "row") for one in taken) or column in columns_read(subject)


def sees_prompts(subject: EnvUnderTest) -> bool:
    """Whether a scorer gets the prompt as a column, or inside something else that it asks for."""
    return any(_asks_for(one, *_WITH_PROMPTS) for one in _parameters(subject))


def is_compared_with(subject: EnvUnderTest, answers: Mapping[int, str]) -> bool:
    """Whether the scorer asks for a column that holds these answers to rows: then no other answers are right."""
    return any(
        all(_is(subject.row(row)[name], answer) for row, answer in answers.items()) for name in columns_read(subject)
    )


def _is(value: object, answer: str) -> bool:
    """Whether a value is what an answer says, as text, as JSON or as a list with commas."""
    if isinstance(value, list | dict):
        joined = [between.join(map(str, value)) for between in _BETWEEN] if isinstance(value, list) else []
        return answer in (*joined, json.dumps(value, ensure_ascii=False), json.dumps(value))
    said = answer.strip()
    apart = any(said == between.join(str(value)) for between in _BETWEEN) if len(said) > len(str(value)) else False
    return str(value).strip() == said or apart  # such as the letters of an order


def columns_of(item: Reward, subject: EnvUnderTest) -> list[str]:
    """The columns of the rows that one reward asks for."""
    names = [item.sources.get(name, name) for name in inspect.signature(item.function).parameters]
    return [name for name in names if name in subject.rows.columns and name not in RESERVED]


def _parameters(subject: EnvUnderTest) -> list[Mapping[str, inspect.Parameter]]:
    """The parameters of each reward, or of the scorer where there are none."""
    env = subject.loaded.env
    scorers = [item.function for item in Rubric.of(env).rewards if isinstance(item, Reward)]
    scorer = getattr(env, "score_episode", None)
    if not scorers and scorer is not None:
        scorers = [scorer]
    return [inspect.signature(one).parameters for one in scorers]


def _asks_for(parameters: Mapping[str, inspect.Parameter], *names: str) -> bool:
    return any(name in parameters for name in names) or any(
        each.kind is each.VAR_KEYWORD for each in parameters.values()
    )
