"""Rewards from outside the environment: named, imported, checked before a training, and called in it."""
