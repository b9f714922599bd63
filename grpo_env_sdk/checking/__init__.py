"""`grpo-env test` as a library: checks, their findings, and the runner that isolates environment code."""

from typing import TYPE_CHECKING

from grpo_env_sdk.checking.check import Check, check  # not lazily: `check` is a submodule too
from grpo_env_sdk.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from grpo_env_sdk.checking.evidence.subject import Subject
    from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided

__all__ = ["Check", "Finding", "Plot", "Subject", "Table", "Undecided", "check"]

if not TYPE_CHECKING:  # or every name would exist for type checkers
    __getattr__, __dir__ = lazy_exports(__name__, {
        "Finding": "findings.finding", "Plot": "findings.finding", "Subject": "evidence.subject",
        "Table": "findings.finding", "Undecided": "findings.finding",
    })  # fmt: skip
