"""What code changes for its whole process: random state, settings, stdout."""
