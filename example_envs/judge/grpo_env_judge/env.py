"""`JudgeEnv`: the reward, the choice of a judge and the gold answer of `judge-v1`."""

from typing import Any

from grpo_env_sdk import Row, SingleTurnEnv, answer_text, metric, reward
from grpo_env_sdk.policies.retry import Retries

from grpo_env_judge.endpoint_judge import EndpointJudge
from grpo_env_judge.facts import Facts
from grpo_env_judge.heuristic_judge import HeuristicJudge
from grpo_env_judge.judge import Judge
from grpo_env_judge.rows import Split, make_rows
from grpo_env_judge.wording import notice

MOST_CHARS = 300


class JudgeEnv(SingleTurnEnv):
    """Write a notice from facts, some of which have changed; a judge grades how well it reads.

    Args:
        base_url: The judge's server, such as `http://127.0.0.1:8000/v1`; None uses rules, offline.
        model: The name of the judge's model on that server.
        key_variable: The environment variable with the judge's key; None sends no key.
        seconds: How long a verdict may take, for all attempts together.
        attempts: How often a failed request or an unreadable reply is tried.
        seed: Which events are drawn.
    """

    def __init__(
        self,
        base_url: str | None = None,
        model: str | None = None,
        key_variable: str | None = None,
        seconds: float = 20.0,
        attempts: int = 3,
        seed: int = 0,
    ) -> None:
        self.seed = seed
        self.judge: Judge = HeuristicJudge()
        if base_url and model:
            self.judge = EndpointJudge(base_url, model, key_variable, seconds, Retries(attempts))
        elif base_url or model or key_variable:
            told = f"base_url is {base_url!r} and model is {model!r}"
            raise ValueError(f"{told}; a judge behind a server needs both.")

    def build_dataset(self, tokenizer: Any, split: Split = "train") -> list[dict[str, Any]]:
        """2,000 training events and 500 held-out ones."""
        return make_rows(split, self.seed)

    @reward(name="judge")
    async def judged(self, completion: Any, row: Row) -> float | None:
        """The judge's verdict, times the share of facts in the notice; None if the judge fails.

        The judge is not asked about a text that has no fact or is not a notice: code can check this.
        """
        share = self.facts_told(completion, row)
        verdict = await self.judge.verdict(Facts.from_row(row), answer_text(completion)) if share else 0.0
        return None if verdict is None else share * verdict

    @metric
    def facts_told(self, completion: Any, row: Row) -> float:
        """The share of facts in the notice; 0 if it is longer than a board allows or has several lines."""
        text = answer_text(completion)
        fits = len(text) <= MOST_CHARS and text.isprintable()
        return Facts.from_row(row).share_told(text) if fits else 0.0

    def solve(self, row: Row) -> str:
        """The gold answer."""
        return notice(Facts.from_row(row))
