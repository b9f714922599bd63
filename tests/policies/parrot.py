"""A small environment, and what a real evaluation of it leaves on disk."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema

from grpo_env_sdk import Episode, evaluate
from grpo_env_sdk.policies import Request
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from grpo_env_sdk.policies.retry import Retries
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.types import Turn

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/episode-v1.json").read_text())
RECORD = jsonschema.Draft202012Validator(SCHEMA)
QUICK = Retries(attempts=4, first_wait=0.01)


class Parrot:
    """Say what you are told."""

    def __init__(self, rows: int = 6):
        self.rows = rows

    def build_dataset(self, tokenizer):
        said = [f"say {n}." for n in range(self.rows)]
        return [{"prompt": [{"role": "user", "content": text}], "said": text} for text in said]

    def score_episode(self, model, tokenizer, completion, said):
        return float(completion[-1]["content"] == said)

    def solve(self, row):
        return row["said"]


def model_at(url: str, retries: Retries = QUICK, **options: Any) -> OpenAIPolicy:
    """A policy that waits for milliseconds where it would wait for seconds."""
    return OpenAIPolicy("any", url, retries=retries, **options)


def played(env: Any, policy: Any, out: Path, **plan: Any) -> list[Episode]:
    """The records of an evaluation of all rows, as they stand on disk, in the order of rows."""
    evaluate(env, policy, out=out, **{"split": "all", **plan})
    for line in (out / "episodes.jsonl").read_bytes().splitlines():
        RECORD.validate(json.loads(line))
    return sorted(open_run(out).episodes(), key=lambda episode: (episode.row_index, episode.sample))


def everything_in(folder: Path) -> str:
    """All that a run wrote."""
    return "\n".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def ask(policy: Any, text: str = "say 1.", turn: int = 0) -> Turn:
    """One answer, without an environment."""

    async def respond() -> Turn:
        try:
            return await policy.respond(Request([{"role": "user", "content": text}], turn=turn))
        finally:
            await policy.close()

    return asyncio.run(respond())
