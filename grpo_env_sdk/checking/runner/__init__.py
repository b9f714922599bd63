"""`check_env`, and the runner: which checks run, in which process, for how long."""
