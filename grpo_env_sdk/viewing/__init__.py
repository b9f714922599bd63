"""A run as a page: served on loopback, or exported as one self-contained file."""
