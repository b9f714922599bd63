"""`arithmetic-v1`: a model works out an expression in one turn, for several named rewards."""

from grpo_env_arithmetic.env import ArithmeticEnv

__all__ = ["ArithmeticEnv"]
