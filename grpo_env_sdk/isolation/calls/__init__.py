"""Calls of other people's code in this process: threads, deadlines, the lock on what they share, whose error it was."""
