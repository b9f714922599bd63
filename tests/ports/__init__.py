"""Environments of other frameworks, brought here and played against the real packages; see docs/other-frameworks.md."""
