"""`grpo-env list`: the installed environments, found without importing any."""

import argparse
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from grpo_env_sdk.cli.output import print_json, print_table, say
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.errors import UnknownNameError, did_you_mean
from grpo_env_sdk.registry.lookup import specs
from grpo_env_sdk.registry.namespaces import short_names
from grpo_env_sdk.registry.requirements import install_command
from grpo_env_sdk.registry.sources import with_source_faults
from grpo_env_sdk.registry.summaries import with_own_summaries
from grpo_env_sdk.types import EnvSpec

EXAMPLE = "  grpo-env list rg/ hotel\n  grpo-env list tool"
WORDS = "list only ids that contain one of these words; a word that no id contains is searched in the summaries"
FOLDED_FROM = 20
"""A namespace with more environments than this is one line of the table."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("words", nargs="*", metavar="WORD", help=WORDS)
    parser.add_argument("--verbose", "-v", action="store_true", help="also show where each one is imported from")
    parser.add_argument("--all", action="store_true", help=f"list each id of a namespace of more than {FOLDED_FROM}")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table, or one JSON object."""
    known = with_own_summaries(specs())
    found = with_source_faults(_with_words(known, args.words))
    names = {_key(spec): name for spec, name in zip(known, short_names(known), strict=True)}
    if args.json:
        print_json({"environments": [_as_json(spec, names[_key(spec)]) for spec in found]})
    elif not found:
        say("No environment is installed. `grpo-env init my-task` creates one.")
    else:
        _print(found, names, args.verbose, each=args.all or bool(args.words))
    return 0


def _with_words(known: list[EnvSpec], words: list[str]) -> list[EnvSpec]:
    """Those that one of the words finds, or all if there are no words."""
    wanted = {spec.id for word in words for spec in _found_by(word, known)}
    if words and not wanted:
        hints = [did_you_mean(word, [spec.id for spec in known]) for word in words]
        hint = " ".join(filter(None, [*hints, f"`grpo-env list` shows all {len(known)}."]))
        raise UnknownNameError(f"No id and no summary contains {' or '.join(map(repr, words))}.", hint)
    return [spec for spec in known if not words or spec.id in wanted]


def _found_by(word: str, known: list[EnvSpec]) -> list[EnvSpec]:
    """Those whose id contains the word; where no id does, those whose summary or distribution does."""
    part = word.casefold()
    by_id = [spec for spec in known if part in spec.id.casefold()]
    return by_id or [spec for spec in known if part in f"{spec.summary} {spec.distribution}".casefold()]


def _key(spec: EnvSpec) -> tuple[str | None, str]:
    return spec.distribution, spec.id


def _as_json(spec: EnvSpec, name: str) -> dict[str, Any]:
    return {
        "id": spec.id, "name": name, "distribution": spec.distribution, "version": spec.version,
        "summary": spec.summary, "kind": spec.kind, "status": spec.status, "error": spec.error,
        "needs": spec.needs, "entry_point": spec.entry_point,
    }  # fmt: skip


def _print(found: list[EnvSpec], names: Mapping[tuple[str | None, str], str], verbose: bool, each: bool) -> None:
    headers = ["ID", "FROM", "STATUS", "SUMMARY"] + ["ENTRY POINT"] * verbose
    rows = []
    for namespace, group in groupby(found, key=_namespace):
        specs_in = list(group)
        if namespace and not each and len(specs_in) > FOLDED_FROM:
            folded = [f"{namespace}/*", f"{len(specs_in)} environments", "", f"grpo-env list {namespace}"]
            rows.append(folded + [""] * verbose)
        else:
            rows += [_row(spec, names[_key(spec)]) + [spec.entry_point] * verbose for spec in specs_in]
    print_table(headers, rows)


def _namespace(spec: EnvSpec) -> str:
    """`rg` of `rg/leg_counting-v1`; empty for an id without one."""
    return spec.id.rpartition("/")[0]


def _row(spec: EnvSpec, name: str) -> list[str]:
    origin = f"{spec.distribution} {spec.version}" if spec.distribution else "registered"
    summary = spec.error or (install_command(spec.needs) if spec.needs else spec.summary)
    status = "found" if spec.status == "ok" else spec.status  # only an import shows more
    return [name, origin, status, summary]
