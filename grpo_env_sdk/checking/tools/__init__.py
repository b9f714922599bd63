"""Checks of tools: told so that a model can use them, answering what fits their schemas, worth calling."""
