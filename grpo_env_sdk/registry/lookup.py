"""Environments by id, by `dist:id`, or by import path; listing them imports none."""

import ast
import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from grpo_env_sdk.errors import (
    AmbiguousNameError,
    BrokenPackageError,
    ConfigError,
    GrpoEnvWarning,
    UnknownNameError,
    did_you_mean,
)
from grpo_env_sdk.files.path_errors import short_path
from grpo_env_sdk.isolation.author_code.import_folders import add_working_folder, find_here
from grpo_env_sdk.registry.entry_points import ENVS, PLUGINS, Offer, normalised, offers, version_of
from grpo_env_sdk.registry.requirements import are_installed, install_command
from grpo_env_sdk.types import EnvSpec, Kind

_ID = re.compile(r"(?:[A-Za-z0-9_.-]+/)?[A-Za-z0-9][A-Za-z0-9_.-]*-v\d+")
_VERSION = re.compile(r"-v(\d+)\Z")
_LIKE_A_VERSION = re.compile(r"(?:[-_. ][vV]|(?<=[a-z0-9])V)(\d+)\Z")
_IMPORT_PATH = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
_FILE = re.compile(r"[^:]+\.py(?=:|\Z)")

MOST_CLASSES = 3
"""How many classes of a file an error suggests."""
REGISTERED = "registered"
"""The name in place of a distribution, for environments that this process registered."""

_registered: dict[str, EnvSpec] = {}
_classes: dict[str, Callable[..., Any]] = {}


def register(id: str, target: str | Callable[..., Any], **config: Any) -> EnvSpec:
    """Register an environment under an id, in this process; `target` is a class or a "module:Class"."""
    if not _ID.fullmatch(id):
        raise ConfigError(f"{id!r} is not a valid environment id.", f"Use an id such as {suggested_id(id)!r}.")
    entry_point = target if isinstance(target, str) else f"{target.__module__}:{target.__qualname__}"
    registered = EnvSpec(id, entry_point, config=config)
    _registered[id] = registered
    if isinstance(target, str):
        _classes.pop(id, None)
    else:
        _classes[id] = target
    return registered


def specs() -> list[EnvSpec]:
    """Every installed or registered environment, found without importing any."""
    found = [_from_metadata(offer) for offer in offers() if offer.group == ENVS]
    if any(offer.group == PLUGINS for offer in offers()):
        found += _from_plugins()
    return sorted([*found, *_registered.values()], key=lambda item: _sort_key(item.id))


def spec(name: str) -> EnvSpec:
    """The environment with this name: an id, `dist:id`, an id without version, or an import path."""
    prefix, colon, rest = name.partition(":")
    if _is_import_path(name) and prefix != REGISTERED and version_of(prefix) is None:
        return _by_import_path(name)  # of no distribution, and listing all environments takes longer than one
    known = specs()
    if colon:
        of_dist = [item for item in known if normalised(item.distribution or REGISTERED) == normalised(prefix)]
        named = any(rest in (item.id, versionless(item.id)) for item in of_dist)
        if named or not _is_import_path(name):  # a package may have the name of its distribution
            return _choose(rest, of_dist, name, known)
        return _by_import_path(name)
    return _choose(name, known, name, known)


def load_class(env: EnvSpec) -> Callable[..., Any]:
    """The class of a spec, or the function that creates instances; imported now."""
    if env.id in _classes and not env.distribution and env.entry_point == _registered[env.id].entry_point:
        return _classes[env.id]
    if env.needs:
        raise UnknownNameError(f"{env.id} needs {env.needs}.", install_command(env.needs))
    whose = f"{env.id} of {env.distribution} {env.version}" if env.distribution else env.id
    return _imported(env.entry_point, whose)  # type: ignore[no-any-return]  # checked when it is called


def import_by_path(path: str, whose: str) -> Any:
    """What `module` or `module:name` names; the module may be in the working directory, and errors begin with whose."""
    _find_package(path.partition(":")[0], "Is it spelt right, and are you in its folder?")
    return _imported(path, whose)


def _imported(path: str, whose: str) -> Any:
    from grpo_env_sdk.isolation.calls.command_process import watch_from_now
    from grpo_env_sdk.isolation.calls.imports import import_object

    watch_from_now()
    return import_object(path, whose)


def suggested_id(name: str) -> str:
    """A valid id from any text: `my-hotel-v1` for `My Hotel`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()  # u for ü
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])", "-", plain)  # Library-Desk for LibraryDesk
    version = _LIKE_A_VERSION.search(plain)
    words = re.sub(r"[^a-z0-9]+", "-", _LIKE_A_VERSION.sub("", plain).lower()).strip("-") or "my-env"
    return f"{words}-v{version.group(1) if version else 1}"


def versionless(id: str) -> str:
    """The name that all versions of an id have: `hotel` for `hotel-v1`."""
    return _VERSION.sub("", id)


def _sort_key(id: str) -> tuple[str, int]:
    version = _VERSION.search(id)
    return (versionless(id), int(version.group(1)) if version else 0)


def _from_metadata(offer: Offer) -> EnvSpec:
    return EnvSpec(
        offer.name,
        offer.value,
        offer.distribution,
        offer.version,
        offer.summary,
        error=_fault_of(offer.name, offer.value),
    )


def _fault_of(id: str, entry_point: str) -> str | None:
    """What is wrong with an entry, as far as it can be seen without importing anything."""
    if not _ID.fullmatch(id):
        return f"the id {id!r} is not like {suggested_id(id)!r}"
    if not _IMPORT_PATH.fullmatch(entry_point):
        return f"the entry point {entry_point!r} is not like 'package.module:Class'"
    package = re.split(r"[.:]", entry_point, maxsplit=1)[0]
    try:
        missing = package not in sys.modules and find_spec(package) is None
    except (ImportError, ValueError):
        missing = True
    return f"there is no module {package!r}" if missing else None


def _wrong_kind(spec: EnvSpec) -> str | None:
    kinds = get_args(Kind)
    return None if spec.kind in (None, *kinds) else f"its kind {spec.kind!r} is none of {', '.join(kinds)}"


def _from_plugins() -> list[EnvSpec]:
    """The environments of adapters; pluggy is imported only if a plugin is installed, so that listing is fast."""
    from grpo_env_sdk.registry.plugins import call_each_for_items

    versions = {offer.distribution: offer.version for offer in offers()}
    has = cache(are_installed)
    known = {(offer.distribution, offer.name) for offer in offers() if offer.group == ENVS}
    found = []
    for plugin, item in call_each_for_items("grpo_env_register_envs", EnvSpec):
        needs = None if item.needs and has(item.needs) else item.needs
        error = item.error or (None if needs else _fault_of(item.id, item.entry_point)) or _wrong_kind(item)
        distribution = item.distribution or plugin.partition(":")[0]
        if (distribution, item.id) in known:
            warnings.warn(f"{distribution} has {item.id!r} twice; the first one counts.", GrpoEnvWarning, stacklevel=2)
            continue
        known.add((distribution, item.id))
        version = item.version or versions.get(distribution)
        found.append(replace(item, distribution=distribution, version=version, needs=needs, error=error))
    return found


def _is_import_path(name: str) -> bool:
    return _IMPORT_PATH.fullmatch(name) is not None and not _FILE.match(name)


def _by_import_path(name: str) -> EnvSpec:
    """An environment by its import path."""
    _find_package(name.partition(":")[0], "An import path is written like my_envs.hotel_env:HotelEnv.")
    return EnvSpec(name, name)


def _find_package(module: str, hint: str) -> None:
    """Raise if the package of a module is neither installed nor in the working directory, which becomes importable."""
    package = module.partition(".")[0]
    if package not in sys.modules and find_here(package) is None:
        _check_working_folder(package)
        near = did_you_mean(package, [path.stem for path in Path().glob("*.py")])
        raise UnknownNameError(f"No module named {package!r}, in the working directory or installed.", near or hint)
    add_working_folder()


def _check_working_folder(package: str) -> None:
    """Raise where nothing can be imported from the working directory, as its path leads through a locked folder."""
    try:
        os.listdir(os.getcwd())
    except OSError as exc:
        where = short_path(exc.filename)
        raise UnknownNameError(
            f"No module named {package!r} is installed, and the working directory {where} cannot be read by its path: "
            f"{exc.strerror}.",
            "cd to a folder that you can read, as well as all above it.",
        ) from exc


def _choose(wanted: str, among: Iterable[EnvSpec], name: str, known: list[EnvSpec]) -> EnvSpec:
    listed = list(among)
    exact = [item for item in listed if item.id == wanted]
    if len(exact) > 1:
        raise _ambiguous(f"provide {wanted!r}", exact, wanted)
    if exact:
        return well_formed(exact[0])
    versions = [item for item in listed if versionless(item.id) == wanted]
    if len({item.distribution for item in versions}) > 1:  # the newest may be a stranger's
        raise _ambiguous(f"have versions of {wanted!r}", versions, wanted)
    if versions:
        newest = versions[-1].id
        if len(versions) > 1:
            others = ", ".join(sorted({item.id for item in versions}))
            warnings.warn(f"{wanted}: using {newest}, the newest of {others}.", GrpoEnvWarning, stacklevel=3)
        else:
            warnings.warn(f"{wanted}: using {newest}.", GrpoEnvWarning, stacklevel=3)
        return _choose(newest, listed, name, known)
    raise _unknown(name, wanted, known)


def _ambiguous(what: str, among: Iterable[EnvSpec], wanted: str) -> AmbiguousNameError:
    """The error for a name of several packages; `wanted` finds an environment in each of them."""
    by_package: dict[str, list[str]] = {}
    for item in sorted(among, key=lambda item: item.distribution or REGISTERED):
        by_package.setdefault(item.distribution or REGISTERED, []).append(item.id)
    count = {2: "Two"}.get(len(by_package), str(len(by_package)))
    differ = any(ids != [wanted] for ids in by_package.values())
    which = "; ".join(f"{package} has {', '.join(ids)}" for package, ids in by_package.items())
    choices = " or ".join(f"{package}:{wanted}" for package in by_package)
    return AmbiguousNameError(f"{count} packages {what}{': ' * differ}{which * differ}.", f"Name one: {choices}.")


def well_formed(found: EnvSpec) -> EnvSpec:
    """The same environment; raises where its package declares it with an invalid id or entry point."""
    by_metadata = found.distribution and not found.needs
    if not _ID.fullmatch(found.id) or (by_metadata and not _IMPORT_PATH.fullmatch(found.entry_point)):
        named = f"{found.id} of " if _ID.fullmatch(found.id) else ""
        raise BrokenPackageError(
            f"{named}{found.distribution or REGISTERED}: {_fault_of(found.id, found.entry_point)}.",
            "Correct it in its pyproject.toml, and install again.",
        )
    return found


def _unknown(name: str, wanted: str, known: list[EnvSpec]) -> UnknownNameError:
    base = versionless(wanted)
    versions = dict.fromkeys(item.id for item in known if versionless(item.id) == base)
    hint = f"There is {', '.join(versions)}." if versions else did_you_mean(wanted, [item.id for item in known])
    count = f"`grpo-env list` shows all {len(known)}." if known else "None is installed; `grpo-env init` creates one."
    if wanted in (declared := _declared_here()) or base in map(versionless, declared):
        hint = "The pyproject.toml of this folder has it: pip install -e ."
    elif path := _as_import_path(name):
        hint = f"A class is named by its import path: {path}."
    elif wanted.isidentifier() and wanted[0].isupper():
        hint += f" A class of a module is named like my_envs:{wanted}; a command finds none of a notebook."
    return UnknownNameError(f"No env named {name!r}.", f"{hint} {count}".strip())


def _declared_here() -> list[str]:
    """The ids that the package in the working directory declares, which is perhaps not installed yet."""
    import tomllib

    try:
        project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
        return list(project["entry-points"][ENVS])
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _as_import_path(name: str) -> str:
    """`countdown:Countdown` for `./countdown.py:Countdown` or `countdown.Countdown`, or an empty string."""
    file, colon, cls = name.partition(":")
    if _FILE.match(name):
        path = Path(os.path.relpath(file))
        parts = path.with_suffix("").parts
        outside = ".." in parts
        module = path.stem if outside else ".".join(parts)
        named = f"{module}:{cls}" if cls else _classes_in(module, path)
        return f"{named}, in the folder {path.parent.resolve()}" if outside else named
    module, dot, last = name.rpartition(".")
    if dot and not colon and last[:1].isupper() and "/" not in name:
        return f"{module}:{last}"
    return _classes_in(file, Path(f"{file}.py")) if file.isidentifier() and os.path.isfile(f"{file}.py") else ""


def _classes_in(module: str, file: Path) -> str:
    """`countdown:Countdown or countdown:Harder`: the classes that a file defines, or `ClassName` for them."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        body = []
    names = [item.name for item in body if isinstance(item, ast.ClassDef) and not item.name.startswith("_")]
    return " or ".join(f"{module}:{name}" for name in names[:MOST_CLASSES] or ["ClassName"])
