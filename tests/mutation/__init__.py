"""Damage done to `hotel-v1` at random, and how much of it `grpo-env test` finds: `python -m tests.mutation`."""
