"""Checks of scoring: it takes any answer, gives a number in range, and the same number for the same answer."""
