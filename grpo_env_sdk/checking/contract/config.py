"""Whether every documented choice of the config works."""

from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.fresh_instances import with_value
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.config import parameters_of
from grpo_env_sdk.errors import GrpoEnvError


@check("C105", needs=("rows",), effort="default", share=2)
def every_choice_of_config_builds(subject: Subject) -> Iterator[Finding]:
    """Every choice in the annotations of the constructor can be created and has rows."""
    for name, value in _choices(subject):
        if not subject.time_left:
            return
        try:
            with_value(subject, name, value)
        except GrpoEnvError as exc:
            message = f"With config {name}={value!r}: {exc.message}"
            yield Finding(message, exc.hint, input={name: value})


def _choices(subject: Subject) -> list[tuple[str, Any]]:
    """Each value of each parameter that is a choice, without the values in use."""
    found = []
    for parameter in parameters_of(subject.cls).values():
        values = parameter.schema.get("enum", ())
        if parameter.schema.get("type") == "boolean" and isinstance(parameter.default, bool):
            values = (not parameter.default,)
        used = subject.spec.config.get(parameter.name, parameter.default)
        found += [(parameter.name, value) for value in values if value != used]
    return found
