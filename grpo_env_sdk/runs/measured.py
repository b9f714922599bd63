"""What a run is of, by its manifest: the package, its code and what was asked for."""

from collections.abc import Mapping
from typing import Any


def measured(manifest: Mapping[str, Any], env: str | None = None) -> dict[str, Any]:
    """What tells two runs of one id apart; `env` is one of the environments of a run that has several."""
    own = {**manifest, **manifest.get("environments", {}).get(env, {})}
    return {
        "distribution": own.get("distribution"), "version": own.get("env_version"),
        "source_hash": own.get("source_hash"), "split": own.get("split"),
        "seed": (own.get("sampling") or {}).get("seed"), "samples": own.get("samples"), "config": own.get("config"),
    }  # fmt: skip


def packages_of(manifest: Mapping[str, Any]) -> dict[str, str | None]:
    """The package of each environment of a run; None where it has none."""
    each = manifest.get("environments") or {manifest["env"]: manifest}
    return {id: own.get("distribution") for id, own in each.items()}
