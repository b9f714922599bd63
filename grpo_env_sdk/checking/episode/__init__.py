"""Episode checks: the same row and seed give the same episode, no state is left over, ends are reported correctly."""
