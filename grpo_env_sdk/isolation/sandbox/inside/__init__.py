"""Scripts that run in a sandbox, with nothing but the standard library."""
