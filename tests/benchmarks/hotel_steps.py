"""A training step of `hotel-v1` with the demo model: our bridge, and the same task by hand for TRL."""

import copy
import tempfile
import time
from statistics import mean, median
from typing import Any

from datasets import Dataset
from transformers import TrainerCallback
from transformers.trainer_callback import PrinterCallback
from trl import GRPOConfig, GRPOTrainer

from grpo_env_hotel import HotelEnv
from grpo_env_sdk import load
from grpo_env_trl import trainer_kwargs
from grpo_env_trl.demo import DemoModel, demo_settings, make_demo_model
from grpo_env_trl.training.quiet import quiet_libraries
from tests.benchmarks.stock_hotel import StockHotel, score
from tests.benchmarks.table import Table

OURS, STOCK = "grpo-env-trl", "stock TRL"
STEPS, ROUNDS = 6, 5


class SortedHotel(HotelEnv):
    """Its tools in the order in which TRL lists methods, so that both sides read the same prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.toolbox.tools = dict(sorted(self.toolbox.tools.items()))


class Clock(TrainerCallback):
    """Wall and CPU seconds of every step, and how many tokens were sampled in it."""

    def __init__(self) -> None:
        self.steps: list[tuple[float, float]] = []
        self.tokens: list[float] = []

    def on_step_begin(self, *given: Any, **more: Any) -> None:
        """The batch of this step is still to be generated."""
        self.began = time.perf_counter(), time.process_time()

    def on_step_end(self, *given: Any, **more: Any) -> None:
        """The weights have moved."""
        wall, cpu = self.began
        self.steps.append((time.perf_counter() - wall, time.process_time() - cpu))

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
        """TRL counts what the model sampled, observations left out."""
        if "completions/mean_length" in logs:
            self.tokens.append(logs["completions/mean_length"] * args.generation_batch_size)


@quiet_libraries()
def measure() -> Table:
    """Seconds of a step, wall and CPU, and tokens sampled in it."""
    loaded = load(SortedHotel)
    demo = make_demo_model(loaded, loaded.rows("train"))
    clocks: dict[str, list[Clock]] = {OURS: [], STOCK: []}
    for number in range(ROUNDS):
        for name in (STOCK, OURS) if number % 2 else (OURS, STOCK):
            clocks[name].append(_trained(name, copy.deepcopy(demo.model), demo, number))
    walls, cpus, tokens = zip(*(_of(clocks[name]) for name in clocks), strict=True)
    rows = [
        [name, f"{wall:.2f} s", f"{wall / walls[0]:.2f}", f"{cpu:.2f} s", f"{sampled:,.0f}"]
        for name, wall, cpu, sampled in zip(clocks, walls, cpus, tokens, strict=True)
    ]
    return Table(
        "A training step",
        "`hotel-v1` with the demo model and its settings, and the same tools and rewards by hand for TRL's "
        "`environment_factory`: the same model, rows, seeds and generator. The cap of tokens a turn that the command "
        "sets is ours alone, as TRL has none; and a call that cannot be read is answered here, where there it ends the "
        f"episode. Median of {ROUNDS} trainings of {STEPS} steps each, taken in turn. To hold: not slower.",
        ["trained by", "wall a step", "times ours", "CPU a step", "tokens sampled a step"],
        rows,
    )


def _of(clocks: list[Clock]) -> tuple[float, float, float]:
    steps = [step for clock in clocks for step in clock.steps]
    sampled = mean(tokens for clock in clocks for tokens in clock.tokens)
    return median(wall for wall, _ in steps), median(cpu for _, cpu in steps), sampled


def _trained(name: str, model: Any, demo: DemoModel, seed: int) -> Clock:
    """The clock of a few steps."""
    clock = Clock()
    args = GRPOConfig(**{**demo_settings(), "max_steps": STEPS, "seed": seed}, output_dir=tempfile.gettempdir(),
                      report_to="none", logging_steps=1, save_strategy="no", disable_tqdm=True)  # fmt: skip
    if name == OURS:
        most = demo.max_turn_tokens
        kwargs = trainer_kwargs(SortedHotel, demo.tokenizer, args=args, max_turn_tokens=most, callbacks=[clock])
    else:
        args.max_tool_calling_iterations = 3
        kwargs = {
            "args": args, "processing_class": demo.tokenizer, "environment_factory": StockHotel, "reward_funcs": score,
            "train_dataset": Dataset.from_list(list(load(SortedHotel).rows("train"))), "callbacks": [clock],
        }  # fmt: skip
    trainer = GRPOTrainer(model=model, **kwargs)
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return clock
