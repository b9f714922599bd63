"""The environment variables of a process that runs other people's code."""

import re
from collections.abc import Mapping

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH", re.IGNORECASE)


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables without those whose names suggest keys, tokens and passwords."""
    return {name: value for name, value in environ.items() if not _SECRET.search(name)}
