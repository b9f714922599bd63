"""The flags that say where environment code runs, of `eval` and `rescore`."""

import argparse

from grpo_env_sdk.cli.parser import number_above_0, whole_number
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.registry.pools import plugin_pools, pool_flags, pool_names


def add_env_pool(parser: argparse.ArgumentParser, default: str = "thread") -> None:
    """Add `--env-pool`, `--env-workers`, `--env-memory`, and the flags of plugins' pools."""
    add = parser.add_argument_group("where environment code runs").add_argument
    add("--env-pool", choices=pool_names(), help=f"{pool_help()} (default: {default})")
    add("--env-workers", type=whole_number(1), metavar="N", help="most processes, and live episodes (default: cores)")
    text = "most memory of a process (default: half of the machine's)"
    add("--env-memory", type=number_above_0, metavar="GB", help=text)
    for flag in pool_flags():
        add(f"--{flag.name}", metavar=flag.metavar, help=flag.help)


def named_pool(args: argparse.Namespace) -> EnvPool | None:
    """The pool of these flags; None where there are none."""
    given = {option: getattr(args, option) for option in option_names()}
    options = {option: value for option, value in given.items() if value is not None}
    if args.env_pool is None and args.env_workers is None and args.env_memory is None and not options:
        return None
    return EnvPool(args.env_pool or "thread", args.env_workers, args.env_memory, options)


def pool_help() -> str:
    """What each pool is, in a line."""
    return ", ".join(("threads, processes, processes in a sandbox", *(spec.help for spec in plugin_pools().values())))


def option_names() -> list[str]:
    """The names of those flags in Python."""
    return [flag.option for flag in pool_flags()]
