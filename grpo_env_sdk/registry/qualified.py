"""The names that find one environment alone, also where several packages have an id, or versions of a name."""

from collections.abc import Iterable, Sequence

from grpo_env_sdk.errors import UnknownNameError
from grpo_env_sdk.registry.entry_points import normalised
from grpo_env_sdk.registry.lookup import REGISTERED, specs, versionless
from grpo_env_sdk.runs.measured import packages_of
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import EnvSpec


def full_name(id: str, distribution: str | None) -> str:
    """`dist:id`, or the id alone where no package brings it."""
    return f"{distribution}:{id}" if distribution else id


def is_name_of(name: str, env: EnvSpec) -> bool:
    """Whether a name is the id of an environment, or `dist:id` of it."""
    package, _, id = name.partition(":")
    of_package = id == env.id and normalised(package) == normalised(env.distribution or REGISTERED)
    return name == env.id or of_package


def qualified(env: EnvSpec) -> str:
    """The id of an environment, with its package in front where another one has a version of the name."""
    if env.id == env.entry_point:  # an import path, of no package
        return env.id
    return _qualified(env.id, env.distribution)


def name_in_run(run: Run, name: str | None = None) -> str:
    """The name that finds an environment of a run in the package that the run recorded.

    `name` is one of its environments, also without its version; None is the only one. Any other name is left as it is.
    """
    id = run.manifest["env"] if name is None else _id_in(run, name)
    if id is None:
        return str(name)
    recorded = run.manifest.get("environments", {}).get(id, run.manifest)
    return _qualified(id, recorded.get("distribution"))


def names_of(runs: Sequence[Run]) -> list[str]:
    """The environment of each run, as `name_in_run` has it where the packages of these runs were installed too.

    Several environments of one run have the name that its manifest gives them.
    """
    if not runs:
        return []
    known = [(item.id, item.distribution or REGISTERED) for item in specs()]
    known += [(id, package) for run in runs for id, package in packages_of(run.manifest).items() if package]
    return [
        str(run.manifest["env"]) if len(run.environments) > 1
        else _qualified(run.manifest["env"], run.manifest.get("distribution"), known)
        for run in runs
    ]  # fmt: skip


def names_that_find(run: Run) -> set[str]:
    """Every name by which the environments of a run are found: each id, alone and with its package in front."""
    found = set()
    for id, package in packages_of(run.manifest).items():
        found |= {id, f"{package or REGISTERED}:{id}", f"{normalised(package or REGISTERED)}:{id}"}
    return found


def check_package(run: Run, name: str) -> None:
    """Raise where `name`, that of an environment of a run, is not found in the package that the run recorded."""
    id = name.rpartition(":")[2]
    package = run.manifest.get("environments", {}).get(id, run.manifest).get("distribution")
    if package is None or id not in run.environments or name not in (id, f"{package}:{id}"):
        return
    if not any(item.id == id and normalised(item.distribution or "") == normalised(package) for item in specs()):
        raise UnknownNameError(
            f"No env named {name!r}: {run.path} is of the package {package!r}, which is not installed or lacks it.",
            "Install that package again, in the version of the run.",
        )


def _id_in(run: Run, name: str) -> str | None:
    """The environment of a run that a name is the id of, or the id without its version."""
    return next((id for id in run.environments if name in (id, versionless(id))), None)


def _qualified(id: str, distribution: str | None, known: Iterable[tuple[str, str]] | None = None) -> str:
    if known is None:
        known = [(item.id, item.distribution or REGISTERED) for item in specs()]
    packages = {normalised(package) for other, package in known if versionless(other) == versionless(id)}
    others = packages - {normalised(distribution or REGISTERED)}
    if not others or (distribution is None and others == packages):
        return id
    return full_name(id, distribution or REGISTERED)
