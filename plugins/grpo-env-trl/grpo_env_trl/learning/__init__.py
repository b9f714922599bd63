"""Can this be learnt? A short training of the demo model on an environment, and what follows from it."""
