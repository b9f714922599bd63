"""Environments: the protocol, the base classes, and what the SDK finds out about one."""
