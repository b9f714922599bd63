"""`grpo-env test` as a library: checks, their findings, and the runner that isolates environment code."""

from grpo_env_sdk.checking.check import Check, check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided

__all__ = ["Check", "Finding", "Plot", "Subject", "Table", "Undecided", "check"]
