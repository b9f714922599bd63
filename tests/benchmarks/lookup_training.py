"""Three look-ups and an answer, over our bridge and by hand for TRL; a table stands in for what a model samples."""

import json
import runpy
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

from grpo_env_sdk import ToolEnv, reward, tool
from grpo_env_trl import trainer_kwargs
from grpo_env_trl.training.quiet import quiet_libraries

ROLLOUTS = 16
CALLS = 3
TURNS = CALLS + 1
PLUGIN_TESTS = Path(__file__).parents[2] / "plugins" / "grpo-env-trl" / "tests"
tiny_model = runpy.run_path(str(PLUGIN_TESTS / "tiny_models.py"))["tiny_model"]


def prompts() -> Dataset:
    """The rows of both sides."""
    return Dataset.from_list([{"prompt": [{"role": "user", "content": f"Question {i}?"}]} for i in range(64)])


def found(name: str, page: int, seconds: float, letters: int) -> str:
    """What a look-up finds, after a while."""
    if seconds:
        time.sleep(seconds)
    return f"page {page} of {name}".ljust(letters, ".")


class Lookups(ToolEnv):
    """Look something up, which takes a while, and say done."""

    max_turns = TURNS + 1

    def __init__(self, seconds: float = 0.0, letters: int = 0) -> None:
        self.seconds, self.letters = seconds, letters

    def build_dataset(self, tokenizer: Any) -> Dataset:
        """Questions."""
        return prompts()

    @tool
    def look_up(self, name: str, page: int = 0) -> str:
        """Look something up.

        Args:
            name: What.
            page: Which page of it.
        """
        return found(name, page, self.seconds, self.letters)

    @reward
    def right(self, completion: list[dict[str, Any]]) -> float:
        """Whether it said done."""
        return float(completion[-1]["content"] == "done")


class StockLookups:
    """The same as TRL's guide has people write it."""

    def __init__(self, seconds: float, letters: int) -> None:
        self.seconds, self.letters = seconds, letters

    def reset(self, **row: Any) -> None:
        """Nothing is kept between calls."""

    def look_up(self, name: str, page: int = 0) -> str:
        """Look something up.

        Args:
            name: What.
            page: Which page of it.
        """
        return found(name, page, self.seconds, self.letters)


def right(completions: list[list[dict[str, Any]]], **given: Any) -> list[float]:
    """Whether each said done."""
    return [float(completion[-1]["content"] == "done") for completion in completions]


def call_text(page: int) -> str:
    """A call as a model of the Qwen3 family writes it."""
    call = {"name": "look_up", "arguments": {"name": "x", "page": page}}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call><|im_end|>"


class ScriptedTrainer(GRPOTrainer):  # type: ignore[misc]  # TRL has no types
    """A real trainer whose model costs nothing: all rollouts are in step, and say what the table has next."""

    def __init__(self, tokenizer: Any, **kwargs: Any) -> None:
        texts = [*map(call_text, range(CALLS)), "done<|im_end|>"]
        self.table = [tokenizer(text)["input_ids"] for text in texts]
        self.calls = 0
        super().__init__(processing_class=tokenizer, **kwargs)
        self.model.train()
        self.batch = next(iter(self.get_train_dataloader()))

    def _generate_single_turn(self, prompt_ids: list[list[int]], *args: Any, **kwargs: Any) -> tuple[Any, None]:
        ids = self.table[self.calls % TURNS]
        self.calls += 1
        return [list(ids) for _ in prompt_ids], None

    def play(self) -> tuple[float, float]:
        """Wall and CPU seconds of a batch: rollouts played, parsed, scored and made into tensors, nothing learnt."""
        wall, cpu = time.perf_counter(), time.process_time()
        self._generate_and_score_completions(self.batch)
        spent = time.perf_counter() - wall, time.process_time() - cpu
        assert self._metrics["train"]["reward"][-1] == 1.0, "a rollout went wrong"
        return spent


@quiet_libraries()
def trainers(seconds: float = 0.0, letters: int = 0) -> dict[str, ScriptedTrainer]:
    """Both sides, on the same rows and settings, with a tool that takes so long and finds so much."""
    torch.set_num_threads(1)  # what threads cost while they wait is not the bridge's
    made = {}
    for name in ("grpo-env-trl", "stock TRL"):
        model, tokenizer = tiny_model("qwen3")
        args = GRPOConfig(
            tempfile.gettempdir(), use_cpu=True, bf16=False, gradient_checkpointing=False, report_to="none",
            per_device_train_batch_size=ROLLOUTS, num_generations=4, max_completion_length=7000,
        )  # fmt: skip
        if name == "stock TRL":
            factory = partial(StockLookups, seconds, letters)
            kwargs = {"environment_factory": factory, "reward_funcs": right, "train_dataset": prompts(), "args": args}
        else:
            kwargs = trainer_kwargs(Lookups, tokenizer, args=args, config={"seconds": seconds, "letters": letters})
            kwargs.pop("processing_class")
        made[name] = ScriptedTrainer(tokenizer, model=model, **kwargs)
    return made
