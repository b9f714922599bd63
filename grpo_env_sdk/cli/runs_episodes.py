"""`grpo-env runs show --row` and `runs export`: single episodes of a run, to read and to learn from."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from grpo_env_sdk.cli.output import note_cut, note_running, print_json, say
from grpo_env_sdk.cli.parser import finite_number, whole_number
from grpo_env_sdk.cli.transcript import print_ending, print_message
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.fine_tuning import select
from grpo_env_sdk.evaluation.flat_table import ending_of, table_of_runs, written_table
from grpo_env_sdk.files.whole_file import replace_file, write_whole_file
from grpo_env_sdk.plain_text import counted, joined
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import Episode

_FOR_SHOW = ("row", "sample")
_FOR_TUNING = ("out", "min_reward", "max_reward", "best", "openai")
_FOR_EXPORT = (*_FOR_TUNING, "table")
_MOST_NAMED = 10


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of both."""
    add = parser.add_argument_group("show one episode").add_argument
    add("--row", type=whole_number(0), metavar="N", help="with show: the transcripts of this row")
    add("--sample", type=whole_number(0), metavar="N", help="with --row: only this sample (default: all of the row)")
    add = parser.add_argument_group("export").add_argument
    add("--table", metavar="FILE", help="every episode in a flat row: a file that ends with .parquet, .csv or .jsonl")
    add = parser.add_argument_group("export for fine-tuning").add_argument
    add("--out", metavar="FILE", help="with export: the file of JSON lines to write")
    add("--min-reward", type=finite_number(), metavar="R", help="only episodes with at least this reward")
    add("--max-reward", type=finite_number(), metavar="R", help="only episodes with at most this reward")
    add("--best", action="store_true", help="only the best episode of each row")
    add("--openai", action="store_true", help="in the form of OpenAI: messages, with arguments of calls as text")


def check_flags(args: argparse.Namespace) -> None:
    """Raise for a flag of the one action that is given with another."""
    for action, names in (("show", _FOR_SHOW), ("export", _FOR_EXPORT)):
        if (given := _given(args, names)) and args.action != action:
            raise UsageError(f"{given[0]} is for `grpo-env runs {action}`.", "Leave it out.")
    if args.sample is not None and args.row is None:
        raise UsageError("--sample needs --row.", "Like --row 14 --sample 0.")
    if args.table is not None and (given := _given(args, _FOR_TUNING)):
        raise UsageError(f"{given[0]} cannot be combined with --table.", "A table has every episode.")
    if args.table is not None:
        ending_of(args.table)
    if (args.row is not None or (args.action == "export" and args.table is None)) and len(args.runs) > 1:
        raise UsageError(f"runs {args.action} reads the episodes of one run, not of {len(args.runs)}.", "Name one.")


def _given(args: argparse.Namespace, names: Iterable[str]) -> list[str]:
    values = {name: getattr(args, name) for name in names}
    return [f"--{name.replace('_', '-')}" for name, value in values.items() if value is not None and value is not False]


def show_episodes(run: Run, row: int, sample: int | None, as_json: bool) -> int:
    """Print the transcripts of a row, or of one sample of it."""
    note_running(run)
    note_cut(run)
    rows, of_row = set[int](), list[Episode]()
    for episode in run.episodes():
        rows.add(episode.row_index)
        if episode.row_index == row:
            of_row.append(episode)
    if not of_row:
        raise UsageError(f"{run.path} has no episode of row {row}.", f"It has {_listed('row', rows)}.")
    wanted = sorted((one for one in of_row if sample in (None, one.sample)), key=lambda one: one.sample)
    if not wanted:
        samples = {one.sample for one in of_row}
        raise UsageError(f"{run.path} has no sample {sample} of row {row}.", f"It has {_listed('sample', samples)}.")
    for place, episode in enumerate(wanted):
        if as_json:
            print_json(episode.as_json())
        else:
            say(f"{chr(10) if place else ''}{episode.env}, row {row}, sample {episode.sample}")
            for message in episode.messages:
                print_message(message)
            print_ending(episode)
    return 0


def _listed(noun: str, numbers: set[int]) -> str:
    """`3 rows: 0, 4, 9`, or the first of them."""
    named = [str(number) for number in sorted(numbers)]
    more = [f"... {named[-1]}"] if len(named) > _MOST_NAMED else []
    return f"{counted(len(named), noun)}: {', '.join(named[:_MOST_NAMED] + more)}" if named else f"no {noun}s yet"


def export_episodes(run: Run, args: argparse.Namespace) -> int:
    """Write the episodes as JSON lines for fine-tuning, and say how many there are, and which not."""
    if args.out is None:
        hint = f"Like `grpo-env runs export {run.path} --out sft.jsonl`; --table FILE writes a flat table."
        raise UsageError("runs export needs --out FILE.", hint)
    target = new_file(args.out, [run], args.yes)
    note_running(run)
    note_cut(run)
    found = select(run, args.min_reward, args.best, args.max_reward)
    if not found.places:
        raise UsageError(f"{run.path} has nothing to export: {found}.", "`grpo-env runs show` shows its rewards.")
    try:
        write_whole_file(target, found.lines(args.openai))
    except OSError as exc:
        raise UsageError(f"{args.out!r} cannot be written: {exc.strerror}.", "Take another --out.") from exc
    if args.json:
        form = "prompt-completion" if found.as_text and not args.openai else "messages"
        left_out = dict(found.left_out)
        print_json({"file": args.out, "episodes": len(found.places), "format": form, "left_out": left_out})
    else:
        say(f"{args.out}: {found}")
    return 0


def export_table(runs: Sequence[Run], args: argparse.Namespace) -> int:
    """Write all episodes of the runs as one flat table, and say how many there are."""
    target = new_file(args.table, runs, args.yes)
    for run in runs:
        note_running(run)
        note_cut(run)
    rows = table_of_runs(runs)
    if not rows:
        raise UsageError(f"{joined([str(run.path) for run in runs])} has no episodes yet.", "Finish it first.")
    content = written_table(rows, ending_of(args.table))
    try:
        replace_file(target, content)
    except OSError as exc:
        raise UsageError(f"{args.table!r} cannot be written: {exc.strerror}.", "Take another --table.") from exc
    if args.json:
        print_json({"file": args.table, "episodes": len(rows), "columns": list(rows[0])})
    else:
        say(f"{args.table}: {counted(len(rows), 'episode')}, {len(rows[0])} columns")
    return 0


def new_file(name: str, runs: Sequence[Run], overwrite: bool) -> Path:
    """The path of a file to write; raises where it exists, or belongs to a run."""
    target = Path(name)
    if any(run.folder.resolve() in target.resolve().parents for run in runs):
        raise UsageError(f"{name!r} is in the folder of the run itself.", "Take another file.")
    if target.exists() and not overwrite:
        raise UsageError(f"{name!r} exists already.", "Take another file, or overwrite it with --yes.")
    return target
