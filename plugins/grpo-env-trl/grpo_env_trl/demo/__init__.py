"""The built-in demo model: about 0.1 million parameters, made on the spot from an environment's own `solve`."""

from grpo_env_trl.demo.making import DemoModel, make_demo_model
from grpo_env_trl.demo.recipe import demo_settings

__all__ = ["DemoModel", "demo_settings", "make_demo_model"]
