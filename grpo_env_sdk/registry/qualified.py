"""The names that find one environment alone, also where several packages have an id, or versions of a name."""

from grpo_env_sdk.errors import UnknownNameError
from grpo_env_sdk.registry.entry_points import normalised
from grpo_env_sdk.registry.lookup import REGISTERED, specs, versionless
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import EnvSpec


def qualified(env: EnvSpec) -> str:
    """The id of an environment, with its package in front where another one has a version of the name."""
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


def _qualified(id: str, distribution: str | None) -> str:
    packages = {
        normalised(item.distribution or REGISTERED) for item in specs() if versionless(item.id) == versionless(id)
    }
    others = packages - {normalised(distribution or REGISTERED)}
    if not others or (distribution is None and others == packages):
        return id
    return f"{distribution or REGISTERED}:{id}"
