"""A trained model as a folder of its own, with a model card."""
