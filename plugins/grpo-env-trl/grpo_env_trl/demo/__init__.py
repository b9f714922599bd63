"""The built-in demo model: about 0.1 million parameters, built from an environment's own `solve`."""

from grpo_env_trl.demo.demo_model import TRIAL_STEPS, DemoModel, demo_settings, make_demo_model

__all__ = ["TRIAL_STEPS", "DemoModel", "demo_settings", "make_demo_model"]
