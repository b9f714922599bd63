"""`arithmetic-v1`: a model computes an expression in one turn, with several named rewards."""

from grpo_env_arithmetic.env import ArithmeticEnv

__all__ = ["ArithmeticEnv"]
