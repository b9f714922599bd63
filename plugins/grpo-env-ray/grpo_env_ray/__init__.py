"""Environment code in actors on a Ray cluster: `--env-pool ray`."""
