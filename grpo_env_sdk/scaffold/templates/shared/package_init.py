"""The environment `$id`."""

from $package.env import $cls

__all__ = ["$cls"]
