"""The rows of an environment, prompts from files, and chat messages."""
