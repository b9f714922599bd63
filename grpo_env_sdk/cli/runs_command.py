"""`grpo-env runs`: list, show, export or delete runs."""

import argparse
import shlex
import shutil
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli.output import note_lost, print_json, print_table, say
from grpo_env_sdk.cli.parser import add_json
from grpo_env_sdk.cli.runs_episodes import add_flags, check_flags, export_episodes, export_table, show_episodes
from grpo_env_sdk.cli.summary import before_and_after, interval, print_summary, say_retry, steps_done
from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.plain_text import command_line, counted, joined
from grpo_env_sdk.registry.qualified import name_in_run, names_of, names_that_find
from grpo_env_sdk.runs.changed_episodes import is_changed, sealed_summary
from grpo_env_sdk.runs.continuing import command_to_continue
from grpo_env_sdk.runs.lost_episodes import lost_episodes
from grpo_env_sdk.runs.measured import measured
from grpo_env_sdk.runs.provenance import provenance_marks, provenance_notes
from grpo_env_sdk.runs.reading import EPISODES, NoRunError, Run, RunError, list_runs, open_run
from grpo_env_sdk.runs.running import is_running
from grpo_env_sdk.runs.training_progress import TrainingProgress, progress_of
from grpo_env_sdk.runs.writing import check_idle

ACTIONS = ("list", "show", "export", "rm")
RUNS = "runs"
EXAMPLE = """\
  grpo-env runs --env 'hotel-*'
  grpo-env runs show runs/RUN --row 14
  grpo-env runs export runs/RUN --out sft.jsonl --min-reward 1 --best"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("action", nargs="?", metavar="{list,show,export,rm}", default="list", help="default: list")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="folders of runs, for all but list")
    parser.add_argument("--dir", metavar="DIR", help=f"folder of the runs (default: {RUNS})")
    parser.add_argument("--env", metavar="ID", help="list only runs of this environment, or of those like 'hotel-*'")
    parser.add_argument("--yes", action="store_true", help="delete or overwrite without asking")
    add_flags(parser)
    add_json(parser, "one JSON object, with show one for each RUN,")


def run(args: argparse.Namespace) -> int:
    """List, show, export or delete runs."""
    if args.action not in ACTIONS:
        shown = f"`grpo-env runs show {args.action}` shows that run."
        hint = (
            shown
            if Path(args.action).is_dir()
            else did_you_mean(args.action, ACTIONS) or "`grpo-env runs --help` shows how."
        )
        raise UsageError(f"`grpo-env runs` can {joined(ACTIONS)}, not {args.action!r}.", hint)
    check_flags(args)
    if args.action == "list":
        if args.runs:
            hint = f"`{command_line('runs', 'show', *args.runs)}` shows a run, --dir DIR names another folder of runs."
            raise UsageError(f"`grpo-env runs list` takes no {args.runs[0]!r:.100}.", hint)
        return _list(args)
    if args.env is not None:
        raise UsageError(f"runs {args.action} names its runs, so --env cannot be set.", "Leave it out.")
    if not args.runs:
        raise UsageError(f"runs {args.action} needs a run.", "`grpo-env runs` lists them.")
    opened = _opened_to_remove if args.action == "rm" else open_run
    found = [opened(path) for path in dict.fromkeys(map(Path, args.runs))]
    if args.action == "export":
        return export_episodes(found[0], args) if args.table is None else export_table(found, args)
    if args.row is not None:
        return show_episodes(found[0], args.row, args.sample, args.json)
    return _show(found, args.json) if args.action == "show" else _remove(found, args.yes, args.json)


def summary_of(run: Run, changed: bool) -> dict[str, Any]:
    """The summary on disk where it is of these episodes, or one that is computed from them.

    Only the training itself can say what a training ends with.
    """
    metrics, on_disk = Metrics.of_manifest(run.manifest), run.summary() or {}
    kept = on_disk if "training" in run.manifest else None if changed else sealed_summary(run)
    if not kept or not {"env", "policy", "run", *metrics.summary()} <= {*kept, "by", "cluster", "cost", "abstained"}:
        for episode in run.episodes():
            metrics.add(episode)
        played = {name: on_disk[name] for name in ("baselines",) if name in on_disk}
        about = {"env": run.manifest["env"], "policy": run.manifest.get("policy", "?")}
        kept = about | metrics.summary() | played
    summary = kept | {"run": str(run.path)}
    progress = progress_of(run)
    return summary | _of_training(summary, progress) if progress else summary


def _of_training(summary: dict[str, Any], progress: TrainingProgress) -> dict[str, Any]:
    """What is its own; the step of an episode is kept among the metrics, and has no mean."""
    metrics = {name: value for name, value in summary["metrics"].items() if name != "step"}
    return {"training": progress.as_json(), "metrics": metrics}


def _list(args: argparse.Namespace) -> int:
    if args.dir is not None and not Path(args.dir).is_dir():
        raise UsageError(f"There is no folder {args.dir!r}.", "`grpo-env runs` alone lists those of ./runs.")
    folder, rows, listed = args.dir or RUNS, [], []
    for item in _of_env(list_runs(Path(folder), _note_damaged), args.env, folder):
        try:
            rows.append(_row(item))
        except RunError as exc:  # one that is damaged does not hide the others
            _note_damaged(exc)
            continue
        listed.append(item)
        note_lost(item, rows[-1]["lost"], rows[-1]["changed"])
    if args.json:
        print_json({"runs": rows})
    elif not rows:
        say(f"No runs in {folder}/. `grpo-env eval` creates one.")
    else:
        cells = [
            [
                row["run"],
                name,
                row["policy"],
                _played(row, provenance_marks(run.manifest)),
                _reward(row),
                row["created"],
            ]
            for row, run, name in zip(rows, listed, names_of(listed), strict=True)
        ]
        print_table(["RUN", "ENV", "POLICY", "PLAYED", "REWARD", "CREATED"], cells)
    return 0


def _note_damaged(exc: RunError) -> None:
    say(f"note: {exc}", file=sys.stderr)


def _of_env(runs: list[Run], pattern: str | None, folder: str) -> list[Run]:
    """The runs of the environments that a pattern such as `hotel-*` names; of a mixture, one of them is enough."""
    if pattern is None or not runs:
        return runs
    found = [run for run in runs if any(fnmatchcase(name, pattern) for name in names_that_find(run))]
    if not found:
        names = sorted({name for run in runs for name in run.environments})
        known = set().union(*map(names_that_find, runs)) if ":" in pattern else names
        hint = did_you_mean(pattern, known) or f"There are runs of {', '.join(names)}."
        raise UsageError(f"No run in {folder}/ is of {pattern!r}.", hint)
    return found


def _row(run: Run) -> dict[str, Any]:
    """A run in the list; the episodes that a training keeps are samples, so they are not counted and have no mean."""
    lost, changed = lost_episodes(run, if_changed=True), is_changed(run, quickly=True)
    summary, manifest = summary_of(run, changed and not lost), run.manifest
    row = {
        "run": str(run.path), "env": manifest["env"], **measured(manifest), "policy": manifest.get("policy", "?"),
        "created": manifest.get("created", "?"), "episodes": summary["episodes"],
        "failed": sum(summary["errors"].values()),
        "of": _episodes_of(run), "reward": summary["reward"], "running": is_running(run.path),
        "lost": lost, "changed": changed,
        "rescored_from": manifest.get("rescored_from"), "forced": manifest.get("forced", []),
    }  # fmt: skip
    training = {"of": None, "reward": None, "training": summary["training"]} if "training" in manifest else {}
    return row | training


def _played(row: dict[str, Any], marks: list[str]) -> str:
    if training := row.get("training"):
        return ", ".join([steps_done(training, row["running"]), *marks])
    running = ", running" if row["running"] else ""
    failed = f", {row['failed']} failed" if row["failed"] else ""
    lost = f", {row['lost']} lost" if row["lost"] else ""
    return ", ".join([f"{row['episodes']}/{row['of']}{failed}{lost}{running}", *marks])


def _reward(row: dict[str, Any]) -> str:
    if training := row.get("training"):
        return before_and_after(training)
    return interval(row["reward"])


def _show(found: list[Run], as_json: bool) -> int:
    for item in found:
        lost, changed = lost_episodes(item), is_changed(item)
        summary = summary_of(item, changed and not lost)
        if as_json:
            running = is_running(item.path)
            again = None if running else _resume_command(item, summary)
            about = {"running": running, "lost": lost, "changed": changed, "resume_command": again}
            print_json({"manifest": item.manifest, "summary": summary} | about)
        else:
            print_summary(summary, _name_of(item))
            say_retry(summary, item)
            for note in provenance_notes(item.manifest):
                say(f"note: {note}")
            _say_unfinished(item, summary)
        note_lost(item, lost, changed)
    return 0


def _name_of(run: Run) -> str:
    """The environment of a run, or several with their weights."""
    return str(run.manifest["env"]) if len(run.environments) > 1 else name_in_run(run)


def _say_unfinished(run: Run, summary: dict[str, Any]) -> None:
    """What is missing, and whether it comes by itself."""
    if _is_finished(run, summary):
        return
    of = counted(_episodes_of(run), "episode")
    so_far = "" if "training" in summary else f": {summary['episodes']} of {of}"
    if is_running(run.path):
        say(f"running{so_far}; another process writes it")
    elif command := _resume_command(run, summary):
        say(f"not finished{so_far}; go on with: {command}")


def _resume_command(run: Run, summary: dict[str, Any]) -> str | None:
    """What goes on with a run that is not finished."""
    nothing = _is_finished(run, summary) or "rescored_from" in run.manifest
    return None if nothing else command_to_continue(run)


def _is_finished(run: Run, summary: dict[str, Any]) -> bool:
    training = summary.get("training")
    return bool(training["finished"] if training else summary["episodes"] >= _episodes_of(run))


def _episodes_of(run: Run) -> int:
    """How many episodes the run has once it is finished."""
    whole: int = run.manifest.get("rows", 0) * run.manifest.get("samples", 1)
    return whole


def _opened_to_remove(path: Path) -> Run:
    """The run, or how to remove what cannot be opened as one."""
    try:
        return open_run(path)
    except NoRunError:
        raise
    except RunError as exc:
        if not (path / EPISODES).is_file() or path.resolve() == Path.cwd():
            raise
        raise RunError(
            exc.message, f"If it was a run, remove it yourself: {shlex.join(['rm', '-r', str(path)])}"
        ) from exc


def _remove(found: list[Run], sure: bool, as_json: bool) -> int:
    deleted = []
    for item in found:
        if not sure:
            if not sys.stdin.isatty():
                raise UsageError("runs rm asks before it deletes, but stdin is not a terminal.", "Add --yes.")
            if input(f"Delete {item.path}? [y/N] ").strip().lower() not in ("y", "yes"):
                continue
        check_idle(item)
        try:
            shutil.rmtree(item.path)
        except OSError as exc:  # a link to a folder, or a disk that cannot be written
            raise RunError(f"{item.path} cannot be deleted: {exc.strerror or exc}.", "Delete it yourself.") from exc
        except RecursionError as exc:
            raise RunError(
                f"{item.path} cannot be deleted: its folders are nested too deeply.", "Delete it yourself."
            ) from exc
        deleted.append(str(item.path))
        if not as_json:
            say(f"deleted {item.path}")
    if as_json:
        print_json({"deleted": deleted})
    return 0
