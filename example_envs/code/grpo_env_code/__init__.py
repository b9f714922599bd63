"""`code-v1`: a model writes a Python function, and hidden tests score it."""

from grpo_env_code.env import CodeEnv

__all__ = ["CodeEnv"]
