"""A soak: episodes that fail, hang and crash for as long as one likes, and what the machine shows meanwhile."""
