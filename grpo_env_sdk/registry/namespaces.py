"""Namespaces in the place of environments: `acme/` and `acme/*` are all that `acme` has."""

import warnings
from collections import Counter
from collections.abc import Sequence

from grpo_env_sdk.errors import GrpoEnvWarning, UnknownNameError, did_you_mean
from grpo_env_sdk.registry.lookup import REGISTERED, specs


def with_namespaces(names: Sequence[str]) -> list[str]:
    """The names, each once, with the environments of a namespace in its place, without those that need a package."""
    each = [found for name in names for found in (_in_namespace(name) if name.endswith(("/", "/*")) else [name])]
    return list(dict.fromkeys(each))


def _in_namespace(name: str) -> list[str]:
    known = specs()
    namespace = name.rstrip("*")
    found = [spec for spec in known if spec.id.startswith(namespace)]
    ready = [spec for spec in found if spec.status != "needs"]
    if not ready:
        why = f"Those of {namespace} need packages that are not installed." if found else f"No env is in {namespace}."
        others = {f"{spec.id.partition('/')[0]}/" for spec in known if "/" in spec.id}
        list_them = f"`grpo-env list {namespace}` shows them." if found else "`grpo-env list` shows all."
        raise UnknownNameError(why, f"{did_you_mean(namespace, others - {namespace})} {list_them}".strip())
    if left := len(found) - len(ready):
        text = f"{namespace}: {left} of {len(found)} are left out, as they need packages that are not installed."
        warnings.warn(text, GrpoEnvWarning, stacklevel=3)
    times = Counter(spec.id for spec in ready)
    return [spec.id if times[spec.id] == 1 else f"{spec.distribution or REGISTERED}:{spec.id}" for spec in ready]
