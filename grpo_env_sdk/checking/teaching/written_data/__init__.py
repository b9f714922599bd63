"""Whether the data that the scorer reads can be written, emptied or replaced."""
