"""Whether acts that no task needs pay, and those that it needs count."""
