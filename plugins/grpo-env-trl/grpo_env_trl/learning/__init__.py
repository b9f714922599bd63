"""Can the environment be learned? A short training of the demo model, and the verdict."""
