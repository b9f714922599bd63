"""One episode from reset to score, and many at once."""
