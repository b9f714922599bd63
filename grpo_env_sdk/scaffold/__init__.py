"""`grpo-env init`: a new environment package from templates."""
