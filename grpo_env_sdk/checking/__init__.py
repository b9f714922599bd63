"""`grpo-env test` as a library: checks, what they find, and the runner that keeps environment code apart."""

from grpo_env_sdk.checking.check import Check, check
from grpo_env_sdk.checking.finding import Finding, Plot, Table, Undecided
from grpo_env_sdk.checking.subject import Subject

__all__ = ["Check", "Finding", "Plot", "Subject", "Table", "Undecided", "check"]
