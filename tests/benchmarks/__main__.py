"""`make bench`: measure, print the tables, and keep each in its section of docs/benchmarks.md."""

import argparse
import importlib

from tests.benchmarks.page import write_machine, write_section

MEASUREMENTS = (
    "listing", "tool_calls", "stepping", "scripted_rollouts", "memory", "http_rollouts", "slow_tools", "bridge_cpu",
    "env_pools", "turn_parsing", "hotel_steps", "gym_steps", "reasoning_gym_adapter", "port_lines",
)  # fmt: skip
ALONE = (
    "demo_seeds", "exported_page", "suite", "heavy_tails", "ray_pool", "vllm_on_cpu", "writers", "continuous_batching",
    "plan", "async_plan", "gpu_writers", "gpu_training", "gpu_memory", "soak", "testing", "learning",
)  # fmt: skip
"""What takes minutes, and is measured only where it is asked for by name."""


def main() -> None:
    """Run the measurements that were asked for, or all but those that take minutes."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    told = f"which (all but {', '.join(ALONE)})"
    parser.add_argument("names", nargs="*", choices=[[], *MEASUREMENTS, *ALONE], help=told)
    asked = parser.parse_args().names
    for name in asked or MEASUREMENTS:
        table = importlib.import_module(f"tests.benchmarks.{name}").measure()
        print(table, end="\n\n", flush=True)
        write_section(table)
    if not asked:
        write_machine()


main()
