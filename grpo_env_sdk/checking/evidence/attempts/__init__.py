"""What is tried against a scorer: guesses, wrong answers, gold that was changed."""
