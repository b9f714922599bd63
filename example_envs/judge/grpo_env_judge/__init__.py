"""`judge-v1`: a model writes a notice, and a judge, offline or over HTTP, grades how well it reads."""

from grpo_env_judge.env import JudgeEnv

__all__ = ["JudgeEnv"]
