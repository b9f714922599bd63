"""Runs that the tests of the page look at, the worst that a transcript can contain among them."""

from pathlib import Path
from typing import Any

from grpo_env_sdk import ToolEnv, call_message, evaluate, reward, tool
from grpo_env_sdk.runs.writing import create_run
from grpo_env_sdk.types import Episode, Fault, Turn

NASTY = (
    "<script>window.pwned=1</script></script><!--<script>"
    "<img src=x onerror=window.pwned=2><svg/onload=window.pwned=3>"
    "@@SCRIPT@@ @@DATA@@ $& \u2028\u2029 \ud800 &lt; \x00\x1b[31m javascript:window.pwned=4"
)
LONG = "unbroken" * 5_000


class Refunds(ToolEnv):
    """Find an order, refund what was paid for it, and say how much."""

    max_turns = 4

    def build_dataset(self, tokenizer: Any) -> list[dict[str, Any]]:
        return [
            {"prompt": f"Refund order {1000 + i}.", "order": 1000 + i, "paid": 5 * i, "answer": f"Refunded {5 * i}."}
            for i in range(12)
        ]

    @tool
    def find_order(self, order: int) -> dict[str, Any]:
        """What is known of an order.

        Args:
            order: Its number.
        """
        if order != self.row["order"]:
            raise LookupError(f"there is no order {order}")
        return {"order": order, "paid": self.row["paid"], "note": NASTY}

    @reward(weight=3)
    def right(self, messages: Any, answer: str) -> bool:
        last: str = messages[-1]["content"]
        if "crash" in last:
            raise RuntimeError(f"the scorer cannot read {last}")
        return last == answer

    @reward
    def found(self, tool_calls: Any) -> bool:
        return any(call["error"] is None for call in tool_calls)

    def solve(self, row: dict[str, Any]) -> Any:
        yield call_message("find_order", order=row["order"])
        yield row["answer"]


class Clumsy:
    """Does something else in each of four samples: right, wrong order, nasty text, a text that breaks the scorer."""

    name = "clumsy"

    async def respond(self, request: Any) -> Turn:
        row, sample = request.row, request.sample
        if sample == 0 and request.row_index == 2:
            raise ConnectionError(f"the server hung up {NASTY}")
        if request.turn == 0:
            wrong = 999 if sample == 1 else row["order"]
            call = call_message("find_order", order=wrong)
            return Turn(call | {"reasoning_content": f"I look up {wrong}. {NASTY}"}, "tool_calls", 120, 14)
        said = {0: row["answer"], 1: "There is no such order.", 2: NASTY + LONG, 3: f"crash {NASTY}"}[sample]
        return Turn({"role": "assistant", "content": said}, "stop", 160, 9)


def refunds(folder: Path, policy: Any = "gold", **plan: Any) -> Path:
    """A real evaluation, 12 rows of the training split unless told otherwise."""
    evaluate(Refunds, policy, out=folder, split="train", **({"samples": 4} | plan))
    return folder


def many(folder: Path, episodes: int = 10_000) -> Path:
    """A run of many short episodes, four a row, a failure every hundred."""
    manifest = {"env": "many-v1", "policy": "made", "reward_range": [0.0, 1.0], "split": "train", "samples": 4}
    with create_run(folder, manifest | {"dataset_fingerprint": "f", "rows": episodes // 4}) as writer:
        for i in range(episodes):
            writer.append(_made(i))
    return folder


def _made(i: int) -> Episode:
    reward = (i * 37 % 101) / 100
    fault = Fault("environment", "score", "ValueError", f"number {i} has no score") if i % 100 == 99 else None
    said = [{"role": "user", "content": f"Say {i // 4}."}, {"role": "assistant", "content": f"the answer is {i}"}]
    return Episode(
        env="many-v1", row_index=i // 4, sample=i % 4, seed=i, messages=said, opening=1, turns=1,
        row={"prompt": f"Say {i // 4}.", "case_idx": i // 4},
        stop_reason="env_error" if fault else "terminated", error=fault,
        reward=None if fault else reward, rewards={} if fault else {"said": reward},
        timings={"policy": (i % 7) / 10, "tools": 0.0, "environment": 0.0, "score": 0.001},
    )  # fmt: skip


def write_run(folder: Path, *episodes: Episode) -> Path:
    """A run of exactly these records."""
    manifest = {"env": "toy-v1", "policy": "made", "reward_range": [0.0, 1.0], "split": "train", "samples": 1}
    with create_run(folder, manifest | {"rows": len(episodes)}) as writer:
        for episode in episodes:
            writer.append(episode)
    return folder
