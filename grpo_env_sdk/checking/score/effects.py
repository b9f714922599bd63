"""Side effects of scoring: it awaits its coroutines, blocks nothing, and executes nothing that a model wrote."""

import asyncio
import gc
import inspect
import sys
import time
import warnings
from collections.abc import Awaitable, Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answers import answers_tried
from grpo_env_sdk.checking.evidence.playing.tool_parameters import random_arguments
from grpo_env_sdk.checking.evidence.quick_collections import quick_collections
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding

_MARK = "grpo_env_was_executed"
_PAYLOAD = f"__import__('sys').modules.__setitem__('{_MARK}', 1)"
_TEMPLATES = (
    "{}", "```python\n{}\n```", "```\n{}\n```", "<answer>{}</answer>", "\\boxed{{{}}}", "#### {}", "Answer: {}",
    '{{"answer": "{}"}}', "<tool_call>{}</tool_call>", "<code>{}</code>",
)  # fmt: skip
_BLOCKED_SECONDS = 0.05
_FEW = 6


@check("S230", severity="error")
def everything_is_awaited(subject: Subject) -> Iterator[Finding]:
    """Every coroutine is awaited; one that is not counts as true and never runs."""
    cases = [answer for answer, episode in answers_tried(subject) if not episode.error][: 8 * _FEW]
    with warnings.catch_warnings(record=True) as caught, quick_collections():
        warnings.simplefilter("always")
        episodes = subject.answers((answer.row, answer.completion) for answer in cases)
        gc.collect()
    forgotten = sorted({str(item.message) for item in caught if "was never awaited" in str(item.message)})
    if forgotten and episodes:
        name = forgotten[0].removeprefix("coroutine ").split()[0]
        yield Finding(
            f"{name} is async and is never awaited, so its result never counts.",
            "Write `await` before the call, in an `async def`: a coroutine that is not awaited counts as true.",
            episodes[0].row_index, cases[0].completion, forgotten[0],
        )  # fmt: skip


@check("S231", kinds=("single-turn",), severity="warning", share=0.5)
def async_scoring_does_not_block(subject: Subject) -> Iterator[Finding]:
    """An async scorer does not block the event loop while it waits."""
    scorer = subject.loaded.env.score_episode if hasattr(subject.loaded.env, "score_episode") else None
    if not inspect.iscoroutinefunction(scorer):
        return
    for answer, _ in answers_tried(subject)[:_FEW]:
        blocked, whole = subject.call("score_episode", _blocked, subject, answer, row=answer.row)
        if blocked > _BLOCKED_SECONDS and blocked > whole / 2:
            message = f"score_episode is async but blocked the event loop for {blocked:.2g} s of {whole:.2g} s."
            hint = "Await slow calls (asyncio.sleep, an async client), or write a plain `def` with parallel = True."
            yield Finding(message, hint, answer.row, answer.completion, round(blocked, 3))
            return


@check("S232")
def nothing_that_a_model_wrote_is_executed(subject: Subject) -> Iterator[Finding]:
    """Nothing that a model writes is executed in the process that scores it."""
    row = subject.chosen[0]
    sys.modules.pop(_MARK, None)
    for answer in [*(template.format(_PAYLOAD) for template in _TEMPLATES), *_calls(subject)]:
        subject.answer(row, answer)
        if sys.modules.pop(_MARK, None):
            where = "A tool" if isinstance(answer, list) else "The environment"
            yield Finding(
                f"{where} executed Python that the model wrote, in its own process.",
                "A model can set its own reward this way: parse with ast.literal_eval, or run code in a sandbox.",
                row, answer,
            )  # fmt: skip
            return


def _calls(subject: Subject) -> Iterator[list[Any]]:
    """A call of each tool, with the code as every text argument."""
    for tool in subject.tools_of(subject.chosen[0]):
        arguments = random_arguments(tool, subject.random, [_PAYLOAD])
        call = {"function": {"name": tool["function"]["name"], "arguments": arguments}}
        yield [{"role": "assistant", "tool_calls": [call]}, ""]


def _blocked(subject: Subject, answer: Any) -> Awaitable[tuple[float, float]]:
    """How long the event loop was blocked at most, and how long scoring took."""
    from grpo_env_sdk.rewards.scorer import Scorer, settle

    episode = subject.once(
        ("score", "record", answer.row, answer.what), lambda: subject.answer(answer.row, answer.completion)
    )

    async def main() -> tuple[float, float]:
        gaps = [0.0]

        async def tick() -> None:
            while True:
                started = time.perf_counter()
                await asyncio.sleep(0)
                gaps.append(time.perf_counter() - started)

        clock = asyncio.ensure_future(tick())
        await asyncio.sleep(0)
        started = time.perf_counter()
        await settle(Scorer(subject.loaded.env).call(episode))
        whole = time.perf_counter() - started
        await asyncio.sleep(0)
        clock.cancel()
        return max(gaps), whole

    return main()
