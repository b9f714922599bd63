"""Environments with exactly one realistic mistake each; the catalogue says which."""
