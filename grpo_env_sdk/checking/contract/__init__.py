"""Checks of the contract: it builds, its rows are sound and equal everywhere, importing it is harmless."""
