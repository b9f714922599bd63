"""Whether silence, fixed answers, guesses and copies earn what the task should."""
