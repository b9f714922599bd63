"""What other people's code hands over, as values that are safe to keep: JSON, state, errors, secrets."""
