"""`grpo-env eval` of several environments: a folder with a run of each, where one that fails ends no other."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpo_env_sdk.cli.eval_run import evaluate_run, resume_command
from grpo_env_sdk.cli.output import print_error, say
from grpo_env_sdk.errors import BrokenPackageError, GrpoEnvError
from grpo_env_sdk.evaluation.evaluate import Evaluator
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.registry.lookup import spec
from grpo_env_sdk.registry.qualified import qualified
from grpo_env_sdk.runs.new_folders import check_free, new_folder, take_folder
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_sdk.runs.run_list import Listed, check_stays, names_of_runs, write_list
from grpo_env_sdk.runs.writing import create_run, resume_run
from grpo_env_sdk.types import EnvSpec

BROKEN = 2
RUNS = Path("runs")
Prepare = Callable[[str], Evaluator]
ResumeOne = Callable[[Path], int]


@dataclass(frozen=True, slots=True)
class _Named:
    """An environment as it was named, and what is evaluated, or why it cannot be."""

    name: str
    spec: EnvSpec | None
    ready: Evaluator | GrpoEnvError

    @property
    def id(self) -> str:
        return self.spec.id if self.spec else self.name

    @property
    def distribution(self) -> str | None:
        return self.spec.distribution if self.spec else None

    @property
    def shown(self) -> str:
        return qualified(self.spec) if self.spec else self.name

    @property
    def about(self) -> dict[str, Any]:
        return {"env": self.id, "distribution": self.distribution}


def evaluate_several(names: Sequence[str], prepare: Prepare, args: argparse.Namespace) -> int:
    """Begin a run of each environment that can be used, then play one after another; the exit code."""
    if args.out:
        check_free(Path(args.out))
    found = _prepared(_each_once(names), prepare)
    ready = [(one, one.ready) for one in found if isinstance(one.ready, Evaluator)]
    codes = [_tell(one.ready, one.shown, one.about, args) for one in found if isinstance(one.ready, GrpoEnvError)]
    if not ready:
        return BROKEN
    folder = Path(args.out) if args.out else take_folder(new_folder(RUNS, f"{len(found)}-envs-{args.model}"))
    runs = _begin(folder, found)
    with _resumable(folder, args):
        for (one, work), run in zip(ready, runs, strict=True):
            try:
                writer = resume_run(open_run(run), work.manifest())
                codes.append(evaluate_run(work, writer, args, folder=folder))
            except GrpoEnvError as exc:
                codes.append(_tell(exc, one.shown, one.about | {"run": str(run)}, args))
    return _ended(folder, codes, args, of_runs=codes[len(found) - len(ready) :])


def dry_run_several(
    names: Sequence[str], prepare: Prepare, show: Callable[[Evaluator], None], args: argparse.Namespace
) -> int:
    """Show what would run, and what cannot; the exit code."""
    codes = [0]
    for one in _prepared(_each_once(names), prepare):
        if isinstance(one.ready, GrpoEnvError):
            codes.append(_tell(one.ready, one.shown, one.about, args))
        else:
            show(one.ready)
    return max(codes)


def resume_several(folder: Path, listed: Sequence[Listed], resume_one: ResumeOne, args: argparse.Namespace) -> int:
    """Go on with each run of a folder, and name the environments that have none; the exit code."""
    codes: list[int] = []
    of_runs: list[int] = []
    with _resumable(folder, args):
        for one in listed:
            about = {"env": one.env, "distribution": one.distribution}
            name = f"{one.distribution}:{one.env}" if one.distribution else one.env
            if one.run is None:
                why = " ".join(str(one.error.get("message", "it could not be used")).split())
                hint = "It has no run here, so evaluate it by itself."
                codes.append(_tell(RunError(why, hint), name, about, args))
                continue
            try:
                check_stays(folder / one.run)
                of_runs.append(resume_one(folder / one.run))
            except GrpoEnvError as exc:
                of_runs.append(_tell(exc, name, about | {"run": str(folder / one.run)}, args))
    return _ended(folder, [*codes, *of_runs], args, of_runs=of_runs)


def _each_once(names: Sequence[str]) -> list[tuple[str, EnvSpec | BrokenPackageError]]:
    """The environments that are named; an unknown name is an error before anything is imported."""
    found: dict[object, tuple[str, EnvSpec | BrokenPackageError]] = {}
    for name in names:
        try:
            known = spec(name)
        except BrokenPackageError as exc:
            found[name] = name, exc
        else:
            found.setdefault((known.id, known.entry_point, known.distribution), (name, known))
    return list(found.values())


def _prepared(each: Sequence[tuple[str, EnvSpec | BrokenPackageError]], prepare: Prepare) -> list[_Named]:
    """Each environment, loaded; where every one fails for the same reason, that is the error of the command."""
    found = []
    for name, known in each:
        ready: Evaluator | GrpoEnvError
        if isinstance(known, BrokenPackageError):
            found.append(_Named(name, None, known))
            continue
        try:
            ready = prepare(name)
        except GrpoEnvError as exc:
            ready = exc
        found.append(_Named(name, known, ready))
    errors = [one.ready for one in found if isinstance(one.ready, GrpoEnvError)]
    if len(errors) == len(found) and len({(error.message, error.hint) for error in errors}) == 1:
        raise errors[0]
    return found


def _begin(folder: Path, found: Sequence[_Named]) -> list[Path]:
    """A run without episodes for each environment that can be used, and the list of all; the folders of the runs."""
    names = names_of_runs([(one.id, one.distribution) for one in found])
    listed, runs = [], []
    for one, name in zip(found, names, strict=True):
        if isinstance(one.ready, Evaluator):
            listed.append(Listed(one.id, one.distribution, name, {}))
            runs.append((folder / name, one.ready))
        else:
            listed.append(Listed(one.id, one.distribution, None, one.ready.as_json()["error"]))
    write_list(folder, listed)
    for run, work in runs:
        create_run(run, work.manifest()).close()
    return [run for run, _ in runs]


@contextmanager
def _resumable(folder: Path, args: argparse.Namespace) -> Iterator[None]:
    """Whatever interrupts this, the message names what goes on with the whole folder."""
    try:
        yield
    except KeyboardInterrupt as exc:
        told = str(exc).partition("\n")[0] or "Interrupted."
        raise KeyboardInterrupt(f"{told}\nResume with: {resume_command(folder, args)}") from None


def _tell(exc: GrpoEnvError, name: str, about: dict[str, Any], args: argparse.Namespace) -> int:
    print_error(exc, args.json, name, about)
    return BROKEN


def _ended(folder: Path, codes: Sequence[int], args: argparse.Namespace, of_runs: Sequence[int]) -> int:
    """Say how many failed; the exit code. `of_runs` has the codes of those that have a run, which can be resumed."""
    if BROKEN in codes:
        failed = f"{codes.count(BROKEN)} of {counted(len(codes), 'environment')} could not be evaluated"
        go_on = f"; what their runs lack is played with: {resume_command(folder, args)}"
        say(f"note: {failed}{go_on if BROKEN in of_runs else '.'}", file=sys.stderr)
    return max(codes, default=0)
