"""The rows of the dataset: cases of every outcome, split by shop."""

from random import Random
from typing import Any, Literal

from grpo_env_tickets.cases import Case, draw_case, outcomes
from grpo_env_tickets.policy import policy_text
from grpo_env_tickets.store import Difficulty

Split = Literal["train", "test"]
SIZES: dict[Split, int] = {"train": 1000, "test": 250}


def make_rows(difficulty: Difficulty, split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process; no shop of one split is in the other."""
    rng = Random(f"rows/{seed}/{difficulty}/{split}")
    kinds = outcomes(difficulty)
    rows: list[dict[str, Any]] = []
    while len(rows) < SIZES[split]:
        outcome = kinds[len(rows) % len(kinds)]
        rows.append(_row(draw_case(rng, difficulty, outcome, held_out=split == "test"), outcome))
    rng.shuffle(rows)
    return rows


def _row(case: Case, outcome: str) -> dict[str, Any]:
    rules = policy_text(case.difficulty)
    prompt = [{"role": "system", "content": rules}, {"role": "user", "content": case.opening}]
    return {"prompt": prompt, "outcome": outcome, **case.as_columns()}
