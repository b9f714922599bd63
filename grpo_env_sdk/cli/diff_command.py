"""`grpo-env diff`: what changed from one run to another."""

import argparse
import json

from grpo_env_sdk.cli.parser import add_json, print_table
from grpo_env_sdk.comparing import Comparison, compare
from grpo_env_sdk.runs import open_run

EXAMPLE = "  grpo-env diff runs/BEFORE runs/AFTER"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("before", metavar="RUN", help="the run to compare with")
    parser.add_argument("after", metavar="RUN", help="the run that is compared")
    parser.add_argument("--most", type=int, default=10, metavar="N", help="how many of the rows that changed most (10)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the paired difference, with its interval and a sign test."""
    found = compare(open_run(args.before), open_run(args.after))
    if args.json:
        print(json.dumps(found.as_json(args.most), ensure_ascii=False))
    else:
        print_comparison(found, args.most)
    return 0


def print_comparison(found: Comparison, most: int) -> None:
    """The means, the difference, which settings differ, and the rows that changed most."""
    told = found.as_json(most)
    print(f"before      {found.before}\nafter       {found.after}\ndifference  {found.difference}")
    chance = "" if found.p_value is None else f"; by chance alone: p = {found.p_value:.3g} (sign test)"
    same = told["rows"] - told["rose"] - told["fell"]
    print(f"{told['rows']} rows: {told['rose']} rose, {told['fell']} fell, {same} stayed{chance}")
    for setting in told["settings"]:
        print(f"differs: {setting}")
    if told["changed_most"]:
        print()
        print_table(
            ["ROW", "BEFORE", "AFTER", "CHANGE"],
            [
                [str(row["row_index"]), f"{row['before']:.3f}", f"{row['after']:.3f}", f"{row['change']:+.3f}"]
                for row in told["changed_most"]
            ],
        )
