"""What a check yields, marked with its id; what it raised without expecting it is one more item."""

import traceback
from dataclasses import replace
from typing import Any, get_type_hints

from grpo_env_sdk.checking.check import Check
from grpo_env_sdk.checking.findings.finding import REPORT_PLUGIN, Finding, Item, Undecided, from_wire, to_wire
from grpo_env_sdk.checking.runner.events import is_drawable
from grpo_env_sdk.isolation.calls.tracebacks import describe_error, raised_at
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.rollout.event_types import fits


def check_item(item: Any) -> None:
    """Raise a TypeError that says what is wrong with what a check yielded."""
    if not isinstance(item, Item):
        raise TypeError(f"it yielded {short_repr(item)}, and no Finding, Undecided, Table or Plot")
    sent, kind = from_wire(to_wire(item)), type(item)
    odd = [name for name, hint in get_type_hints(kind).items() if not fits(getattr(sent, name), hint)]
    if odd or not is_drawable(sent):
        fields = ", ".join(f"{name}={short_repr(getattr(item, name))}" for name in odd)
        raise TypeError(f"it yielded a {kind.__name__} that no report can show: {fields or short_repr(item)}")


def marked(item: Item, check: Check) -> Item:
    """The item with the id of its check, and of a finding the severity."""
    if isinstance(item, Finding):
        return replace(item, check=check.id, severity=item.severity or check.severity)
    if isinstance(item, Undecided):
        return replace(item, checks=(check.id,))
    return replace(item, check=check.id)


def unexpected(exc: Exception, check: Check) -> Item:
    """An error that the check did not expect: a finding if the environment's code is in the traceback.

    The mistake of a plugin's check is a warning about the plugin, so that it fails with `--strict`.
    """
    place, frame = raised_at(exc), traceback.extract_tb(exc.__traceback__)[-1]
    own_file = getattr(getattr(check.run, "__code__", None), "co_filename", "")
    if check.plugin and (not place or frame.filename == own_file):  # a plugin may have environments too
        message = f"The check {check.id} of the plugin {check.plugin} itself failed: {describe_error(exc)}."
        return marked(Finding(message, REPORT_PLUGIN, severity="warning"), check)
    if place:
        message = f"It raised {describe_error(exc)}."
        return marked(Finding(message, severity="error", cause=f"{type(exc).__name__} ({place})"), check)
    why = f"The check {check.id} itself failed: {describe_error(exc)}, in line {frame.lineno} of {frame.filename}."
    return Undecided(why, "Please report it.", (check.id,))
