"""What an environment is asked about: its rows, their prompts, and chat messages."""
