"""The flags that say where environment code runs, of `eval` and `rescore`."""

import argparse

from grpo_env_sdk.cli.parser import number_above_0, whole_number
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.registry.pools import plugin_pools, pool_flags, pool_names


def add_env_pool(parser: argparse.ArgumentParser, default: str = "thread") -> argparse._ArgumentGroup:
    """Add `--env-pool`, `--env-workers` and `--env-memory`; gives the group for `add_pool_flags`."""
    group = parser.add_argument_group("where environment code runs")
    add = group.add_argument
    add("--env-pool", choices=pool_names(), help=f"{pool_help()} (default: {default})")
    add("--env-workers", type=whole_number(1), metavar="N", help="most processes, and live episodes (default: cores)")
    text = "most memory of a process (default: half of the machine's)"
    add("--env-memory", type=number_above_0, metavar="GB", help=text)
    return group


def add_pool_flags(parser: argparse.ArgumentParser, group: argparse._ArgumentGroup) -> None:
    """Add the flags of plugins' pools, after all others: a pool takes none of these."""
    found = pool_flags([action.dest for action in parser._actions])
    for flag in found:
        group.add_argument(f"--{flag.name}", metavar=flag.metavar, help=flag.help.replace("%", "%%"))
    parser.set_defaults(pool_options=[flag.option for flag in found])


def named_pool(args: argparse.Namespace) -> EnvPool | None:
    """The pool of these flags; None where there are none."""
    given = {option: getattr(args, option) for option in args.pool_options}
    options = {option: value for option, value in given.items() if value is not None}
    if args.env_pool is None and args.env_workers is None and args.env_memory is None and not options:
        return None
    return EnvPool(args.env_pool or "thread", args.env_workers, args.env_memory, options)


def pool_help() -> str:
    """What each pool is, in a line for argparse, where a `%` would be a placeholder."""
    return ", ".join(
        ("threads, processes, processes in a sandbox", *(spec.help for spec in plugin_pools().values()))
    ).replace("%", "%%")
