"""What an adapter says that an environment needs: whether it is installed, and the command that installs it."""

import shlex

from grpo_env_sdk.registry.entry_points import version_of


def are_installed(needs: str) -> bool:
    """Whether each requirement, such as `numpy` or `numpy>=2`, is met; of one with an extra only its adapter knows."""
    return all(_is_met(each) for each in _each(needs))


def install_command(needs: str) -> str:
    """`pip install 'numpy>=2'`, as a shell takes it."""
    return f"pip install {shlex.join(_each(needs))}"


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
