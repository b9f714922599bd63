"""Flags of a command: one-line errors with did-you-mean, and an example under every `--help`."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from grpo_env_sdk.errors import UsageError, did_you_mean

BUILD_SECONDS = 600.0
"""How long building the rows may take, unless somebody says otherwise."""


class Parser(argparse.ArgumentParser):
    """argparse with our manners: no abbreviations, errors as `UsageError`."""

    def __init__(self, prog: str, description: str, example: str) -> None:
        super().__init__(
            prog=prog, description=description[:1].upper() + description[1:] + ".", epilog=f"example:\n{example}",
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, add_help=False,
        )  # fmt: skip
        self.add_argument("-h", "--help", action="help", help="show this and exit")

    def error(self, message: str) -> NoReturn:
        """Turn argparse's complaint into one line."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", f"`{self.prog} --help` shows how.")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The flags; an unknown one is answered with the nearest."""
        found, unknown = self.parse_known_intermixed_args(args, namespace)
        found.argv = args
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings]
            first = unknown[0].split("=")[0]
            hint = did_you_mean(first, flags) if first.startswith("-") else ""
            raise UsageError(
                f"`{self.prog}` takes no {unknown[0]!r}.", f"{hint} `{self.prog} --help` shows all.".strip()
            )
        return found


def whole_number(low: int) -> Callable[[str], int]:
    """What reads a whole number from `low`."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < low:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number from {low}")
        return int(text)

    return read


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`, the same for every command that has it."""
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, nothing else there")


def add_env_config(parser: argparse.ArgumentParser) -> None:
    """`--env-config`, the same for every command that makes an environment."""
    parser.add_argument(
        "--env-config", metavar="JSON|@FILE", help="""config for the constructor, like '{"max_turns": 5}'"""
    )
