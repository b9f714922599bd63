"""Tool checks: described well enough to use, answering every valid call, and needed for the task."""
