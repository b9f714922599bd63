"""Score checks: scoring accepts any answer, returns a number in range, and the same number for the same answer."""
