"""The output of commands: JSON and tables."""

import re
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.files.path_errors import blame_open_files
from grpo_env_sdk.isolation.calls.command_process import own_stream
from grpo_env_sdk.isolation.processes.own_stdout import own_stdout
from grpo_env_sdk.isolation.values.env_values import redacted
from grpo_env_sdk.isolation.values.json_values import valid_json
from grpo_env_sdk.plain_text import aligned, counted, printable
from grpo_env_sdk.runs.changed_episodes import is_changed, what_changed, what_helps
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.lost_episodes import lost_episodes
from grpo_env_sdk.runs.reading import EPISODES, Run, RunError
from grpo_env_sdk.runs.running import is_running

_STEERS = re.compile(r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|#(?=#\[|#vso\[)")
"""What a terminal or a CI log would obey in JSON, which is the same data with `\\u` in its place."""

json_printed = threading.Event()
"""Set once the command has printed JSON."""


def say(text: object = "", *, file: TextIO | None = None, flush: bool = False, colours: bool = False) -> None:
    """Print text for people: what others wrote in it cannot steer the terminal or a CI log, and no key is in it."""
    print(printable(redacted(str(text)), colours), file=own_stream(file), flush=flush)


def note_running(*runs: Run, then: str = "") -> None:
    """Say of each run that somebody writes at this moment that it is not whole."""
    for path in dict.fromkeys(run.path for run in runs):
        if is_running(path):
            say(f"note: {path} is still running; this is what it has so far.{then}", file=sys.stderr)


def note_lost(run: Run, lost: int, changed: bool) -> None:
    """Say that a run has fewer episodes than its summary is about, or others, where it has."""
    if lost:
        many = f"{counted(lost, 'episode')} of the summary of {run.path} {'is' if lost == 1 else 'are'}"
        again = f"restore the file, or play them again: {command_to_continue(run)}"
        say(f"note: {many} no longer in its {EPISODES}; {again}", file=sys.stderr)
    elif changed:
        say(f"note: {what_changed(run)}. {what_helps(run)}.", file=sys.stderr)


def note_cut(*runs: Run) -> None:
    """Say of each run whose summary can be read how many of its episodes are lost, and whether they were changed."""
    for run in {run.path: run for run in runs}.values():
        with suppress(RunError):
            note_lost(run, lost_episodes(run), is_changed(run))


def print_json(data: Any) -> None:
    """Print an object as one line of JSON on stdout."""
    json_printed.set()
    text = redacted(valid_json(data))
    text = _STEERS.sub(lambda found: "".join(f"\\u{ord(one):04x}" for one in found[0]), text)
    print(text, file=own_stdout(), flush=True)


def print_error(
    exc: GrpoEnvError, as_json: bool, env: str | None = None, about: Mapping[str, Any] | None = None
) -> None:
    """Print why a command, or its work on one of several environments, failed: as one line, or as JSON.

    `about` is what the JSON says of the environment; None is its `id`.
    """
    blame_open_files(exc)
    if as_json:
        named = {} if env is None else {"id": env}
        print_json({**(named if about is None else about), **exc.as_json()})
    else:
        say(f"grpo-env: {'' if env is None or _names(env, str(exc)) else f'{env}: '}{exc}", file=sys.stderr)


def _names(env: str, text: str) -> bool:
    """Whether a text has the name of an environment, and not only as a part of another word."""
    return re.search(rf"(?<!\w){re.escape(env)}(?!\w)", text) is not None


def print_interrupted(exc: KeyboardInterrupt, as_json: bool) -> None:
    """Print that a command was interrupted, in its own words if it has some; as JSON, unless there is JSON already."""
    text = str(exc) or "Interrupted."
    if not as_json or json_printed.is_set():
        say(text, file=sys.stderr)
        return
    message, _, hint = text.partition("\n")
    print_json({"error": {"type": "KeyboardInterrupt", "message": message, "hint": hint}})


_LAST_COLUMN = 20
"""The least width of the last column of a table, whose text is wrapped."""


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: with rich on a terminal, else aligned with spaces, and so where its columns do not fit.

    All but the last column are names, paths and numbers, which somebody may copy: they are never cut.
    """
    rows = [[" ".join(printable(redacted(cell)).split("\n")) for cell in row] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        console = Console()
        widths = [max(map(len, column)) + 2 for column in zip(headers, *rows, strict=True)]
        if sum(widths[:-1]) + _LAST_COLUMN <= console.width:
            table = Table(box=None, header_style="bold", pad_edge=False)
            for header in headers:
                table.add_column(header, no_wrap=header != headers[-1], overflow="fold")
            for row in rows:
                table.add_row(*(cell.replace("[", "\\[") for cell in row))
            console.print(table)
            return
    for line in aligned([headers, *rows]):
        say(line)
