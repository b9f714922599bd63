"""`shapes-v1`: a model looks at an image of shapes, and counts them or names a colour, in one turn."""

from grpo_env_shapes.env import ShapesEnv

__all__ = ["ShapesEnv"]
