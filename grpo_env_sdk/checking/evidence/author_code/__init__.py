"""What the author's own code says: the words that it looks for, and what it compares."""
