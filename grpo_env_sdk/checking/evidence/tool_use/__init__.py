"""Calls of tools and their results: by gold, at random, and by somebody who opens everything."""
