"""`grpo-env export`: the model of a training as a folder that transformers and peft can load."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from grpo_env_sdk import open_run
from grpo_env_sdk.ext import Parser, add_json, command_line, name_in_run, print_json

EXAMPLE = "  grpo-env export runs/RUN\n  grpo-env export runs/RUN --merge --out my-model"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("run", metavar="RUN", help="the run folder of a training")
    parser.add_argument("--merge", action="store_true", help="merge an adapter into the weights of its base model")
    parser.add_argument("--out", metavar="DIR", help="a folder that does not exist yet (export, in the run folder)")
    parser.add_argument(
        "--checkpoint", type=int, metavar="N", help="the checkpoint of step N (the end of the training)"
    )
    add_json(parser)


def run(argv: Sequence[str]) -> int:
    """Export, and print the folder and the command that evaluates the model."""
    parser = Parser("grpo-env export", "export the model of a training, with its tokenizer and a model card", EXAMPLE)
    configure(parser)
    args = parser.parse_args(list(argv))
    from grpo_env_trl.export.folder import export

    folder = export(args.run, args.out, merge=args.merge, checkpoint=args.checkpoint)
    if args.json:
        print_json({"run": args.run, "folder": str(folder), "merged": args.merge, "files": _sizes(folder)})
        return 0
    total = sum(_sizes(folder).values())
    print(f"{folder}: {total / 1e6:.1f} MB. Its README.md shows the scores and how to load it.")
    run = open_run(args.run)
    for env in run.environments:
        print(f"evaluate it: {command_line('eval', name_in_run(run, env), '--model', folder)}")
    return 0


def _sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
