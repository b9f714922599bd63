"""The flags of `grpo-env eval`."""

import argparse

from grpo_env_sdk.cli.parser import (
    BUILD_SECONDS,
    add_env_config,
    add_env_retries,
    add_json,
    add_tokenizer,
    add_trust,
    error_limit,
    finite_number,
    number_above_0,
    whole_number,
)
from grpo_env_sdk.cli.pool_flags import add_env_pool, add_pool_flags
from grpo_env_sdk.cli.user_flags import add_user_flags
from grpo_env_sdk.data.rows import SPLITS
from grpo_env_sdk.rollout.commands import Limits

POLICIES = "gold, random, echo, scripted:FILE, replay:RUN, openai:NAME"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("envs", nargs="*", metavar="ENV", help="an id, dist:id, namespace/, or module:Class")
    add = parser.add_argument_group("what to evaluate").add_argument
    add("--model", "-m", metavar="M", help=f"the policy: {POLICIES}, or a model")
    add("-n", "--rows", type=whole_number(1), metavar="N", help="number of rows (default: all)")
    add("-k", "--samples", type=whole_number(1), default=1, metavar="K", help="samples per row (default: 1)")
    add("--split", choices=SPLITS, default="test", help="which rows (default: test, the held-out ones)")
    add_env_config(parser)
    add_tokenizer(parser)
    add_user_flags(parser)
    add = parser.add_argument_group("sampling").add_argument
    add(
        "--base-url",
        metavar="URL",
        help="address of the server (https://api.openai.com/v1); its key is read from OPENAI_API_KEY",
    )
    add("--temperature", type=float, metavar="T", help="default: that of the server")
    add("--top-p", type=float, metavar="P", help="default: that of the server")
    add("--max-tokens", type=whole_number(1), metavar="N", help="most tokens per turn")
    add(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="same seed, same samples, if the policy can (default: 0)",
    )
    add("--logprobs", action="store_true", help="request the log-probability of each token")
    add("--extra-body", metavar="JSON", help="more fields for each request")
    _add_limits(parser)
    of_pools = add_env_pool(parser)
    add = parser.add_argument_group("results").add_argument
    add("--by", metavar="COLUMN", help="also show the mean reward for each value of a column")
    add("--cluster", metavar="COLUMN", help="rows with the same value in this column count as one for the intervals")
    add("--pass-at", type=float, metavar="R", help="reward that counts as a pass (default: the highest possible)")
    add(
        "--min-reward",
        type=finite_number(),
        metavar="R",
        help="exit with 1 where the mean reward is lower, or an episode has none",
    )
    add("--prices", metavar="IN,OUT", help="price of a million prompt and of a million completion tokens")
    add("--baselines", action="store_true", help="also evaluate gold and random on the same rows")
    add(
        "--out",
        metavar="DIR",
        help="folder of the run, or of those of several environments (default: a new one in runs/)",
    )
    add("--resume", metavar="RUN", help="resume a run, or a folder of several, with its own settings")
    add("--retry-failed", action="store_true", help="with --resume: run failed episodes again")
    add("--give-up", metavar="ROWS", help="with --resume: record these rows (2,40) as failed, and do not play them")
    forced = "with --resume: resume even if the environment changed; with replay:RUN: replay one of another environment"
    add("--force", action="store_true", help=forced)
    add_trust(parser, "with --resume: ")
    add("--config", metavar="FILE", help="read flags from a TOML or YAML file; the command line takes precedence")
    add("--dry-run", action="store_true", help="check everything and show what would run")
    add_json(parser, "one JSON object for each environment")
    add_pool_flags(parser, of_pools)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    usual, count = Limits(), whole_number(1)
    group = parser.add_argument_group("limits")
    add = group.add_argument
    for flag, kind, default, metavar, text in (
        ("--concurrency", count, None, "N", "episodes at the same time (default: 64)"),
        ("--limit-turns", count, None, "N", "turns per episode (default: that of the environment)"),
        ("--limit-tool-calls", count, usual.tool_calls, "N", "tool calls per episode (default: 100)"),
        ("--limit-tokens", count, None, "N", "no further turn after so many completion tokens"),
        ("--limit-episode", number_above_0, None, "S", "seconds per episode"),
        (
            "--limit-call",
            number_above_0,
            usual.call_seconds,
            "S",
            "seconds per reset, step, tool call or score (default: 60)",
        ),
        ("--limit-build", number_above_0, BUILD_SECONDS, "S", "seconds to build rows (default: 600)"),
        ("--limit-policy", number_above_0, usual.policy_seconds, "S", "seconds per turn of the policy (default: 600)"),
        ("--max-errors", error_limit, None, "N", "stop at N failed episodes, or at this share of them if below 1"),
    ):
        add(flag, type=kind, default=default, metavar=metavar, help=text)
    add_env_retries(group)
