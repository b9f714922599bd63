"""One line for each environment: that of its package, or of its class where the former does not tell it apart."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from grpo_env_sdk.registry.sources import docstring_of
from grpo_env_sdk.types import EnvSpec

TO_REPLACE = "An environment for grpo-env-sdk: describe here what a model learns in it"
"""The description that `grpo-env init` writes, for the author to replace."""


def with_own_summaries(specs: Iterable[EnvSpec]) -> list[EnvSpec]:
    """The same environments; where a package says one thing of several, or nothing yet, with their classes' words."""
    found = list(specs)
    told = Counter((spec.distribution, spec.summary) for spec in found)
    return [
        replace(spec, summary=docstring_of(spec.entry_point) or spec.summary)
        if spec.distribution and (told[spec.distribution, spec.summary] > 1 or spec.summary == TO_REPLACE)
        else spec
        for spec in found
    ]
