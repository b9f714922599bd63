"""The run viewer: a page served on loopback, or exported as one self-contained file."""
