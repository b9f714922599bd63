"""What the guides that people come from promise, and what shows that it holds here."""
