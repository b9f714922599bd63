"""`grpo-env test` as a library: checks, what they find, and the runner that keeps environment code apart."""

from grpo_env_sdk.checking.check import Check, check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Plot, Table, Undecided

__all__ = ["Check", "Finding", "Plot", "Subject", "Table", "Undecided", "check"]
