"""What it costs to read what the model said, after a short history and a long one."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

from trl.chat_template_utils import add_response_schema, parse_response

from grpo_env_sdk import load
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.transcript import TokenTranscript
from tests.benchmarks.lookup_training import Lookups, call_text, tiny_model
from tests.benchmarks.table import Table

SHORT, LONG = 1_000, 100_000
ROUNDS = 50


def measure() -> Table:
    """Milliseconds of one turn at both lengths, and how many times the short one the long one takes."""
    _, tokenizer = tiny_model("qwen3")
    add_response_schema(tokenizer)
    tools = load(Lookups).tools
    renderer = Renderer(tokenizer, tools, runs_tools=True, several_turns=True)
    said = tokenizer(call_text(1))["input_ids"]
    before = tokenizer("Go on. ")["input_ids"] * LONG + renderer.opening([{"role": "user", "content": "Go on."}])

    def ours(length: int) -> Callable[[], Any]:
        history = before[-length:]
        return lambda: TokenTranscript(renderer, prompt_ids=history).write(said, None).message["tool_calls"]

    def stock(length: int) -> Callable[[], Any]:
        history = before[-length:]
        return lambda: parse_response(tokenizer, said, prefix=history, tools=tools)["tool_calls"]

    rows = []
    for name, side in {"grpo-env-trl": ours, "stock TRL": stock}.items():
        short, long = _milliseconds(side(SHORT), side(LONG))
        rows.append([name, f"{short:.2f} ms", f"{long:.2f} ms", f"{long / short:.2f}"])
    return Table(
        "Reading a turn",
        f"One tool call read out of what the model sampled, after so many tokens of history. Median of {ROUNDS}. "
        "To hold: constant, and under 1 ms.",
        ["read by", f"{SHORT:,} tokens", f"{LONG:,} tokens", "times"],
        rows,
    )


def _milliseconds(*reads: Callable[[], Any]) -> list[float]:
    spent: list[list[float]] = [[] for _ in reads]
    for _ in range(ROUNDS):
        for read, found in zip(reads, spent, strict=True):
            started = time.perf_counter()
            calls = read()
            found.append((time.perf_counter() - started) * 1000)
            assert calls[0]["function"]["arguments"] == {"name": "x", "page": 1}, calls
    return [median(found) for found in spent]
