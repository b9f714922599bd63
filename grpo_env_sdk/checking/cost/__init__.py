"""Cost checks: the time and memory that episodes take on this machine, and what they leave behind."""
