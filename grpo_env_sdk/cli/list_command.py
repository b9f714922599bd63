"""`grpo-env list`: what is installed, at once, importing none of it."""

import argparse
from typing import Any

from grpo_env_sdk.cli.output import print_json, print_table
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.errors import UnknownNameError, did_you_mean
from grpo_env_sdk.registry.lookup import specs
from grpo_env_sdk.types import EnvSpec

EXAMPLE = "  grpo-env list rg/ hotel"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("words", nargs="*", metavar="WORD", help="only ids with one of these in them")
    parser.add_argument("--verbose", "-v", action="store_true", help="also where each is imported from, and config")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table, or one JSON object."""
    found = _with_words(specs(), args.words)
    if args.json:
        print_json({"environments": [_as_json(spec) for spec in found]})
    elif not found:
        print("No environment is installed. `grpo-env init my-task` begins one.")
    else:
        _print(found, args.verbose)
    return 0


def _with_words(known: list[EnvSpec], words: list[str]) -> list[EnvSpec]:
    """Those with one of the words in their id, or all where there are no words."""
    found = [spec for spec in known if not words or any(word.casefold() in spec.id.casefold() for word in words)]
    if words and not found:
        hints = [did_you_mean(word, [spec.id for spec in known]) for word in words]
        hint = " ".join(filter(None, [*hints, f"`grpo-env list` shows all {len(known)}."]))
        raise UnknownNameError(f"No id has {' or '.join(map(repr, words))} in it.", hint)
    return found


def _as_json(spec: EnvSpec) -> dict[str, Any]:
    return {
        "id": spec.id, "distribution": spec.distribution, "version": spec.version, "summary": spec.summary,
        "kind": spec.kind, "status": spec.status, "error": spec.error, "needs": spec.needs,
        "entry_point": spec.entry_point,
    }  # fmt: skip


def _print(found: list[EnvSpec], verbose: bool) -> None:
    headers = ["ID", "FROM", "STATUS", "SUMMARY"] + ["ENTRY POINT"] * verbose
    rows = []
    for spec in found:
        origin = f"{spec.distribution} {spec.version}" if spec.distribution else "registered"
        told = spec.error or (f"pip install {spec.needs}" if spec.needs else spec.summary)
        rows.append([spec.id, origin, spec.status, told] + [spec.entry_point] * verbose)
    print_table(headers, rows)
