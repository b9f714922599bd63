"""A bounded search over the states of an episode: which acts are known, what they reach, and what scores most."""
