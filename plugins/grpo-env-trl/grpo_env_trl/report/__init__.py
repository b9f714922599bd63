"""A training as people read it: messages in the terminal, curves, the HTML page."""
