"""The flags that say where environment code runs, of `eval` and `rescore`."""

import argparse

from grpo_env_sdk.cli.parser import whole_number
from grpo_env_sdk.isolation.env_pool import POOLS, EnvPool


def add_env_pool(parser: argparse.ArgumentParser, default: str = "thread") -> None:
    """Add `--env-pool`, `--env-workers` and `--env-memory`."""
    add = parser.add_argument_group("where environment code runs").add_argument
    add("--env-pool", choices=POOLS, help=f"threads, processes, or processes in a sandbox (default: {default})")
    add("--env-workers", type=whole_number(1), metavar="N", help="most processes, and live episodes (default: cores)")
    add("--env-memory", type=float, metavar="GB", help="most memory of a process (default: half of the machine's)")


def named_pool(args: argparse.Namespace) -> EnvPool | None:
    """The pool of these flags; None where there are none."""
    if args.env_pool is None and args.env_workers is None and args.env_memory is None:
        return None
    return EnvPool(args.env_pool or "thread", args.env_workers, args.env_memory)
