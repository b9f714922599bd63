"""Checks of what an environment teaches: gold is worth most, and nothing is worth as much without the work."""
