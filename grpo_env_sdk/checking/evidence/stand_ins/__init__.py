"""The best episodes that a search finds, which stand in for gold where there is none."""
