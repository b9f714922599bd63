"""Contract checks: it builds, its rows are valid and the same everywhere, importing it has no side effects."""
