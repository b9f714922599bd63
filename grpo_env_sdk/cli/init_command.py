"""`grpo-env init`: begin an environment package."""

import argparse
from pathlib import Path

from grpo_env_sdk.cli.output import print_json
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.scaffold.project import KINDS, init_package

EXAMPLE = "  grpo-env init demo-task --kind tools\n  cd demo-task && pip install -e '.[test]' && pytest"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("name", metavar="NAME", help="lowercase words and hyphens: demo-task brings demo-task-v1")
    parser.add_argument("--kind", choices=KINDS, default="tools", help="what to begin from (tools)")
    parser.add_argument("--with-ci", action="store_true", help="also a GitHub workflow that runs its tests")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Make the package and say what to do next."""
    folder = init_package(args.name, args.kind, Path(), args.with_ci)
    made = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    if args.json:
        print_json({"folder": str(folder), "id": f"{args.name}-v1", "files": made})
        return 0
    print(f"Made {folder}/ with the environment {args.name}-v1:")
    for name in made:
        print(f"  {name}")
    id = f"{args.name}-v1"
    print(f"\nNext:\n  cd {folder}\n  pip install -e '.[test]'\n  pytest")
    print(f"  grpo-env test {id}\n  grpo-env play {id} --gold")
    return 0
