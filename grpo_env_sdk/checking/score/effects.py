"""What scoring does beside giving a number: it awaits, holds up nobody, and runs nothing that a model wrote."""

import asyncio
import gc
import inspect
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import answers_tried
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.policies.random_arguments import draw

_MARK = "grpo_env_was_executed"
_PAYLOAD = f"__import__('sys').modules.__setitem__('{_MARK}', 1)"
_SHELLS = ("{}", "```python\n{}\n```", "```\n{}\n```", "<answer>{}</answer>", "\\boxed{{{}}}", "#### {}", "Answer: {}",
           '{{"answer": "{}"}}', "<tool_call>{}</tool_call>", "<code>{}</code>")  # fmt: skip
_HELD_SECONDS = 0.05
_FEW = 6


@check("S230", severity="error")
def everything_is_awaited(subject: Subject) -> Iterator[Finding]:
    """Every coroutine that scoring makes is awaited; one that is not counts as true and never runs."""
    cases = [said for said, episode in answers_tried(subject) if not episode.error][: 8 * _FEW]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        episodes = subject.answers((said.row, said.completion) for said in cases)
        gc.collect()
    forgotten = sorted({str(item.message) for item in caught if "was never awaited" in str(item.message)})
    if forgotten and episodes:
        name = forgotten[0].removeprefix("coroutine ").split()[0]
        yield Finding(
            f"{name} is async and is never awaited, so what it would find never counts.",
            "Write `await` before the call, in an `async def`: a coroutine that is not awaited counts as true.",
            episodes[0].row_index, cases[0].completion, forgotten[0],
        )  # fmt: skip


@check("S231", kinds=("single-turn",), severity="warning", share=0.5)
def async_scoring_holds_up_nobody(subject: Subject) -> Iterator[Finding]:
    """An async scorer gives way while it waits, so that others are scored meanwhile."""
    scorer = subject.loaded.env.score_episode if hasattr(subject.loaded.env, "score_episode") else None
    if not inspect.iscoroutinefunction(scorer):
        return
    for said, _ in answers_tried(subject)[:_FEW]:
        held, whole = subject.call("score_episode", _held, subject, said, row=said.row)
        if held > _HELD_SECONDS and held > whole / 2:
            message = f"score_episode is async, and held the event loop for {held:.2g} s of {whole:.2g} s."
            hint = "Await what waits (asyncio.sleep, an async client), or make it a plain `def` with parallel = True."
            yield Finding(message, hint, said.row, said.completion, round(held, 3))
            return


@check("S232")
def nothing_that_a_model_wrote_is_executed(subject: Subject) -> Iterator[Finding]:
    """What a model writes is never executed in the process that scores it."""
    row = subject.chosen[0]
    sys.modules.pop(_MARK, None)
    for said in [*(shell.format(_PAYLOAD) for shell in _SHELLS), *_calls(subject)]:
        subject.answer(row, said)
        if sys.modules.pop(_MARK, None):
            where = "A tool" if isinstance(said, list) else "The environment"
            yield Finding(
                f"{where} executed Python that the model wrote, in its own process.",
                "A model can set its own reward so: parse with ast.literal_eval, or run code in a sandboxed process.",
                row, said,
            )  # fmt: skip
            return


def _calls(subject: Subject) -> Iterator[list[Any]]:
    """A call of each tool, with the code as every text that it takes."""
    for tool in subject.tools:
        function = tool["function"]
        arguments = draw({"type": "object", **(function.get("parameters") or {})}, subject.random, [_PAYLOAD])
        call = {"function": {"name": function["name"], "arguments": arguments}}
        yield [{"role": "assistant", "tool_calls": [call]}, ""]


def _held(subject: Subject, said: Any) -> tuple[float, float]:
    """How long a clock beside the scorer stood still at most, and how long scoring took."""
    from grpo_env_sdk.rewards.scorer import Scorer, settle

    episode = subject.once(("score", "record", said.row, said.what), lambda: subject.answer(said.row, said.completion))

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

    return asyncio.run(main())
