"""`grpo-env init`: create an environment package."""

import argparse
from pathlib import Path

from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.scaffold.project import KINDS, init_package

EXAMPLE = "  grpo-env init demo-task --kind tools\n  cd demo-task && pip install -e '.[test]' && pytest"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("name", metavar="NAME", help="lowercase words and hyphens, such as demo-task")
    parser.add_argument("--kind", choices=KINDS, default="tools", help="the template (default: tools)")
    parser.add_argument("--with-ci", action="store_true", help="also create a GitHub workflow that runs its tests")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Create the package and print the next steps."""
    folder = init_package(args.name, args.kind, Path(), args.with_ci)
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    if args.json:
        print_json({"folder": str(folder), "id": f"{args.name}-v1", "files": files})
        return 0
    say(f"Created {folder}/ with the environment {args.name}-v1:")
    for name in files:
        say(f"  {name}")
    id = f"{args.name}-v1"
    say(f"\nNext:\n  cd {folder}\n  pip install -e '.[test]'\n  pytest")
    say(f"  grpo-env test {id}\n  grpo-env play {id} --gold")
    return 0
