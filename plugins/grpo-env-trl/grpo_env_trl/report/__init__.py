"""A training for people to read: messages in the terminal, curves, the HTML report."""
