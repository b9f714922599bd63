"""Environments that look odd and are sound; the catalogue says why."""
