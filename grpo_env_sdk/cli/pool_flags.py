"""The flags that say where environment code runs, of `eval` and `rescore`."""

import argparse

from grpo_env_sdk.cli.parser import whole_number
from grpo_env_sdk.rollout.env_pool import POOLS, EnvPool


def add_env_pool(parser: argparse.ArgumentParser) -> None:
    """Add `--env-pool`, `--env-workers` and `--env-memory`."""
    add = parser.add_argument_group("where environment code runs").add_argument
    add("--env-pool", choices=POOLS, default="thread", help="threads of this process, or processes (default: thread)")
    add("--env-workers", type=whole_number(1), metavar="N", help="most processes, and live episodes (default: cores)")
    add("--env-memory", type=float, metavar="GB", help="most memory of a process (default: half of the machine's)")


def named_pool(args: argparse.Namespace) -> EnvPool:
    """The pool of these flags."""
    return EnvPool(args.env_pool, args.env_workers, args.env_memory)
