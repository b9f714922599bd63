"""`grpo-env view`: view a run in the browser."""

import argparse
import asyncio
import sys
import webbrowser
from pathlib import Path

from grpo_env_sdk.cli.output import note_cut, note_running, print_json, say
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.files.whole_file import write_whole_file
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.runs.running import is_running
from grpo_env_sdk.viewing.index import RunIndex

EXAMPLE = "  grpo-env view runs/RUN\n  grpo-env view runs/BEFORE runs/AFTER --export compared.html"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("run", metavar="RUN", help="the folder of a run")
    parser.add_argument("after", metavar="RUN", nargs="?", help="a later run to compare with the first, as `diff` does")
    parser.add_argument("--export", metavar="FILE", help="write one self-contained HTML file")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on loopback (default: any free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C, or write it to a file."""
    if not 0 <= args.port <= 65535:
        raise UsageError(f"--port must be from 0 to 65535, got {args.port}.", "Leave it out to use a free port.")
    if args.json and not args.export:
        raise UsageError("view --json needs --export FILE.", "Without it, `view` serves the page until Ctrl-C.")
    indexes = [RunIndex(open_run(path)) for path in (args.after, args.run) if path]
    note_cut(*(index.run for index in indexes))
    for index in indexes:
        path = index.run.path
        if is_running(path):
            if not index.table and args.export:
                raise UsageError(f"{path} has no episodes yet: it is running.", "Wait for the first of them.")
            note_running(index.run, then="" if args.export else " Load the page again for more.")
        elif not index.table:
            raise UsageError(f"{path} has no episodes yet.", f"`{command_to_continue(index.run)}` runs them.")
    if args.export:
        return _export(indexes, Path(args.export), args.json)
    try:
        asyncio.run(_serve(indexes, args.port, not args.no_browser))
    except KeyboardInterrupt:
        say("Stopped.", file=sys.stderr)
    return 0


def _export(indexes: list[RunIndex], path: Path, as_json: bool) -> int:
    from grpo_env_sdk.viewing.page import pieces

    target, folders = path.resolve(), {index.run.path.resolve() for index in indexes}
    if target.is_file() and folders.intersection(target.parents) and target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{str(path)!r} is a file of the run itself.", "Take another --export.")
    try:
        size = write_whole_file(path, pieces(indexes))
    except OSError as exc:
        raise UsageError(f"{str(path)!r} cannot be written: {exc.strerror}.", "Take another --export.") from exc
    episodes = sum(len(index.table) for index in indexes)
    if as_json:
        print_json({"file": str(path), "bytes": size, "episodes": episodes})
    else:
        say(f"{path} ({_size(size)}, {counted(episodes, 'episode')})")
    return 0


def _size(count: int) -> str:
    """Bytes as `312 KB` or `1.4 MB`."""
    return f"{max(1, round(count / 1e3))} KB" if count < 1e6 else f"{count / 1e6:.1f} MB"


async def _serve(indexes: list[RunIndex], port: int, browser: bool) -> None:
    from grpo_env_sdk.viewing.server import start_server

    try:
        runner, address = await start_server(indexes, port)
    except (OSError, OverflowError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else str(exc)
        raise UsageError(f"Port {port} cannot be used: {reason}.", "Leave --port out to use a free one.") from exc
    say(f"{address}\nCtrl-C stops.", flush=True)
    if browser:
        webbrowser.open(address)
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
