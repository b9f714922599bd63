"""What the checks look at: the environment under test, episodes, gold answers, guesses, corrupted answers."""
