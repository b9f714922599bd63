"""`make coverage-of-envs`: for each adapter, how many of its environments work, and why the others do not."""

import argparse
from collections import Counter
from collections.abc import Sequence

from grpo_env_sdk import specs
from tests.coverage_of_envs.examining import STAGES, Examined, examine

ADAPTERS = ("grpo-env-gymnasium", "grpo-env-reasoning-gym")


def main() -> None:
    """Examine each environment of some distributions, and print a line for each and the counts of all."""
    parser = argparse.ArgumentParser(prog="python -m tests.coverage_of_envs", description=__doc__)
    parser.add_argument("distributions", nargs="*", default=ADAPTERS, metavar="DIST", help=" ".join(ADAPTERS))
    parser.add_argument("--id", action="append", default=[], help="only ids with this in them; may be given often")
    parser.add_argument("--effort", choices=("none", "quick", "default"), default="quick", help="of grpo-env test")
    asked = parser.parse_args()
    for distribution in asked.distributions:
        found = []
        for spec in specs():
            if spec.distribution == distribution and (not asked.id or any(part in spec.id for part in asked.id)):
                found.append(examine(spec, asked.effort))
                print(found[-1], flush=True)
        print_summary(distribution, found, STAGES if asked.effort != "none" else STAGES[:-1])


def print_summary(distribution: str, found: Sequence[Examined], stages: Sequence[str]) -> None:
    """How far the environments of one distribution came, and what stopped how many of them."""
    print(f"\n{distribution}: {len(found)} offered")
    for stage in stages:
        print(f"  {sum(stage in one.reached for one in found):4} {stage}")
    for reason, count in Counter(one.reason for one in found if one.reason).most_common():
        print(f"  {count:4} not: {reason}")
    print()


main()
