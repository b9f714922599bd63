"""What an environment needs: what an adapter says of it, and what its distribution declares."""

import shlex
from importlib.metadata import Distribution, PackageNotFoundError

from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.registry.entry_points import normalised, version_of

_NAME = regex(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_EXTRA = regex(r"\bextra\b")


def are_installed(needs: str) -> bool:
    """Whether each requirement, such as `numpy` or `numpy>=2`, is met; of one with an extra only its adapter knows."""
    return all(_is_met(each) for each in _each(needs))


def install_command(needs: str) -> str:
    """`pip install 'numpy>=2'`, as a shell takes it."""
    return f"pip install {shlex.join(_each(needs))}"


def installed_requirements(distribution: str | None) -> dict[str, str]:
    """The version of each package that a distribution requires and that is installed, without those of its extras."""
    if distribution is None:
        return {}
    try:
        declared = Distribution.from_name(distribution).requires or []
    except PackageNotFoundError:
        return {}
    found = {}
    for requirement in declared:
        name, _, marker = requirement.partition(";")
        named = _NAME.match(name)
        if named and not _EXTRA.search(marker) and (version := version_of(named[0])):
            found[normalised(named[0])] = version
    return dict(sorted(found.items()))


def _each(needs: str) -> list[str]:
    try:
        return shlex.split(needs)  # an adapter may have quoted it for a shell
    except ValueError:
        return [needs]


def _is_met(requirement: str) -> bool:
    from packaging.requirements import InvalidRequirement, Requirement  # takes as long as all else that lists

    try:
        wanted = Requirement(requirement)
    except InvalidRequirement:
        return False
    version = version_of(wanted.name)
    return version is not None and not wanted.extras and wanted.specifier.contains(version, prereleases=True)
