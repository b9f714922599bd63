"""From an environment to TRL: datasets, reward columns, and the ways in which TRL gets its rollouts."""
