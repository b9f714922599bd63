"""Python for code that nobody trusts, in bubblewrap."""
