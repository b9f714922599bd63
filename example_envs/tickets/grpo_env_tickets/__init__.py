"""`tickets-v1`: a model serves the customers of a shop with tools, and follows its rules."""

from grpo_env_tickets.env import TicketsEnv

__all__ = ["TicketsEnv"]
