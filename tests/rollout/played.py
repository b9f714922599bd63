"""Episodes played for a test, each valid against the published schema of records."""

import asyncio
import json
from pathlib import Path

import jsonschema

from grpo_env_sdk import Episode, load
from grpo_env_sdk.policies import Policy, make_policy
from grpo_env_sdk.rollout.driver import Rollout, jobs_for
from grpo_env_sdk.rollout.in_threads import rollouts
from grpo_env_sdk.types import Turn

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/episode-v1.json").read_text())
RECORD = jsonschema.Draft202012Validator(SCHEMA)


def play(env, policy: str | Policy = "gold", rows=None, samples=1, jobs=None, **options) -> list[Episode]:
    """Every record, in the order of rows, each valid against the published schema."""

    async def collect():
        loaded = load(env)
        found = loaded.rows()[:rows]
        made = make_policy(policy) if isinstance(policy, str) else policy
        work = jobs_for(found, samples) if jobs is None else jobs
        return [episode async for episode in rollouts(loaded, found, Rollout(made, **options), work)]

    episodes = asyncio.run(collect())
    for episode in episodes:
        RECORD.validate(json.loads(json.dumps(episode.as_json())))
    return sorted(episodes, key=lambda episode: (episode.row_index, episode.sample))


def untimed(episode: Episode) -> dict:
    record = json.loads(json.dumps(episode.as_json()))
    for call in record["tool_calls"]:
        del call["seconds"]
    return record | {"timings": None}


class Says:
    """A policy that says one thing."""

    name = "says"

    def __init__(self, *messages):
        self.messages = messages

    async def respond(self, request):
        return Turn(self.messages[min(request.turn, len(self.messages) - 1)])
