"""Teaching checks: gold scores most, and nothing scores as much without doing the task."""
