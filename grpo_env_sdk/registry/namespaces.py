"""Several environments at once: `acme/` and `acme/*` are all that `acme` has, and `--all` is every one."""

import warnings
from collections import Counter
from collections.abc import Sequence

from grpo_env_sdk.errors import GrpoEnvWarning, UnknownNameError, did_you_mean
from grpo_env_sdk.registry.lookup import REGISTERED, specs
from grpo_env_sdk.registry.qualified import full_name
from grpo_env_sdk.types import EnvSpec


def with_namespaces(names: Sequence[str]) -> list[str]:
    """The names, each once, with the environments of a namespace in its place, without those that need a package."""
    each = [found for name in names for found in (_in_namespace(name) if name.endswith(("/", "/*")) else [name])]
    return list(dict.fromkeys(each))


def all_installed() -> list[EnvSpec]:
    """Every installed environment, without those that need a package."""
    found = specs()
    ready = _ready(found, "--all")
    if not ready:
        why = "All environments here need packages that are not installed." if found else "No environment is installed."
        raise UnknownNameError(why, "`grpo-env list` shows them." if found else "`grpo-env init my-task` creates one.")
    return ready


def _ready(found: Sequence[EnvSpec], name: str) -> list[EnvSpec]:
    """Those that need no package; a note counts the others."""
    ready = [spec for spec in found if spec.status != "needs"]
    if ready and (left := len(found) - len(ready)):
        text = f"{name}: {left} of {len(found)} are left out, as they need packages that are not installed."
        warnings.warn(text, GrpoEnvWarning, stacklevel=4)
    return ready


def short_names(listed: Sequence[EnvSpec]) -> list[str]:
    """The name of each that is enough among these: its id, with its package where several have the id."""
    times = Counter(spec.id for spec in listed)
    return [spec.id if times[spec.id] == 1 else full_name(spec.id, spec.distribution or REGISTERED) for spec in listed]


def _in_namespace(name: str) -> list[str]:
    known = specs()
    namespace = name.rstrip("*")
    found = [spec for spec in known if spec.id.startswith(namespace)]
    ready = _ready(found, namespace)
    if not ready:
        why = f"Those of {namespace} need packages that are not installed." if found else f"No env is in {namespace}."
        others = {f"{spec.id.partition('/')[0]}/" for spec in known if "/" in spec.id}
        list_them = f"`grpo-env list {namespace}` shows them." if found else "`grpo-env list` shows all."
        raise UnknownNameError(why, f"{did_you_mean(namespace, others - {namespace})} {list_them}".strip())
    return short_names(ready)
