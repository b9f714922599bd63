"""The parser of a command's flags: one-line errors with did-you-mean, and an example in every `--help`."""

import argparse
import math
import re
from collections.abc import Callable
from textwrap import dedent, indent
from typing import Any, NoReturn

from grpo_env_sdk.cli.other_names import FLAGS, meant_by
from grpo_env_sdk.errors import UsageError, did_you_mean

BUILD_SECONDS = 600.0
"""The default time limit for building the rows."""
_MOST_NUMBER = 1e9
"""The most seconds, or gigabytes, of a limit."""
_TYPED_ON_PURPOSE = ("--yes", "--force", "--trust")
"""Flags that skip a question or a check, which nobody may be led to."""


class Parser(argparse.ArgumentParser):
    """An argparse parser without abbreviations, whose errors are `UsageError`s; `example` is shown in `--help`."""

    def __init__(self, prog: str, description: str, example: str) -> None:
        super().__init__(
            prog=prog, description=description[:1].upper() + description[1:].removesuffix(".") + ".",
            epilog=f"example:\n{indent(dedent(example), '  ')}",
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, add_help=False,
        )  # fmt: skip
        self.add_argument("-h", "--help", action="help", help="show this and exit")
        self.elsewhere: dict[str, str] = {}
        """What to do in place of a flag that only other commands take."""

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error as a `UsageError`."""
        message = re.sub(r"^argument (\S+): (?=must )", r"\1 ", message)
        message = re.sub(r"^argument (\S+): invalid int value: ", r"\1 must be a whole number, got ", message)
        message = re.sub(r"^argument (\S+): invalid float value: ", r"\1 must be a number, got ", message)
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        meant = did_you_mean(wrong[1], re.findall(r"[\w-]+", wrong[2])) if wrong else ""
        raise UsageError(
            f"{message[:1].upper()}{message[1:]}.", f"{meant} `{self.prog} --help` shows the flags.".strip()
        )

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The flags; the error for an unknown one suggests the nearest."""
        try:
            found, unknown = self.parse_known_intermixed_args(args, namespace)
        except AttributeError as exc:  # argparse puts back what it had not changed yet when Ctrl-C came
            if isinstance(exc.__context__, KeyboardInterrupt):
                raise exc.__context__ from None
            raise
        found.argv = args
        if unknown:
            hint = self._hint_for(unknown[0].split("=")[0])
            raise UsageError(
                f"`{self.prog}` takes no {unknown[0]!r}.", f"{hint} `{self.prog} --help` lists all.".strip()
            )
        return found

    def other_name_of(self, flag: str) -> str:
        """What a flag of other commands and libraries is called here, as a sentence; empty where there is nothing."""
        positionals = [str(action.metavar) for action in self._get_positional_actions()]
        return meant_by(flag.replace("_", "-"), FLAGS, [*self._option_string_actions, *positionals])

    def _hint_for(self, unknown: str) -> str:
        if unknown in self.elsewhere:
            return self.elsewhere[unknown]
        if not unknown.startswith("-"):
            return ""
        if hint := self.other_name_of(unknown):
            return hint
        hint = did_you_mean(unknown, self._option_string_actions)
        return "" if any(repr(flag) in hint for flag in _TYPED_ON_PURPOSE) else hint


def whole_number(low: int) -> Callable[[str], int]:
    """An argparse type for whole numbers of at least `low`."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < low:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {low}, got {text}")
        return int(text)

    return read


def number_above_0(text: str) -> float:
    """An argparse type for seconds and gigabytes: a number above 0 that timers and limits can take."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _MOST_NUMBER:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0 and up to {_MOST_NUMBER:,.0f}")
    return number


def finite_number(low: float | None = None) -> Callable[[str], float]:
    """An argparse type for rewards, and with `low` for differences of them: a number that can be compared."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or (low is not None and number < low):
            what = "a finite number" if low is None else f"a number of at least {low:g}"
            raise argparse.ArgumentTypeError(f"must be {what}, got {text}")
        return number

    return read


def error_limit(text: str) -> float:
    """An argparse type for how many episodes may fail: a whole number, or a share of them."""
    limit = finite_number(0)(text)
    if limit > 1 and limit % 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, or a share below 1, got {text}")
    return limit


def add_json(parser: argparse.ArgumentParser, printed: str = "one JSON object") -> None:
    """Add `--json`, the same for every command that has it, but for how many objects are `printed`."""
    parser.add_argument("--json", action="store_true", help=f"print only {printed} on stdout")


def add_tokenizer(parser: argparse.ArgumentParser) -> None:
    """Add `--tokenizer`, the same for every command that builds rows."""
    parser.add_argument(
        "--tokenizer",
        metavar="M",
        help="for an environment that uses one: hub id, folder or run of a model",
    )


def add_env_retries(parser: argparse._ActionsContainer, default: int | None = 0, shown: str = "0") -> None:
    """Add `--env-retries`, the same for every command that plays many episodes."""
    text = f"play a failed reset or step again, up to N times an episode (default: {shown})"
    parser.add_argument("--env-retries", type=whole_number(0), default=default, metavar="N", help=text)


def add_env_config(parser: argparse.ArgumentParser) -> None:
    """Add `--env-config`, the same for every command that creates an environment; `read_object` reads its value."""
    parser.add_argument(
        "--env-config", metavar="JSON|@FILE", help="""config for the constructor, such as '{"max_turns": 5}'"""
    )


def add_trust(parser: argparse.ArgumentParser, when: str = "") -> None:
    """Add `--trust`, the same for every command that runs what a run names."""
    text = f"{when}run the code that a run names, although it was changed or written elsewhere"
    parser.add_argument("--trust", action="store_true", help=text)
