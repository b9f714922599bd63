"""Checks the versions of the packages that training needs, without importing them."""

from collections.abc import Iterator
from importlib.metadata import requires
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from grpo_env_sdk.ext import version_of
from grpo_env_trl.preflight.problem import PreflightError, Problem

if TYPE_CHECKING:
    from grpo_env_trl.preflight.planned_training import PlannedTraining

PLUGIN = "grpo-env-trl"


def check_versions() -> None:
    """Raise where a package is missing, too old or too new."""
    if found := [*wrong_packages()]:
        raise PreflightError(found)


def problems(planned: "PlannedTraining") -> Iterator[Problem]:
    """The packages that every training needs."""
    yield from wrong_packages()


def wrong_packages() -> Iterator[Problem]:
    """Each required package that is missing or has a wrong version."""
    for text in requires(PLUGIN) or ():
        needed = Requirement(text)
        if needed.marker is not None:
            continue
        command = f"pip install '{needed.name}{needed.specifier}'"
        found = version_of(needed.name)
        if found is None:
            yield Problem(f"{needed.name} is not installed, but training needs it.", command)
            continue
        if not needed.specifier.contains(found, prereleases=True):
            yield Problem(f"{needed.name} {found} is installed; {PLUGIN} works with {needed.specifier}.", command)
